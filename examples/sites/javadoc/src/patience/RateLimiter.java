package patience;

/**
 * Lets only so many calls through in a second.
 *
 * <p>Several threads may use one limiter. It serves them in the order in which they ask.
 */
public interface RateLimiter {
    /**
     * Blocks the thread until its call is permitted.
     */
    void acquire();

    /**
     * Says at once whether a call is permitted, and never waits.
     *
     * @return false if the call would have to wait; no permit is used then
     */
    boolean tryAcquire();

    /**
     * Changes the speed while the limiter is in use. Threads that wait already keep their place.
     *
     * @param callsPerSecond the new number of calls; 0.5 permits a call every two seconds
     */
    void setRate(double callsPerSecond);
}

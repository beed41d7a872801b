package patience;

import java.time.Duration;

/**
 * How long to wait before a failed call is tried again.
 *
 * <p>Each failure doubles the delay, up to a maximum. Share one object among the calls to one server, and give each server
 * an object of its own.
 */
public interface Backoff {
    /**
     * The delay before the next attempt. Call it once for each failure, since the delay doubles each time.
     *
     * @return how long to sleep
     */
    Duration next();

    /**
     * Goes back to the shortest delay. Call it after a success, or the next failure waits as long as the last one.
     */
    void reset();

    /**
     * Adds a random share to each delay, so that many clients whose server went away do not all come back in the same moment.
     *
     * @param share from 0, which adds nothing, to 1, which may double the delay
     * @return this object, for the next call
     */
    Backoff withJitter(double share);
}

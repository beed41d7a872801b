#pragma once
#include <chrono>

namespace patience {

/**
 * Lets only so many calls through in a second.
 *
 * Several threads may use one limiter. It serves them in the order in which they ask.
 */
class RateLimiter {
public:
    /**
     * Permits a number of calls per second.
     *
     * @param calls_per_second  A fraction is allowed: 0.5 permits a call every two seconds.
     */
    explicit RateLimiter(double calls_per_second);

    /**
     * Blocks the thread until its call is permitted.
     */
    void acquire();

    /**
     * Says at once whether a call is permitted, and never waits.
     *
     * @return false if the call would have to wait; no permit is used then.
     */
    bool try_acquire();

    /**
     * Changes the speed while the limiter is in use. Threads that wait already keep their place.
     *
     * @param calls_per_second  The new number of calls.
     */
    void set_rate(double calls_per_second);
};

}  // namespace patience

#pragma once
#include <chrono>

namespace patience {

/**
 * How long to wait before a failed call is tried again.
 *
 * Each failure doubles the delay, up to a maximum. Share one object among the calls to one server, and give each server
 * an object of its own.
 */
class Backoff {
public:
    /**
     * Begins with the delay `first`, and never waits longer than `longest`.
     *
     * @param first    The delay after the first failure.
     * @param longest  The delay that no number of failures exceeds.
     */
    Backoff(std::chrono::milliseconds first, std::chrono::milliseconds longest);

    /**
     * The delay before the next attempt. Call it once for each failure, since the delay doubles each time.
     *
     * @return How long to sleep.
     */
    std::chrono::milliseconds next();

    /**
     * Goes back to the shortest delay. Call it after a success, or the next failure waits as long as the last one.
     */
    void reset();

    /**
     * Adds a random share to each delay, so that many clients whose server went away do not all come back in the same moment.
     *
     * @param share  From 0, which adds nothing, to 1, which may double the delay.
     * @return This object, for the next call.
     */
    Backoff& with_jitter(double share);
};

}  // namespace patience

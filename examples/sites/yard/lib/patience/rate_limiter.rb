module Patience
  # Lets only so many calls through in a second.
  #
  # Several threads may use one limiter.
  class RateLimiter
    # Permits a number of calls per second.
    #
    # @param calls_per_second [Float] 0.5 permits a call every two seconds
    def initialize(calls_per_second)
      @lock = Mutex.new
      @free_at = 0.0
      set_rate(calls_per_second)
    end

    # Blocks the thread until its call is permitted.
    #
    # @return [void]
    def acquire
      sleep(0.001) until try_acquire
    end

    # Says at once whether a call is permitted, and never waits.
    #
    # @return [Boolean] false if the call would have to wait; no permit is used then
    def try_acquire
      @lock.synchronize do
        now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        next false if now < @free_at

        @free_at = now + 1 / @rate
        true
      end
    end

    # Changes the speed while the limiter is in use. Threads that wait already keep waiting.
    #
    # @param calls_per_second [Float] the new number of calls
    # @return [void]
    def set_rate(calls_per_second)
      @rate = calls_per_second.to_f
    end
  end
end

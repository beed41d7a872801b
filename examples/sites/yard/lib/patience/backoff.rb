# Gentle clients: they wait, ask seldom and remember answers.
module Patience
  # How long to wait before a failed call is tried again.
  #
  # Each failure doubles the delay, up to a maximum. Share one object among the calls to one server, and give each server
  # an object of its own.
  class Backoff
    # Begins with one delay, and never waits longer than another.
    #
    # @param first [Float] the seconds to wait after the first failure
    # @param longest [Float] the seconds that no number of failures exceeds
    def initialize(first, longest)
      @first = first
      @longest = longest
      reset
    end

    # The delay before the next attempt. Call it once for each failure, since the delay doubles each time.
    #
    # @return [Float] how many seconds to sleep
    def next_delay
      delay = @delay
      @delay = [delay * 2, @longest].min
      delay * (1 + rand * @share.to_f)
    end

    # Goes back to the shortest delay. Call it after a success, or the next failure waits as long as the last one.
    #
    # @return [void]
    def reset
      @delay = @first
    end

    # Adds a random share to each delay, so that many clients whose server went away do not all come back in the same moment.
    #
    # @param share [Float] from 0, which adds nothing, to 1, which may double the delay
    # @return [Backoff] this object, for the next call
    def with_jitter(share)
      @share = share
      self
    end
  end
end

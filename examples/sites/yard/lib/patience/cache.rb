module Patience
  # Keeps answers, so that the same question is not asked again.
  #
  # When the cache is full, the entry that nobody has read for the longest time makes room.
  class Cache
    # Holds a number of entries.
    #
    # @param capacity [Integer] the most entries that are kept at a time
    def initialize(capacity)
      @capacity = capacity
      @entries = {}
    end

    # Looks an answer up.
    #
    # @param key [String] what was asked
    # @return [Object, nil] the answer, or nothing if it is not there
    def get(key)
      entry = @entries.delete(key)
      @entries[key] = entry if entry
      entry&.first
    end

    # Stores an answer. An older one under the same key is replaced.
    #
    # @param key [String] what was asked
    # @param value [Object] the answer
    # @return [void]
    def put(key, value)
      @entries.delete(key)
      evict if @entries.size >= @capacity
      @entries[key] = [value, Time.now]
    end

    # Removes every entry that was stored longer ago than a given age.
    #
    # @param age [Float] how many seconds old an entry may be
    # @return [void]
    def prune(age)
      @entries.delete_if { |_, (_, stored)| Time.now - stored > age }
    end

    # Calls a block for each entry that has to make room, before it is gone.
    #
    # @yieldparam key [String] the key of the entry
    # @return [void]
    def on_eviction(&listener)
      @listener = listener
    end

    private

    def evict
      key, = @entries.first
      @listener&.call(key)
      @entries.delete(key)
    end
  end
end

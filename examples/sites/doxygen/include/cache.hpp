#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace patience {

/**
 * Keeps answers, so that the same question is not asked again.
 *
 * When the cache is full, the entry that nobody has read for the longest time makes room.
 */
class Cache {
public:
    /**
     * Holds a number of entries.
     *
     * @param capacity  The most entries that are kept at a time.
     */
    explicit Cache(std::size_t capacity);

    /**
     * Looks an answer up.
     *
     * @param key  What was asked.
     * @return The answer, or nothing if it is not there.
     */
    std::optional<std::string> get(const std::string& key);

    /**
     * Stores an answer. An older one under the same key is replaced.
     *
     * @param key    What was asked.
     * @param value  The answer.
     */
    void put(const std::string& key, std::string value);

    /**
     * Removes every entry that was stored longer ago than a given age.
     *
     * @param age  How old an entry may be.
     * @return How many entries were removed.
     */
    std::size_t prune(std::chrono::seconds age);

    /**
     * Calls a function for each entry that has to make room, before it is gone.
     *
     * @param listener  Is given the key.
     */
    void on_eviction(std::function<void(const std::string&)> listener);
};

}  // namespace patience

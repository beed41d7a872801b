package patience;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Keeps answers, so that the same question is not asked again.
 *
 * <p>When the cache is full, the entry that nobody has read for the longest time makes room.
 */
public interface Cache {
    /**
     * Looks an answer up.
     *
     * @param key what was asked
     * @return the answer, or nothing if it is not there
     */
    Optional<String> get(String key);

    /**
     * Stores an answer. An older one under the same key is replaced.
     *
     * @param key what was asked
     * @param value the answer
     */
    void put(String key, String value);

    /**
     * Removes every entry that was stored longer ago than a given age.
     *
     * @param age how old an entry may be
     * @return how many entries were removed
     */
    int prune(Duration age);

    /**
     * Calls a function for each entry that has to make room, before it is gone.
     *
     * @param listener is given the key
     */
    void onEviction(Consumer<String> listener);
}

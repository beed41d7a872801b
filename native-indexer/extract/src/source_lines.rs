//! Keeps a page's text on the lines of its file, although front matter, comments and marks are removed and other marks
//! become Markdown. So the line numbers in results are also valid for the file.
//!
//! Lines that occur once in both texts show where each block belongs, as in a patience diff. Blank lines between blocks
//! replace missing lines. A block stays too low if no blank lines above it can be removed.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// Minimum number of letters and digits in a line that shows its position by itself.
const MIN_LETTERS: usize = 4;

/// Returns `text`, which was made from `source`, with blank lines added and removed between its blocks.
pub(super) fn aligned<'a>(text: &'a str, source: &str) -> Cow<'a, str> {
    if text.is_empty() || text == source {
        return Cow::Borrowed(text);
    }
    if let Some(before) = source.strip_suffix(text) {
        // Only front matter was removed.
        return Cow::Owned("\n".repeat(before.matches('\n').count()) + text);
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let targets = targets(&lines, &source.lines().collect::<Vec<_>>());
    if targets.iter().all(Option::is_none) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut written = 0;
    let mut at = 0;
    // Whether the last block needs no blank line below.
    let mut is_apart = true;
    while at < lines.len() {
        let start = at + lines[at..].iter().take_while(|line| line.trim().is_empty()).count();
        let block = block_lines(&lines[start..]);
        let (opens_code, blanks) = (fence(lines.get(start)).is_some(), start - at);
        let wanted = (start..start + block).find_map(|line| Some((targets[line]? + start).saturating_sub(line)));
        let least = if is_apart || opens_code { 0 } else { blanks.min(1) };
        // If nothing is known, lines are saved, because lines can be added later.
        let count = wanted.map_or(blanks.min(1), |line| line.saturating_sub(written).max(least));
        out.push_str(&"\n".repeat(count));
        out.extend(lines[start..start + block].iter().copied());
        written += count + block;
        is_apart = opens_code || block == 1 && lines[start].starts_with('#');
        at = start + block;
    }
    Cow::Owned(out)
}

/// Returns the number of lines in the block at the beginning of `lines`. The block extends to a blank line, a fence or
/// the line after a heading, or is fenced code.
fn block_lines(lines: &[&str]) -> usize {
    if let Some((mark, length)) = fence(lines.first()) {
        let closes = |line: &&str| {
            fence(Some(line)).is_some_and(|(other, count)| other == mark && count >= length)
                && line.trim().chars().all(|c| c == mark)
        };
        return lines.iter().skip(1).position(closes).map_or(lines.len(), |last| last + 2);
    }
    let ends = |line: &&str| line.trim().is_empty() || fence(Some(line)).is_some();
    match lines.first() {
        Some(line) if line.starts_with('#') => 1,
        _ => lines.iter().position(ends).unwrap_or(lines.len()),
    }
}

/// Returns the mark of a fence and its length, if `line` begins with one.
fn fence(line: Option<&&str>) -> Option<(char, usize)> {
    let line = line?.trim_start();
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = line.chars().take_while(|&c| c == mark).count();
    (length >= 3 && !line[length..].contains('`')).then_some((mark, length))
}

/// Returns, for each of `lines`, its line in `source` if known, in ascending order.
fn targets(lines: &[&str], source: &[&str]) -> Vec<Option<usize>> {
    let keys: Vec<String> = lines.iter().map(|line| key(line)).collect();
    let source: Vec<String> = source.iter().map(|line| key(line)).collect();
    let mut places: BTreeMap<&str, [Option<(usize, bool)>; 2]> = BTreeMap::new();
    for (side, keys) in [&keys, &source].into_iter().enumerate() {
        for (number, key) in keys.iter().enumerate().filter(|(_, key)| key.len() >= MIN_LETTERS) {
            let place = &mut places.entry(key).or_default()[side];
            *place = Some(place.map_or((number, true), |(first, _)| (first, false)));
        }
    }
    let mut unique: Vec<(usize, usize)> = places
        .values()
        .filter_map(|place| match place {
            [Some((line, true)), Some((target, true))] => Some((*line, *target)),
            _ => None,
        })
        .collect();
    unique.sort_unstable();
    let mut targets = vec![None; lines.len()];
    // Equal lines before and after are the same, regardless of blank lines between them.
    let mut known = (None, None);
    let anchors = longest_ascending(&unique);
    for (number, &(line, target)) in anchors.iter().enumerate() {
        targets[line] = Some(target);
        let first = |known: Option<usize>| known.map_or(0, |known| known + 1);
        let before = (first(known.0)..line).rev().filter(|at| !keys[*at].is_empty());
        let in_source = (first(known.1)..target).rev().filter(|at| !source[*at].is_empty());
        for (at, in_source) in before.zip(in_source).take_while(|(at, other)| keys[*at] == source[*other]) {
            targets[at] = Some(in_source);
        }
        known = (Some(line), Some(target));
        let (end, last) = anchors.get(number + 1).copied().unwrap_or((keys.len(), source.len()));
        let after = (line + 1..end).filter(|at| !keys[*at].is_empty());
        let in_source = (target + 1..last).filter(|at| !source[*at].is_empty());
        for (at, in_source) in after.zip(in_source).take_while(|(at, other)| keys[*at] == source[*other]) {
            targets[at] = Some(in_source);
            known = (Some(at), Some(in_source));
        }
    }
    targets
}

/// A line without its marks.
fn key(line: &str) -> String {
    line.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Returns the longest subsequence of `pairs` that ascends on the right. The pairs ascend on the left.
fn longest_ascending(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length, the pair with the lowest right side that ends a subsequence of that length, and the predecessor
    // of each pair.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (number, (_, right)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < *right);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() {
            ends.push(number);
        } else {
            ends[length] = number;
        }
    }
    let mut found: Vec<_> =
        std::iter::successors(ends.last().copied(), |number| before[*number]).map(|number| pairs[number]).collect();
    found.reverse();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_was_removed_leaves_blank_lines() {
        assert_eq!(aligned("Body\n", "---\ntitle: A\n---\nBody\n"), "\n\n\nBody\n");
        let source =
            "---\na: b\n---\n# Title\n\n<!-- a\ncomment -->\n\nText of it.\n\n```\nText of it.\n```\nMore text.\n";
        let text = "# Title\n\n\nText of it.\n\n```\nText of it.\n```\nMore text.\n";
        assert_eq!(aligned(text, source), "\n\n\n# Title\n\n\n\n\nText of it.\n\n```\nText of it.\n```\nMore text.\n");
    }

    #[test]
    fn what_was_added_takes_blank_lines() {
        let source = "Title\n=====\n\nSee it::\n\n    code here\n\nAfter the code.\n";
        let text = "\n# Title\n\n\nSee it:\n\n```\ncode here\n```\n\n\nAfter the code.\n";
        assert_eq!(aligned(text, source), "# Title\n\n\nSee it:\n```\ncode here\n```\nAfter the code.\n");
    }

    #[test]
    fn code_is_not_changed() {
        let text = "First line.\n\n```\nab\n\n\ncd\n```\n\nLast line.\n";
        let source = "First line.\n\n\n\n\n.. code::\n\n   ab\n\n\n   cd\n\nLast line.\n";
        let found = aligned(text, source);
        assert!(found.contains("```\nab\n\n\ncd\n```\n") && found.lines().nth(12) == Some("Last line."), "{found}");
    }

    proptest! {
        #[test]
        fn no_text_is_lost(text in "([ab#`~é]{0,5}\n|word[a-d]{1,3}\n|\n|```\n){0,30}", source in "([ab é]{0,3}\n|word[a-d]{1,3}\n|\n){0,30}") {
            let found = aligned(&text, &source);
            let shown = |text: &str| text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect::<Vec<_>>();
            prop_assert_eq!(shown(&found), shown(&text));
            prop_assert!(found.len() <= text.len() + source.len() + 1);
        }

        #[test]
        fn the_longest_part_ascends(rights in prop::collection::btree_set(0usize..50, 0..12).prop_map(|set| set.into_iter().collect::<Vec<_>>()).prop_shuffle()) {
            let pairs: Vec<_> = rights.iter().copied().enumerate().collect();
            let found = longest_ascending(&pairs);
            prop_assert!(found.is_sorted() && found.is_sorted_by_key(|pair| pair.1));
            // The naive way checks each subset.
            let longest = (0u32..1 << pairs.len()).filter_map(|set| {
                let part: Vec<_> = (0..pairs.len()).filter(|number| (set >> number) & 1 == 1).map(|number| pairs[number].1).collect();
                part.is_sorted().then_some(part.len())
            }).max();
            prop_assert_eq!(Some(found.len()), longest);
        }
    }
}

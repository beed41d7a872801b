//! Shortens a long text to the passages around the words of a query.

use crate::analysis::Analyzer;
use std::ops::Range;

/// Marks a place where text was left out.
pub const CUT: &str = "\n\n[...]\n\n";
/// Ends a shortened text if the host sets no other notice.
pub const TRUNCATION_NOTICE: &str = "\n\n[... content truncated]";
/// Maximum number of bytes to keep on each side of a match.
const CONTEXT: usize = 500;
/// Maximum share of the budget that the context of one match may use, in percent.
const CONTEXT_SHARE: usize = 40;
/// Minimum number of remaining characters for showing a part of a passage.
const SMALLEST_PART: usize = 200;
/// Share at the end of a text, in percent, where a cut prefers a space.
const LAST_SHARE: usize = 20;

/// A passage around matches.
struct Passage {
    range: Range<usize>,
    /// The passage's different terms as bits. Terms after the first 63 share the last bit.
    terms: u64,
    matches: usize,
}

/// Returns at most `most_chars` characters of `text`. A text that fits is returned whole. Otherwise, the result
/// consists of the passages that contain the most `terms`, in text order, with marks where text was left out, and
/// `notice` at the end. Without a match, the result is the beginning of the text.
///
/// ```
/// use nearfind_core::analysis::Analyzer;
/// use nearfind_core::content::truncate;
///
/// let (before, after) = ("About branches. ".repeat(50), "About tags. ".repeat(50));
/// let text = format!("{before}\n\nRun git revert to undo a commit.\n\n{after}");
/// let short = truncate(&text, &Analyzer::ENGLISH, &["undo".into()], 200, "[shortened]");
/// assert!(short.contains("git revert") && short.len() < text.len());
/// assert!(short.ends_with("[shortened]"));
/// ```
pub fn truncate(text: &str, analyzer: &Analyzer, terms: &[String], most_chars: usize, notice: &str) -> String {
    if text.chars().count() <= most_chars {
        return text.to_owned();
    }
    let budget = most_chars.saturating_sub(notice.chars().count());
    let mut passages = passages(text, analyzer, terms, CONTEXT.min(budget * CONTEXT_SHARE / 100));
    // Passages with the most different terms come first, then those with the most matches, then earlier passages.
    passages
        .sort_by_key(|passage| (std::cmp::Reverse((passage.terms.count_ones(), passage.matches)), passage.range.start));
    let mut left = budget;
    let mut shown: Vec<Range<usize>> = Vec::new();
    for Passage { range, .. } in passages {
        // There may be a mark on each side.
        let Some(room) = left.checked_sub(2 * CUT.len()) else { break };
        let chars = text[range.clone()].chars().count();
        let range = match chars <= room {
            true => range,
            false if room >= SMALLEST_PART => range.start..range.start + cut(&text[range.clone()], room),
            false => continue,
        };
        left = room - text[range.clone()].chars().count();
        shown.push(range);
    }
    if shown.is_empty() {
        shown.push(0..cut(text, budget));
    }
    shown.sort_by_key(|range| range.start);
    let mut out = String::new();
    let mut end = 0;
    for range in shown {
        if range.start > end {
            out.push_str(if out.is_empty() { CUT.trim_start() } else { CUT });
        }
        out.push_str(text[range.clone()].trim_matches('\n'));
        end = range.end;
    }
    // A budget smaller than the notice has no room for it.
    let notice = if out.chars().count() + notice.chars().count() <= most_chars { notice } else { "" };
    out + notice
}

/// Returns the surroundings of all matches. Overlapping ones are joined.
fn passages(text: &str, analyzer: &Analyzer, terms: &[String], context: usize) -> Vec<Passage> {
    let mut passages: Vec<Passage> = Vec::new();
    let begins = |first| terms.iter().any(|term| term.starts_with(first));
    for token in analyzer.tokens_that_begin(text, false, &begins) {
        let Some(term) = terms.iter().position(|term| *term == token.term) else { continue };
        let bit = 1 << term.min(63);
        let range = around(text, token.range, context);
        match passages.last_mut().filter(|last| range.start <= last.range.end) {
            // A long run of matches is cut, so that its best part can be distinguished from the others.
            Some(last) if range.end - last.range.start <= 4 * context.max(1) => {
                last.range.end = last.range.end.max(range.end);
                last.terms |= bit;
                last.matches += 1;
            }
            last => {
                let from = last.map_or(range.start, |last| last.range.end);
                if from < range.end {
                    passages.push(Passage { range: from..range.end, terms: bit, matches: 1 });
                }
            }
        }
    }
    passages
}

/// Extends `range` by `context` bytes on both sides, and shrinks the result to the nearest spaces inside.
fn around(text: &str, range: Range<usize>, context: usize) -> Range<usize> {
    let mut start = text.ceil_char_boundary(range.start.saturating_sub(context));
    let mut end = text.floor_char_boundary(range.end + context);
    if start > 0 {
        start += text[start..range.start].find(char::is_whitespace).unwrap_or(0);
    }
    if end < text.len() {
        end = text[range.end..end].rfind(char::is_whitespace).map_or(end, |at| range.end + at);
    }
    start..end
}

/// Returns the length in bytes of at most `chars` characters of `text`, cut at a space if there is one near the end.
fn cut(text: &str, chars: usize) -> usize {
    let end = text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at);
    let space = text[..end].rfind(char::is_whitespace);
    space.filter(|&at| end < text.len() && at * 100 > end * (100 - LAST_SHARE)).unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn terms(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn what_fits_stays_whole() {
        assert_eq!(truncate("A short text.", &Analyzer::ENGLISH, &[], 13, TRUNCATION_NOTICE), "A short text.");
    }

    #[test]
    fn the_passages_that_answer_are_kept_in_order() {
        let filler = "Nothing of interest stands here. ".repeat(100);
        let text = format!(
            "# Title\n\n{filler}\n\nFormat a cell.\n\n{filler}\n\nCells have formatters: format each cell.\n\n{filler}"
        );
        let short = truncate(&text, &Analyzer::ENGLISH, &terms(&["cell", "format"]), 2000, TRUNCATION_NOTICE);
        assert!(short.chars().count() <= 2000, "{}", short.len());
        let (first, second) = (short.find("Format a cell").unwrap(), short.find("formatters").unwrap());
        assert!(
            first < second && short.ends_with(TRUNCATION_NOTICE) && short.matches(CUT.trim()).count() >= 2,
            "{short}"
        );
        assert!(!short.contains("# Title"));
    }

    #[test]
    fn without_a_match_the_beginning_is_kept_to_a_word() {
        let text = "word ".repeat(500);
        let short = truncate(&text, &Analyzer::ENGLISH, &terms(&["zebra"]), 200, TRUNCATION_NOTICE);
        let kept = short.strip_suffix(TRUNCATION_NOTICE).unwrap();
        assert!(kept.ends_with("word") && kept.starts_with("word"), "{kept}");
    }

    proptest! {
        #[test]
        fn the_budget_is_kept(text in "[a-cé \n🦀]{0,900}", most in 0usize..700) {
            let short = truncate(&text, &Analyzer::ENGLISH, &terms(&["a", "b", "ab"]), most, TRUNCATION_NOTICE);
            prop_assert!(short.chars().count() <= most.max(text.chars().count().min(most)), "{} > {most}", short.chars().count());
        }
    }
}

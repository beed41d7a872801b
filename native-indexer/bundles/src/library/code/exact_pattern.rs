//! The pattern of an exact search, which is a text or a regular expression, and the plan that selects the texts to
//! match.

use anyhow::{Context as _, Result, ensure};
use nearfind_core::grep::Plan;
use regex::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Look, LookSet};

/// Limit in bytes of a compiled regular expression.
const MAX_REGEX_BYTES: usize = 1 << 20;
/// Maximum size of a character class that may be one letter in several cases.
const MAX_CASES: u32 = 4;

/// A pattern that is matched line by line.
///
/// ```
/// use nearfind_bundles::library::ExactPattern;
///
/// assert!(ExactPattern::new("git revert", false, false).is_ok());
/// // An invalid expression is an error that says where.
/// assert!(ExactPattern::new("git (revert", true, false).is_err());
/// ```
#[derive(Clone, Debug)]
pub struct ExactPattern {
    regex: Regex,
    plan: Plan,
    /// Whether the expression refers to the start or end of the text, so that each line must be matched as a separate
    /// text.
    by_line: bool,
}

impl ExactPattern {
    /// Creates a pattern that matches `text` literally or as a regular expression. The pattern must not span lines,
    /// because lines are matched one by one.
    pub fn new(text: &str, is_regex: bool, is_case_sensitive: bool) -> Result<Self> {
        ensure!(!text.is_empty(), "there is no text to search for");
        ensure!(!text.contains('\n'), "lines are searched one by one: search for text within one line");
        let pattern = if is_regex { text.to_owned() } else { regex::escape(text) };
        let invalid = || format!("{text:?} is not a valid regular expression");
        let regex = RegexBuilder::new(&pattern)
            .case_insensitive(!is_case_sensitive)
            .multi_line(true)
            .crlf(true)
            .size_limit(MAX_REGEX_BYTES)
            .build()
            .with_context(invalid)?;
        let parsed = ParserBuilder::new()
            .case_insensitive(!is_case_sensitive)
            .multi_line(true)
            .crlf(true)
            .build()
            .parse(&pattern);
        let parsed = parsed.with_context(invalid)?;
        let mut ends = LookSet::singleton(Look::Start);
        ends.set_insert(Look::End);
        let by_line = !parsed.properties().look_set().intersect(ends).is_empty();
        Ok(Self { regex, plan: plan_of(&parsed), by_line })
    }

    /// Whether an index can exclude most texts, so that only a few must be read.
    #[must_use]
    pub fn is_narrow(&self) -> bool {
        self.plan != Plan::All
    }

    /// Returns the conditions that a line must meet to match.
    pub(crate) const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Appends the numbers of the matching lines in `text`, starting at 0.
    pub(crate) fn matching_lines(&self, text: &str, numbers: &mut Vec<u32>) {
        if self.by_line {
            let found = (0..).zip(text.lines()).filter(|(_, line)| self.regex.is_match(line));
            numbers.extend(found.map(|(number, _)| number));
            return;
        }
        // Jump from one line that may match to the next, because most lines do not.
        let (mut start, mut number) = (0, 0);
        while let Some(found) = self.regex.find_at(text, start).filter(|_| start < text.len()) {
            let line_start = text[start..found.start()].rfind('\n').map_or(start, |at| start + at + 1);
            number += text[start..line_start].bytes().filter(|byte| *byte == b'\n').count() as u32;
            let end = text[found.start()..].find('\n').map_or(text.len(), |at| found.start() + at);
            // A match that continues beyond the end of a line does not count.
            let line = text[line_start..].lines().next().unwrap_or_default();
            if line_start < text.len() && self.regex.is_match(line) {
                numbers.push(number);
            }
            start = end + 1;
            number += 1;
            if start >= text.len() {
                break;
            }
        }
    }

    /// Returns the byte offset in `line` where the first match begins.
    pub(crate) fn place_in(&self, line: &str) -> usize {
        self.regex.find(line).map_or(0, |found| found.start())
    }
}

/// Returns the conditions that every line must meet for `hir` to match it.
fn plan_of(hir: &Hir) -> Plan {
    let mut plans = Vec::new();
    let mut run = Vec::new();
    add(hir, &mut run, &mut plans);
    plans.push(Plan::of_bytes(&run));
    Plan::and(plans)
}

/// Adds the conditions of `hir`. `run` contains the literal bytes directly before it.
fn add(hir: &Hir, run: &mut Vec<u8>, plans: &mut Vec<Plan>) {
    let end = |run: &mut Vec<u8>, plans: &mut Vec<Plan>| plans.push(Plan::of_bytes(&std::mem::take(run)));
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => run.extend_from_slice(&literal.0),
        HirKind::Class(class) => match one_letter(class) {
            Some(letter) => run.extend(letter),
            None => end(run, plans),
        },
        HirKind::Capture(capture) => add(&capture.sub, run, plans),
        HirKind::Concat(parts) => parts.iter().for_each(|part| add(part, run, plans)),
        HirKind::Repetition(repeated) => {
            if repeated.min > 0 {
                add(&repeated.sub, run, plans);
            }
            if repeated.max != Some(1) || repeated.min != 1 {
                end(run, plans);
            }
        }
        HirKind::Alternation(alternatives) => {
            end(run, plans);
            plans.push(Plan::or(alternatives.iter().map(plan_of)));
        }
    }
}

/// If `class` consists of the cases of one letter, and an index does not distinguish these cases, returns the letter.
fn one_letter(class: &Class) -> Option<Vec<u8>> {
    let Class::Unicode(class) = class else { return None };
    let chars = class.ranges().iter().map(|range| range.end() as u32 - range.start() as u32 + 1).sum::<u32>();
    if chars > MAX_CASES {
        return None;
    }
    let mut folded = class.ranges().iter().flat_map(|range| range.start()..=range.end()).map(|c| {
        let mut bytes = [0; 4];
        nearfind_core::grep::fold(c.encode_utf8(&mut bytes).as_bytes())
    });
    let first = folded.next()?;
    folded.all(|other| other == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearfind_core::grep::{fold, trigrams_of};
    use proptest::prelude::*;

    fn lines(text: &str, pattern: &str, is_regex: bool, is_case_sensitive: bool) -> Vec<u32> {
        let mut numbers = Vec::new();
        ExactPattern::new(pattern, is_regex, is_case_sensitive).unwrap().matching_lines(text, &mut numbers);
        numbers
    }

    #[test]
    fn literals_are_literal_and_case_counts_where_asked_for() {
        let text = "a.b\nA.B\naxb\n";
        assert_eq!(lines(text, "a.b", false, false), [0, 1]);
        assert_eq!(lines(text, "a.b", false, true), [0]);
        assert_eq!(lines(text, "a.b", true, true), [0, 2]);
        assert_eq!(lines(text, "^a|B$", true, true), [0, 1, 2]);
        assert_eq!(lines("x\r\n y\r\n", r"^\s*y$", true, true), [1], "a carriage return is no part of a line");
    }

    #[test]
    fn what_cannot_be_looked_for_is_refused() {
        for (pattern, is_regex) in
            [("", false), ("a\nb", false), ("(", true), ("a{99999}{999}", true), (r"(?-u:\xff)", true)]
        {
            assert!(ExactPattern::new(pattern, is_regex, false).is_err(), "{pattern:?}");
        }
    }

    #[test]
    fn a_plan_has_what_every_match_has() {
        let plan = |pattern: &str, is_case_sensitive| ExactPattern::new(pattern, true, is_case_sensitive).unwrap().plan;
        let has = |text: &str| Plan::of_text(text);
        assert_eq!(plan(r"static\s+int\s+\w+_init\(", true), Plan::and([has("static"), has("int"), has("_init(")]));
        assert_eq!(plan("(?:spin_)lock|MUTEX_\\w+", false), Plan::or([has("spin_lock"), has("mutex_")]));
        assert_eq!(plan("[Tt]odo(?:fix)?me", true), Plan::and([has("todo")]));
        assert_eq!(plan("kelvins", false), has("kelvins"), "its letters have cases of their own");
        assert_eq!(plan(r"\w+", true), Plan::All);
    }

    proptest! {
        /// The oracle matches every line separately.
        #[test]
        fn every_line_that_matches_is_found(
            text in "[abkK. \n\r]{0,40}",
            pattern in r"([abk. ]{1,3}|\(a\|b\)|\[ab\]|[*+?]|\^|\$|\\s|\\A|\\z|\\b){1,5}",
            is_case_sensitive in any::<bool>(),
        ) {
            if let Ok(pattern) = ExactPattern::new(&pattern, true, is_case_sensitive) {
                let expected: Vec<u32> = (0..).zip(text.lines()).filter(|(_, line)| pattern.regex.is_match(line)).map(|(number, _)| number).collect();
                let mut found = Vec::new();
                pattern.matching_lines(&text, &mut found);
                prop_assert_eq!(&found, &expected);
                for line in text.lines().filter(|line| pattern.regex.is_match(line)) {
                    let trigrams = trigrams_of(&fold(line.as_bytes()));
                    prop_assert!(pattern.plan.admits(&|trigram| trigrams.contains(&trigram)), "{}", line);
                }
            }
        }
    }
}

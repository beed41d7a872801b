//! Chooses the passage of a chunk to show: the one that, with its heading, contains the most query terms.

use super::passages::{Match, Passage, holds, passages};
use super::render::{EXCERPT_BYTES, Excerpt, render};
use crate::analysis::{Analyzer, key_of};
use crate::records::{ChunkRecord, SectionStart};
use std::ops::Range;

/// An excerpt looks for the start of the sentence in this many bytes before the first match.
const LEAD_BYTES: usize = 80;
/// Weight of a query term that appears in the passage's heading but not in its text.
const HEADING: f32 = 0.5;
/// Weight of code. It is below 1, because sentences tell readers more.
const CODE: f32 = 0.8;
/// Length in bytes below which a passage tells little by itself.
const SHORT_BYTES: usize = 60;
/// Maximum size in bytes of list items that are shown together.
const LIST_BYTES: usize = 120;

/// The terms and the key of a query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'a> {
    /// The terms of the query with their weights.
    pub terms: &'a [(String, f32)],
    /// The rules of the question's language.
    pub analyzer: &'a Analyzer,
    /// The key of the question: see [`key_of`]. A heading with the same key is the one that the question means.
    pub key: &'a str,
}

/// Returns the best passage of `chunk`. Without a match, this is the first passage that is long enough to be
/// informative.
pub(crate) fn best_excerpt(chunk: &ChunkRecord, wanted: Wanted<'_>) -> Excerpt {
    let text = chunk.text.as_str();
    let mut found = passages(text, chunk.starts_in_code, chunk.is_source);
    let matches = matches_of(text, wanted, chunk.is_source);
    let headings: Vec<(u64, bool)> = chunk.sections.iter().map(|section| heading(section, wanted)).collect();
    let score = |passage: &Passage| {
        let mut has = 0;
        for (term, range) in &matches {
            if holds(&passage.parts, range) {
                has |= bit(*term);
            }
        }
        let mut score = sum(wanted.terms, has);
        let after = chunk.sections.partition_point(|section| section.at as usize <= passage.start());
        if let Some((in_heading, is_meant)) = headings.get(after.saturating_sub(1)) {
            score += HEADING * sum(wanted.terms, in_heading & !has);
            if *is_meant {
                score += f32::from(u16::MAX);
            }
        }
        let counted = if passage.is_code { score * CODE } else { score };
        // Among equal passages, prefer one that is long enough to be informative.
        if passage.is_code || passage.len() < SHORT_BYTES { counted } else { counted + f32::EPSILON + counted * 0.01 }
    };
    let mut best: Option<(f32, usize)> = None;
    for (number, passage) in found.iter().enumerate() {
        let score = score(passage);
        if best.is_none_or(|(most, _)| score > most) {
            best = Some((score, number));
        }
    }
    let Some((_, number)) = best else { return Excerpt::default() };
    let mut passage = std::mem::take(&mut found[number]);
    // Short items mean little by themselves.
    for next in found[number + 1..].iter().take_while(|next| next.continues_list) {
        if passage.is_code || passage.len() >= SHORT_BYTES || passage.len() + next.len() > LIST_BYTES {
            break;
        }
        passage.parts.extend_from_slice(&next.parts);
    }
    if passage.is_row && passage.len() > EXCERPT_BYTES {
        // Keep the first cell and the cells with matches.
        let mut kept = Passage { is_row: true, ..Passage::default() };
        for cell in passage.parts.chunks(2) {
            if kept.parts.is_empty() || matches.iter().any(|(_, range)| holds(cell, range)) {
                kept.parts.extend_from_slice(cell);
            }
        }
        if kept.parts.len() > 2 {
            passage = kept;
        }
    }
    let window = window(text, &passage, &matches);
    render(text, &passage, &window, &matches)
}

fn matches_of(text: &str, wanted: Wanted<'_>, is_code: bool) -> Vec<Match> {
    let Wanted { terms, analyzer, .. } = wanted;
    let begins = |first: char| terms.iter().any(|(term, _)| term.starts_with(first));
    let tokens = analyzer.tokens_that_begin(text, is_code, &begins).into_iter();
    let number = |term: &str| terms.iter().position(|(known, _)| *known == term);
    tokens.filter_map(|token| Some((number(&token.term)?, token.range))).collect()
}

/// Returns the terms in the heading of a section, and whether the question means this heading.
fn heading(section: &SectionStart, wanted: Wanted<'_>) -> (u64, bool) {
    let title = after_last(&section.title, " > ").map_or(section.title.as_str(), |at| &section.title[at..]);
    let has = matches_of(title, wanted, false).iter().fold(0, |has, (term, _)| has | bit(*term));
    let is_meant = has > 0 && key_of(wanted.analyzer, title) == wanted.key;
    (has, is_meant)
}

/// Returns the bit of a term in a set of terms. Terms after the first 63 share the last bit.
fn bit(term: usize) -> u64 {
    1 << term.min(63)
}

fn sum(terms: &[(String, f32)], has: u64) -> f32 {
    let mut sum = 0.0;
    for (term, (_, weight)) in terms.iter().enumerate() {
        if has & bit(term) > 0 {
            sum += weight;
        }
    }
    sum
}

/// Returns the range of a passage to show: all of it, or as much as fits around most of the matches.
fn window(text: &str, passage: &Passage, matches: &[Match]) -> Range<usize> {
    if passage.len() <= EXCERPT_BYTES {
        return passage.start()..passage.end();
    }
    let before = |end: usize| matches.partition_point(|(_, range)| range.start < end);
    let matches = &matches[before(passage.start())..before(passage.end())];
    let start = match best_run(matches) {
        Some(first) => {
            let at = matches[first].1.start;
            let part = passage.parts.iter().rfind(|part| part.start <= at).map_or(passage.start(), |part| part.start);
            window_start(text, part, at)
        }
        None => passage.start(),
    };
    start..window_end(text, start, passage.end())
}

/// Returns the match where the best window begins: the one with the most different terms, then the most matches. Among
/// equals, the earliest match wins.
fn best_run(matches: &[Match]) -> Option<usize> {
    let mut best: Option<((u32, usize), usize)> = None;
    for (first, (_, range)) in matches.iter().enumerate() {
        let (mut has, mut count) = (0, 0);
        for (term, next) in &matches[first..] {
            if next.end > range.start + EXCERPT_BYTES - LEAD_BYTES {
                break;
            }
            has |= bit(*term);
            count += 1;
        }
        let value = (u64::count_ones(has), count);
        if best.is_none_or(|(most, _)| value > most) {
            best = Some((value, first));
        }
    }
    best.map(|(_, first)| first)
}

/// Returns the start of the sentence around `first` if that is near, or else the start of a nearby word.
fn window_start(text: &str, passage: usize, first: usize) -> usize {
    let from = text.floor_char_boundary(first.saturating_sub(LEAD_BYTES));
    if from <= passage {
        return passage;
    }
    let lead = &text[from..first];
    let sentence = after_last(lead, ". ");
    let word = lead.find([' ', '\n']).map(|at| at + 1);
    from + sentence.or(word).unwrap_or(lead.len())
}

/// Returns the offset after the last occurrence of `marks` in `text`. The standard library's search from the end would
/// enlarge every page.
fn after_last(text: &str, marks: &str) -> Option<usize> {
    let at = text.as_bytes().windows(marks.len()).rposition(|window| window == marks.as_bytes())?;
    Some(at + marks.len())
}

fn window_end(text: &str, start: usize, passage_end: usize) -> usize {
    if passage_end - start <= EXCERPT_BYTES {
        return passage_end;
    }
    let end = text.floor_char_boundary(start + EXCERPT_BYTES);
    let passage = &text[start..end];
    start + passage.rfind(char::is_whitespace).filter(|&at| at > passage.len() / 2).unwrap_or(passage.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn excerpt(text: &str, terms: &[&str]) -> Excerpt {
        let terms: Vec<(String, f32)> = terms.iter().map(|term| ((*term).to_owned(), 1.0)).collect();
        let chunk = ChunkRecord { text: text.to_owned(), ..ChunkRecord::default() };
        best_excerpt(&chunk, Wanted { terms: &terms, analyzer: &Analyzer::ENGLISH, key: "" })
    }

    fn highlighted(excerpt: &Excerpt) -> Vec<String> {
        let units: Vec<u16> = excerpt.text.encode_utf16().collect();
        let cut = |[from, to]: &[u32; 2]| String::from_utf16(&units[*from as usize..*to as usize]).unwrap();
        excerpt.highlights.iter().map(cut).collect()
    }

    #[test]
    fn the_passage_with_most_of_the_words_is_shown_without_its_heading() {
        let filler = "Nothing of interest stands here at all. ".repeat(20);
        let chunk = format!("A cell is a cell.\n{filler}\n## Format cells\n\nUse `formatters` to format a **cell**.\n");
        let excerpt = excerpt(&chunk, &["cell", "format", "formatt"]);
        assert_eq!(excerpt.text, "Use formatters to format a cell.");
        assert_eq!(highlighted(&excerpt), ["formatters", "format", "cell"]);
    }

    #[test]
    fn a_passage_answers_for_its_own_heading() {
        let text = "## Cloudflare Pages\n\nDeploy your pages by Git and push to see them built again.\n\n## GitHub Pages\n\nSet the base, and let an action do the rest for every push.\n";
        let section = |title: &str| SectionStart {
            at: text.find(&format!("## {title}")).unwrap() as u32,
            title: format!("Static > {title}"),
            anchor: String::new(),
        };
        let sections = vec![section("Cloudflare Pages"), section("GitHub Pages")];
        let chunk = ChunkRecord { sections, text: text.to_owned(), ..ChunkRecord::default() };
        let terms = [("deploy".to_owned(), 1.0), ("github".to_owned(), 4.0), ("page".to_owned(), 0.5)];
        let found = best_excerpt(&chunk, Wanted { terms: &terms, analyzer: &Analyzer::ENGLISH, key: "" });
        assert!(found.text.starts_with("Set the base"), "{}", found.text);
        let terms = [("cloudflar".to_owned(), 1.0), ("page".to_owned(), 1.0), ("push".to_owned(), 9.0)];
        let found = best_excerpt(
            &chunk,
            Wanted {
                terms: &terms,
                analyzer: &Analyzer::ENGLISH,
                key: &key_of(&Analyzer::ENGLISH, "Cloudflare pages"),
            },
        );
        assert!(found.text.starts_with("Deploy"), "the heading that the question names: {}", found.text);
    }

    #[test]
    fn rows_and_short_items_are_shown_with_marks_between() {
        assert_eq!(excerpt("| --gamma | Does things |\n", &["gamma"]).text, "--gamma · Does things");
        assert_eq!(excerpt("- one\n- two\n- three\n", &["two"]).text, "two · three");
        assert_eq!(
            excerpt("See [the guide](guide.md), ![a cat](cat.png) *and* **more**.\n", &["guid"]).text,
            "See the guide, *and* more."
        );
        assert_eq!(excerpt("Call `f(*args, **kwargs)` **now**.\n", &["f"]).text, "Call f(*args, **kwargs) now.");
        assert_eq!(excerpt("```\nf(**kwargs)  # `x`\n```\n", &["f"]).text, "f(**kwargs) # `x`");
    }

    #[test]
    fn a_row_is_shown_with_the_names_of_its_columns() {
        let ducks = "| Year | Freshwater ducks | Saltwater ducks |\n| --- | --- | --- |\n| 2020 | 135 | 95 |\n| 2021 | 150 | 100 |\n";
        let found = excerpt(ducks, &["saltwat", "duck", "2021"]);
        assert_eq!(found.text, "Year: 2021 · Freshwater ducks: 150 · Saltwater ducks: 100");
        assert_eq!(highlighted(&found), ["2021"], "links lead to what is highlighted: to the row");
        assert_eq!(excerpt(ducks, &["freshwat"]).text, "Year: 2020 · Freshwater ducks: 135 · Saltwater ducks: 95");
        assert_eq!(excerpt("| `a` | **b** |\n|---|---|\n| x\u{2028}y | |\n", &["y"]).text, "a: x · y");
    }

    #[test]
    fn of_a_wide_row_the_first_cell_and_those_that_were_asked_for_are_shown() {
        let row = |cell: &dyn Fn(usize) -> String| {
            format!("|{}\n", (0..40).map(|n| format!(" {} |", cell(n))).collect::<String>())
        };
        let table = row(&|n| format!("column{n}")) + &row(&|_| "---".into()) + &row(&|n| format!("value{n}"));
        let found = excerpt(&table, &["value7", "column31"]);
        assert_eq!(found.text, "column0: value0 · column7: value7 · column31: value31");
        assert!(excerpt(&table, &[]).text.starts_with("column0: value0 · column1: value1"));
        let long = format!("| Option | Meaning |\n|---|---|\n| a | {}the end |\n", "many words ".repeat(60));
        assert!(excerpt(&long, &["end"]).text.ends_with("words the end"), "{}", excerpt(&long, &["end"]).text);
    }

    #[test]
    fn without_a_match_the_first_passage_that_tells_something_is_shown() {
        let text = "# Title\n\n```rust\nlet x = 1;\n```\n\nShort.\n\nA sentence that is long enough to tell what the page is about.\n";
        assert!(excerpt(text, &[]).text.starts_with("A sentence"));
        assert_eq!(excerpt("# Title\n\n```rust\nlet x = 1;\n```\n", &[]).text, "let x = 1;");
        assert_eq!(excerpt("# Title\n", &["titl"]).text, "");
    }

    #[test]
    fn offsets_are_utf16() {
        assert_eq!(excerpt("🦀🦀 crab", &["crab"]).highlights, [[5, 9]]);
    }

    proptest! {
        #[test]
        fn any_text_gives_an_excerpt_with_ranges_inside(text in "[a-c🦀é`*# \n.>|\\[\\]()-]{0,800}") {
            let excerpt = excerpt(&text, &["a", "b", "ab"]);
            let length = excerpt.text.encode_utf16().count() as u32;
            let mut last = 0;
            for [from, to] in &excerpt.highlights {
                prop_assert!(last <= *from && from < to && *to <= length);
                last = *to;
            }
            prop_assert!(!excerpt.text.contains('\n') && excerpt.text.trim() == excerpt.text);
        }
    }
}

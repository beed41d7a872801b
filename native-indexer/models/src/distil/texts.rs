//! The texts that a table is fitted to: short texts like queries, drawn from the corpus. The draw is seeded, so that
//! the same corpus yields the same texts. Some documents are set aside to judge the table.

use crate::model::GeneralEnglish;
use nearfind_core::bundle::BundleDocument;
use std::collections::{BTreeMap, BTreeSet};

/// Number of texts to draw per chunk, and in total. Encoding them is most of the work.
const TEXTS_PER_CHUNK: usize = 3;
const MAX_TEXTS: usize = 20_000;
/// Number of texts to draw per chunk, and in total, from a small site if no general English helps.
const TEXTS_PER_CHUNK_ALONE: usize = 12;
const MAX_TEXTS_ALONE: usize = 6_000;
/// Shares of the kinds of text, in hundredths. If there are too few headings, spans replace them.
const HEADINGS: usize = 14;
const QUESTIONS: usize = 10;
const SENTENCES: usize = 9;
const SYNONYMS: usize = 14;
/// Number of words in a span of running text.
const SPAN_WORDS: std::ops::RangeInclusive<usize> = 2..=12;
/// Number of words in a sentence.
const SENTENCE_WORDS: std::ops::RangeInclusive<usize> = 5..=24;
/// Probability that a word with synonyms is replaced.
const REPLACED: f64 = 0.4;
/// One document in this many is kept for judging, up to a total.
const JUDGED_STRIDE: usize = 20;
const JUDGED_DOCUMENTS: usize = 60;
/// Number of texts to draw from each document that is kept for judging.
const JUDGED_TEXTS: usize = 4;
const SEED: u64 = 0x6e65_6172_6669_6e64;

/// Phrases that readers use to turn a subject into a question.
const TEMPLATES: [&str; 8] = [
    "how do i {}",
    "how to {}",
    "what is {}",
    "what does {} do",
    "{} example",
    "why does {} not work",
    "when should i use {}",
    "where can i set {}",
];

/// A text and its document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Judged {
    pub text: String,
    pub document: usize,
}

/// Texts for the fit, and texts from other documents for judging it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Texts {
    pub to_fit: Vec<String>,
    pub to_judge: Vec<Judged>,
}

impl Texts {
    /// Draws texts from `documents`. `english` provides synonyms.
    pub(super) fn draw(documents: &[BundleDocument], english: &GeneralEnglish) -> Self {
        let stride = JUDGED_STRIDE.max(documents.len().div_ceil(JUDGED_DOCUMENTS));
        let is_judged = |number: usize| number % stride == stride / 2;
        let mut random = fastrand::Rng::with_seed(SEED);
        let mut to_judge = Vec::new();
        for (number, document) in documents.iter().enumerate().filter(|(number, _)| is_judged(*number)) {
            let mut texts = headings(document);
            random.shuffle(&mut texts);
            texts.truncate(JUDGED_TEXTS);
            to_judge.extend(texts.into_iter().map(|text| Judged { text, document: number }));
        }
        let fitted: Vec<&BundleDocument> = documents
            .iter()
            .enumerate()
            .filter(|(number, _)| !is_judged(*number))
            .map(|(_, document)| document)
            .collect();
        let to_fit = draw_fitted(&fitted, english, &mut random);
        Self { to_fit, to_judge }
    }
}

fn draw_fitted(documents: &[&BundleDocument], english: &GeneralEnglish, random: &mut fastrand::Rng) -> Vec<String> {
    let chunks: Vec<&str> = documents
        .iter()
        .flat_map(|document| document.chunks.iter().map(|chunk| &document.text[chunk.range.clone()]))
        .collect();
    if chunks.is_empty() {
        return Vec::new();
    }
    let alone = if english.is_for_floors { (chunks.len() * TEXTS_PER_CHUNK_ALONE).min(MAX_TEXTS_ALONE) } else { 0 };
    let wanted = (chunks.len() * TEXTS_PER_CHUNK).min(MAX_TEXTS).max(alone);
    let share = |hundredths: usize| wanted * hundredths / 100;
    let subjects: BTreeSet<String> = documents.iter().flat_map(|document| headings(document)).collect();
    let mut subjects: Vec<String> = subjects.into_iter().collect();
    random.shuffle(&mut subjects);

    let mut texts: BTreeSet<String> = subjects.iter().take(share(HEADINGS)).cloned().collect();
    for subject in subjects.iter().cycle().take(share(QUESTIONS).min(subjects.len() * TEMPLATES.len())) {
        let template = TEMPLATES[random.usize(..TEMPLATES.len())];
        texts.insert(template.replace("{}", &subject.to_lowercase()));
    }
    let sentences: Vec<String> = (0..share(SENTENCES + SYNONYMS))
        .filter_map(|_| sentence(chunks[random.usize(..chunks.len())], random))
        .collect();
    texts.extend(sentences.iter().take(share(SENTENCES)).cloned());
    for text in sentences.iter().skip(share(SENTENCES)).chain(subjects.iter().take(share(SYNONYMS) / 2)) {
        texts.extend(reworded(text, &english.synonyms, random));
    }
    // A draw that repeats a text or finds too little text yields nothing, so the number of draws is limited: a corpus
    // with only a few words must not draw forever.
    for _ in 0..wanted * 2 {
        if texts.len() >= wanted {
            break;
        }
        texts.extend(span(chunks[random.usize(..chunks.len())], random));
    }
    texts.into_iter().collect()
}

/// Returns a document's title, and the innermost heading of each of its sections.
fn headings(document: &BundleDocument) -> Vec<String> {
    let titles = document.chunks.iter().flat_map(|chunk| &chunk.sections).map(|section| section.title.as_str());
    let innermost = titles.filter_map(|title| title.rsplit(" > ").next());
    let all: BTreeSet<String> = std::iter::once(document.record.title.as_str())
        .chain(innermost)
        .map(readable)
        .filter(|title| title.split(' ').count() >= 2)
        .collect();
    all.into_iter().collect()
}

/// Draws some consecutive words.
fn span(chunk: &str, random: &mut fastrand::Rng) -> Option<String> {
    let words: Vec<&str> = chunk.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).collect();
    let length = random.usize(SPAN_WORDS);
    let start = random.usize(..=words.len().checked_sub(length)?);
    Some(readable(&words[start..start + length].join(" "))).filter(|text| !text.is_empty())
}

/// Draws a sentence of prose.
fn sentence(chunk: &str, random: &mut fastrand::Rng) -> Option<String> {
    let is_prose = |line: &&str| line.starts_with(char::is_alphabetic);
    let prose: Vec<&str> = chunk.lines().filter(is_prose).collect();
    let joined = prose.join(" ");
    let sentences: Vec<&str> = joined.split_inclusive(". ").collect();
    let text = readable(sentences.get(random.usize(..sentences.len().max(1)))?);
    SENTENCE_WORDS.contains(&text.split(' ').count()).then_some(text)
}

/// Returns the text with some words replaced by synonyms, or `None` if no word was replaced.
fn reworded(text: &str, synonyms: &BTreeMap<String, Vec<String>>, random: &mut fastrand::Rng) -> Option<String> {
    let mut changed = false;
    let words = text.split(' ').map(|word| {
        let others = synonyms.get(word.to_lowercase().as_str()).filter(|_| random.f64() < REPLACED);
        match others {
            Some(others) => {
                changed = true;
                others[random.usize(..others.len())].clone()
            }
            None => word.to_owned(),
        }
    });
    let text = words.collect::<Vec<_>>().join(" ");
    changed.then_some(text)
}

/// Returns the text without Markdown marks, and with single spaces.
fn readable(text: &str) -> String {
    let plain: String = text.chars().map(|c| if matches!(c, '#' | '*' | '|' | '`' | '>') { ' ' } else { c }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearfind_core::bundle::BundleChunk;
    use nearfind_core::records::{DocumentRecord, SectionStart};

    fn documents(count: usize) -> Vec<BundleDocument> {
        let document = |number: usize| {
            let text = format!(
                "Page {number} begins with a door. It shows how the window of house {number} opens to the garden."
            );
            let section = SectionStart { at: 0, title: format!("Guide > Open window {number}"), anchor: String::new() };
            BundleDocument {
                record: DocumentRecord { title: format!("Guide number {number}"), ..DocumentRecord::default() },
                chunks: vec![BundleChunk { range: 0..text.len(), sections: vec![section], ..BundleChunk::default() }],
                text,
                ..BundleDocument::default()
            }
        };
        (0..count).map(document).collect()
    }

    #[test]
    fn the_draw_is_the_same_each_time_and_keeps_documents_apart() {
        let synonyms = [("begins".to_owned(), vec!["starts".to_owned()])].into();
        let english = GeneralEnglish { synonyms, ..GeneralEnglish::default() };
        let drawn = Texts::draw(&documents(100), &english);
        assert_eq!(drawn, Texts::draw(&documents(100), &english));
        assert_eq!(drawn.to_judge.len(), 10);
        assert!(drawn.to_fit.len() > 200, "{}", drawn.to_fit.len());
        for judged in &drawn.to_judge {
            let own = format!(" {} ", judged.document);
            assert!(drawn.to_fit.iter().all(|text| !format!(" {text} ").contains(&own)), "{own}");
        }
        assert!(drawn.to_fit.iter().any(|text| text.contains("starts")));
    }

    #[test]
    fn little_text_draws_little() {
        assert_eq!(Texts::draw(&[], &GeneralEnglish::default()), Texts::default());
        let mut tiny = documents(1);
        tiny[0].text = "x".into();
        tiny[0].chunks[0].range = 0..1;
        assert!(Texts::draw(&tiny, &GeneralEnglish::default()).to_fit.len() < 4);
    }
}

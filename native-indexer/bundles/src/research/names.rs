//! Names of clusters: the words that distinguish a cluster from others, and its folder.

use super::passages::Passage;
use nearfind_core::analysis::is_stop_word;
use std::collections::{BTreeMap, BTreeSet};

/// Number of words in a name.
const WORDS: usize = 4;
/// Lengths of words in characters. Shorter words mean little, and longer words are data.
const WORD_CHARS: std::ops::RangeInclusive<usize> = 3..=32;
/// Weight of a word in titles, headings and symbols, relative to a word in the text.
const HEADING_WEIGHT: f32 = 3.0;

/// Returns the name of each cluster.
pub(super) fn names<'a>(clusters: impl Iterator<Item = &'a [Passage]>) -> Vec<String> {
    let clusters: Vec<&[Passage]> = clusters.collect();
    let weights: Vec<BTreeMap<String, f32>> = clusters.iter().map(|passages| weights(passages)).collect();
    let mut totals: BTreeMap<&str, f32> = BTreeMap::new();
    for (word, weight) in weights.iter().flatten() {
        *totals.entry(word).or_default() += weight;
    }
    let name = |(passages, weights): (&&[Passage], &BTreeMap<String, f32>)| {
        // The word's share in this cluster of its total weight, times its weight here.
        let worth = |(word, weight): &(&String, &f32)| *weight * *weight / totals[word.as_str()];
        let mut words: Vec<(&String, &f32)> = weights.iter().collect();
        words.sort_by(|a, b| worth(b).total_cmp(&worth(a)).then_with(|| a.0.cmp(b.0)));
        let mut chosen: Vec<&str> = Vec::new();
        for (word, _) in words {
            // Several forms of a word mean the same.
            let is_new = chosen.iter().all(|known| !known.starts_with(word.as_str()) && !word.starts_with(known));
            if is_new && chosen.len() < WORDS {
                chosen.push(word);
            }
        }
        match folder(passages) {
            Some(folder) => format!("{} ({folder})", chosen.join(", ")),
            None => chosen.join(", "),
        }
    };
    clusters.iter().zip(&weights).map(name).collect()
}

/// Returns the weight of each word in the passages. It depends on the number of passages that contain the word.
fn weights(passages: &[Passage]) -> BTreeMap<String, f32> {
    let mut weights: BTreeMap<String, f32> = BTreeMap::new();
    for passage in passages {
        let symbols = passage.symbols.iter().flat_map(|symbol| words(symbol));
        let headings: BTreeSet<String> = words(&passage.title).chain(words(&passage.section)).chain(symbols).collect();
        // Most words of source code belong to the programming language.
        let text = if passage.is_code { "" } else { &passage.text };
        let text: BTreeSet<String> = words(text).filter(|word| !headings.contains(word)).collect();
        headings.into_iter().for_each(|word| *weights.entry(word).or_default() += HEADING_WEIGHT);
        text.into_iter().for_each(|word| *weights.entry(word).or_default() += 1.0);
    }
    weights
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_lowercase);
    words.filter(|word| {
        WORD_CHARS.contains(&word.chars().count()) && word.starts_with(char::is_alphabetic) && !is_stop_word(word)
    })
}

/// Returns the deepest folder that contains all files, with the project's name in front, or `None` if the files belong
/// to several projects.
fn folder(passages: &[Passage]) -> Option<String> {
    let (first, others) = passages.split_first()?;
    let mut common: Vec<&str> = first.path.split('/').collect();
    for other in others {
        if other.project != first.project {
            return None;
        }
        let same = common.iter().zip(other.path.split('/')).take_while(|(a, b)| **a == *b).count();
        common.truncate(same);
    }
    common.insert(0, &first.project);
    Some(common.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_what_others_do_not_say() {
        let passage = |path: &str, section: &str, text: &str| Passage {
            project: "site".to_owned(),
            path: path.to_owned(),
            section: section.to_owned(),
            text: text.to_owned(),
            ..Passage::default()
        };
        let first = [
            passage("docs/net/retry.md", "Retries", "The server retries requests."),
            passage("docs/net/pause.md", "Pauses", "The server pauses between retries."),
        ];
        let second = [passage("docs/keys.md", "Keys", "The server reads keys.")];
        let names = names([first.as_slice(), second.as_slice()].into_iter());
        assert!(names[0].starts_with("retries, pauses") && names[0].ends_with("(site/docs/net)"), "{names:?}");
        assert!(names[1].starts_with("keys") && names[1].ends_with("(site/docs/keys.md)"), "{names:?}");
        let other = Passage { project: "other".to_owned(), ..Passage::default() };
        assert_eq!(folder(&[first[0].clone(), other]), None);
    }
}

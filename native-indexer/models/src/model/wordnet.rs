//! General English from WordNet's database files: short definitions and examples, and synonyms. The result is a small
//! file that ships with the program.

use anyhow::{Context as _, Result, ensure};
use nearfind_base::installed_files::installed;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Maximum number of words in a definition or example that resembles a query.
const MAX_WORDS: usize = 12;
/// Number of texts, spread evenly over the common senses.
const TEXTS: usize = 12_000;

/// Name of the file that ships with the program.
const FILE: &str = "english.json";

/// Texts and synonyms from WordNet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GeneralEnglish {
    /// The notice at the start of WordNet's files.
    pub notice: String,
    /// Definitions and examples.
    pub texts: Vec<String>,
    /// Synonyms of a word in its first sense.
    pub synonyms: BTreeMap<String, Vec<String>>,
    /// Whether the site is in a different language. In that case, the texts only help to recognize unrelated questions.
    #[serde(skip)]
    pub is_for_floors: bool,
}

/// Returns the file that ships with the program, if there is one.
pub(super) fn english_beside_program() -> Option<PathBuf> {
    installed(FILE, Path::is_file)
}

impl GeneralEnglish {
    /// Reads the file that ships with the program. The result is empty if there is no such file.
    pub fn installed() -> Result<Self> {
        Ok(english_beside_program().as_deref().map(Self::read).transpose()?.unwrap_or_default())
    }

    /// Reads WordNet 3 from its folder `dict`, or from the file that was made from it.
    pub fn read(path: &Path) -> Result<Self> {
        if !path.is_file() {
            return read_wordnet(path);
        }
        let file = std::fs::File::open(path).with_context(|| path.display().to_string())?;
        let english = serde_json::from_reader(std::io::BufReader::new(file));
        english.with_context(|| format!("{} was not written by `nearfind model prepare --condense`", path.display()))
    }

    /// Writes the file.
    pub fn write(&self, path: &Path) -> Result<()> {
        std::fs::write(path, serde_json::to_vec(self)?).with_context(|| path.display().to_string())
    }
}

/// Reads the `index.*` and `data.*` files of WordNet 3 in `folder`.
fn read_wordnet(folder: &Path) -> Result<GeneralEnglish> {
    let mut texts = Vec::new();
    let mut notice = String::new();
    let mut synonyms: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for kind in ["noun", "verb", "adj", "adv"] {
        let read = |name: String| {
            let path = folder.join(name);
            std::fs::read_to_string(&path).with_context(|| format!("{} (a file of WordNet)", path.display()))
        };
        let (index, data) = (read(format!("index.{kind}"))?, read(format!("data.{kind}"))?);
        if notice.is_empty() {
            // The notice has numbered lines.
            let lines = index.lines().take_while(|line| line.starts_with(' ')).map(str::trim_start);
            notice = lines
                .map(|line| line.split_once(' ').map_or("", |(_, text)| text.trim_end()))
                .collect::<Vec<_>>()
                .join("\n");
        }
        let mut senses = BTreeSet::new();
        for line in index.lines().filter(|line| !line.starts_with(' ')) {
            senses.extend(first_common_sense(line).map(|(_, sense)| sense));
        }
        for &sense in &senses {
            let Some((words, gloss)) = synset(&data, sense) else { continue };
            texts.extend(short_texts(gloss));
            for word in &words {
                let others = words.iter().filter(|other| *other != word).cloned();
                synonyms.entry(word.clone()).or_default().extend(others);
            }
        }
    }
    ensure!(!texts.is_empty(), "{}: no definitions found; is this the dict folder of WordNet 3?", folder.display());
    synonyms.retain(|_, others| {
        others.dedup();
        !others.is_empty()
    });
    let stride = texts.len().div_ceil(TEXTS);
    Ok(GeneralEnglish { notice, texts: texts.into_iter().step_by(stride).collect(), synonyms, is_for_floors: false })
}

/// Returns the word of an index line and the offset of its first sense, if the word is common. The line has the form
/// `lemma pos senses pointers … tagged offset …`. `tagged` is 0 for words that do not occur in tagged text.
fn first_common_sense(line: &str) -> Option<(&str, usize)> {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    let pointers: usize = fields.get(3)?.parse().ok()?;
    let tagged: usize = fields.get(5 + pointers)?.parse().ok()?;
    let sense = fields.get(6 + pointers)?.parse().ok()?;
    (tagged > 0 && !fields[0].contains('_')).then_some((fields[0], sense))
}

/// Returns the words and the gloss of the synset at byte `at`: `offset file type count word id word id … | gloss`.
fn synset(data: &str, at: usize) -> Option<(Vec<String>, &str)> {
    let line = data.get(at..)?.lines().next()?;
    let (head, gloss) = line.split_once(" | ")?;
    let fields: Vec<&str> = head.split_ascii_whitespace().collect();
    let count = usize::from_str_radix(fields.get(3)?, 16).ok()?;
    let words = fields.get(4..4 + count * 2)?.iter().step_by(2);
    let plain = words.filter(|word| word.chars().all(|c| c.is_ascii_lowercase())).map(|word| (*word).to_owned());
    Some((plain.collect(), gloss.trim()))
}

/// Returns the definitions and examples of a gloss that are short enough.
fn short_texts(gloss: &str) -> impl Iterator<Item = String> {
    let pieces = gloss.split(';').map(|piece| piece.trim().trim_matches('"').trim());
    pieces.filter(|piece| (2..=MAX_WORDS).contains(&piece.split_whitespace().count())).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_examples_and_synonyms_of_common_words_are_taken() {
        let folder = tempfile::tempdir().unwrap();
        let synset = "00000000 42 v 03 begin 0 start 2 set_out 0 001 @ 00000000 v 0000 01 + 02 00 | take the first step; \"we began working\"; one  \n";
        for kind in ["noun", "verb", "adj", "adv"] {
            let (index, data) = if kind == "verb" {
                ("  1 a licence\nbegin v 1 2 @ ~ 1 1 00000000\nrare v 1 0 1 0 00000000\n", synset)
            } else {
                ("", "")
            };
            std::fs::write(folder.path().join(format!("index.{kind}")), index).unwrap();
            std::fs::write(folder.path().join(format!("data.{kind}")), data).unwrap();
        }
        let english = read_wordnet(folder.path()).unwrap();
        assert_eq!(english.texts, ["take the first step", "we began working"]);
        assert_eq!(english.synonyms["begin"], ["start"]);
        assert_eq!(english.synonyms.len(), 2);
        assert_eq!(english.notice, "a licence");
        let condensed = folder.path().join("english.json");
        english.write(&condensed).unwrap();
        assert_eq!(GeneralEnglish::read(&condensed).unwrap(), english);
        std::fs::write(&condensed, "{}").unwrap();
        assert!(format!("{:#}", GeneralEnglish::read(&condensed).unwrap_err()).contains("--condense"));
    }

    #[test]
    fn another_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        assert!(format!("{:#}", read_wordnet(folder.path()).unwrap_err()).contains("index.noun"));
    }
}

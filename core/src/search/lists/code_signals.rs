//! Signals for source code in addition to words and meaning: whether a piece defines a name in the question, its
//! purpose, and how many pieces of its file come before it. Bundles without source code have none of these.

use super::word_list::named;
use crate::analysis::symbol_terms;
use crate::analysis::{Analyzer, has_word, is_mixed_case};
use crate::collection::best_first;
use crate::format::FormatError;
use crate::format::root::Root;
use crate::format::vocabulary::CLASS;
use crate::rank::Fused;
use crate::reader::BundleReader;
use crate::records::ChunkMap;
use crate::search::query::scope::Scope;

/// The gain of a piece that defines a name in the question, in standard deviations of a list.
const DEFINES: f32 = 5.0;
/// A further gain if the name is written in the same way.
const DEFINES_AS_WRITTEN: f32 = 1.0;
/// A further gain if the case is the same.
const DEFINES_IN_CASE: f32 = 3.0;
/// The loss of pieces that do not serve the project's purpose, by class, with the words in a question that ask for
/// them.
const ASIDE: [(&str, f32, &str); 6] = [
    ("test", 2.5, "test spec benchmark bench mock assert"),
    ("example", 2.5, "exampl demo sampl tutori"),
    ("fixture", 2.5, "fixtur test snapshot"),
    ("reexport", 2.5, "export import reexport"),
    ("preamble", 2.5, "import licens copyright"),
    ("config", 1.0, "config configur set depend build version"),
];
/// The loss of a piece for each better piece of its file, because readers want several places to look.
const SAME_FILE: f32 = 4.0;
/// The maximum number of pieces of a file to show.
const OF_A_FILE: usize = 2;
/// The share of the next best pieces' scores that a file's best piece gains, because a file about a subject has several
/// good pieces.
const COHERENCE: f32 = 0.2;
/// The number of these next best pieces.
const COHERENT: usize = 3;
/// The maximum score of such a piece that counts, because the name of one piece tells nothing about the others.
const MAX_COHERENT: f32 = 8.0;

/// Returns the dictionary terms for definitions of the names in `text` that look like source code.
pub(crate) fn asked_names(text: &str) -> Vec<String> {
    let tokens = Analyzer::ENGLISH.tokens(text);
    let mut names = Vec::new();
    let mut rest = tokens.as_slice();
    while let [token, behind @ ..] = rest {
        rest = &behind[token.parts..];
        let word = &text[token.range.clone()];
        let is_alone = token.range.len() == text.trim().len();
        let has_inside = |marks: &[char]| word.trim_matches(marks).contains(marks);
        if is_alone || is_mixed_case(word) || has_inside(&['_', '.', ':']) {
            for name in symbol_terms(word) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
    }
    names
}

/// The signals of a question for the source code of a bundle.
#[derive(Clone, Debug, Default)]
pub(crate) struct CodeSignals {
    /// The gain of each document that defines a name in the question, ascending by document.
    defining: Vec<(u32, f32)>,
    /// The number of the facet, and the loss for each of its values.
    classes: Option<(usize, Vec<f32>)>,
}

impl CodeSignals {
    /// Creates the signals for a bundle. Its map and its dictionary blocks for `names` must be loaded. `terms` are the
    /// terms of the question, and `names_class` tells whether the query filters by class.
    pub(crate) fn of(
        reader: &BundleReader,
        names: &[String],
        terms: &[String],
        names_class: bool,
    ) -> Result<Self, FormatError> {
        let root = reader.root();
        if !root.has_code() {
            return Ok(Self::default());
        }
        let weight = |points: u8| match points {
            0 | 1 => DEFINES,
            2 => DEFINES + DEFINES_AS_WRITTEN,
            _ => DEFINES + DEFINES_AS_WRITTEN + DEFINES_IN_CASE,
        };
        let defining = named(reader, names, &Scope::EVERYTHING)?.into_iter();
        let defining = defining.map(|(document, points)| (document, weight(points))).collect();
        Ok(Self { defining, classes: if names_class { None } else { classes(root, terms) } })
    }

    /// Returns the gain of `document` for a name in the question, and the loss for its class.
    pub(crate) fn of_document(&self, map: &ChunkMap, document: u32) -> (f32, f32) {
        let at = self.defining.partition_point(|(defining, _)| *defining < document);
        let defines =
            self.defining.get(at).filter(|(defining, _)| *defining == document).map_or(0.0, |(_, more)| *more);
        let Some((facet, less)) = &self.classes else { return (defines, 0.0) };
        let class = map.facet_of(*facet, document).first().and_then(|class| less.get(*class as usize));
        (defines, class.copied().unwrap_or(0.0))
    }

    /// Applies gains and losses to documents.
    pub(crate) fn apply(&self, map: &ChunkMap, fused: &mut [Fused]) {
        for fused in fused {
            let (defines, aside) = self.of_document(map, fused.document);
            fused.score += defines - aside;
        }
    }
}

/// Returns the loss for each value of the facet, for a question with `terms`.
fn classes(root: &Root, terms: &[String]) -> Option<(usize, Vec<f32>)> {
    let facet = root.facets.iter().position(|facet| facet.name == CLASS)?;
    let less = |class: &String| {
        let aside = ASIDE.iter().find(|(name, ..)| name == class);
        let is_asked_for = |words: &str| terms.iter().any(|term| has_word(words, term));
        aside.map_or(0.0, |(_, less, words)| if is_asked_for(words) { 0.0 } else { *less })
    };
    Some((facet, root.facets[facet].values.iter().map(less).collect()))
}

/// Moves the best piece of a file forward if other pieces of the file also answer the query, moves further pieces back,
/// and drops pieces beyond [`OF_A_FILE`]. `fused` is sorted, best first. Other documents are files of one piece.
pub(crate) fn by_file(map: &ChunkMap, fused: Vec<Fused>) -> Vec<Fused> {
    let file_of = |fused: &Fused| map.file_of(fused.document) as usize;
    let mut seen = vec![0usize; map.documents()];
    let mut more = vec![0.0f32; map.documents()];
    for fused in &fused {
        let file = file_of(fused);
        if (1..=COHERENT).contains(&seen[file]) {
            let counted = if fused.score > MAX_COHERENT { MAX_COHERENT } else { fused.score.max(0.0) };
            more[file] += COHERENCE * counted;
        }
        seen[file] += 1;
    }
    seen.fill(0);
    let mut kept: Vec<Fused> = Vec::with_capacity(fused.len());
    for mut fused in fused {
        let file = file_of(&fused);
        fused.score += if seen[file] == 0 { more[file] } else { -SAME_FILE * seen[file] as f32 };
        seen[file] += 1;
        if seen[file] <= OF_A_FILE {
            kept.push(fused);
        }
    }
    best_first(kept.iter().map(|fused| fused.score)).into_iter().map(|at| kept[at as usize]).collect()
}

//! Splits a word that a bundle does not have into two words that it has, in languages that write several words as one.

use super::dictionary::{find, term_blocks};
use crate::analysis::Analyzer;
use crate::collection::SortedSet;
use crate::format::FormatError;
use crate::format::blocks::BlockId;
use crate::reader::BundleReader;

/// The minimum number of bytes in a part.
const SHORTEST: usize = 4;
/// Letters that may join two parts, in addition to the endings that the stemmer removes.
const LINKS: [&str; 2] = ["", "s"];

/// Returns the terms of both parts of `word`, or an empty list if it cannot be split. Returns `None` if blocks are
/// missing, which `bring` then requests.
pub(crate) fn parts_of(
    reader: &BundleReader,
    analyzer: &Analyzer,
    word: &str,
    bring: &mut dyn FnMut(&SortedSet<BlockId>) -> bool,
) -> Result<Option<Vec<String>>, FormatError> {
    let (mut known, mut rarest, mut is_waiting) = (Vec::new(), 0, false);
    for (at, _) in word.char_indices() {
        for link in LINKS {
            let head = word[..at].strip_suffix(link).unwrap_or_default();
            if head.len() < SHORTEST || word.len() - at < SHORTEST {
                continue;
            }
            // First find terms at the beginning of the word, which are near each other in the dictionary.
            let mut parts = vec![analyzer.term_of(head)];
            let mut chunks = u32::MAX;
            for end in [None, Some(&word[at..])] {
                parts.extend(end.map(|end| analyzer.term_of(end)));
                if !bring(&term_blocks(reader, &parts)) {
                    (is_waiting, chunks) = (true, 0);
                    break;
                }
                let part = find(reader, &parts[parts.len() - 1])?;
                chunks = chunks.min(part.map_or(0, |part| part.chunks));
                if chunks == 0 {
                    break;
                }
            }
            // If there are several ways to split the word, choose the one whose rarer part is in the most chunks.
            if chunks > rarest {
                (known, rarest) = (parts, chunks);
            }
        }
    }
    Ok((!is_waiting).then_some(known))
}

//! Weighs pieces of source code by their use: PageRank over mentions of names that other pieces define.

use nearfind_extract::code::{CodePiece, Symbol, SymbolKind};
use std::collections::HashMap;

/// The share of a rank that is passed on through mentions.
const DAMPING: f32 = 0.85;
/// Number of rounds. Further rounds change ranks by less than a hundredth.
const ROUNDS: usize = 20;
/// A name with more definitions than this says nothing about any of them.
const MAX_DEFINITIONS: usize = 8;
/// A piece whose rank is e times the mean gets its weight doubled this many times.
const STRENGTH: f32 = 0.1;
/// The minimum and maximum number of doublings.
const LIMITS: [f32; 2] = [-0.25, 0.5];

/// Returns the weights of the pieces in `files`, in order. The weight of an average piece is 1.
pub(super) fn ranks(files: &[(&str, &[CodePiece])]) -> Vec<f32> {
    let pieces: Vec<(usize, &CodePiece)> = files
        .iter()
        .enumerate()
        .flat_map(|(file, (_, pieces))| pieces.iter().map(move |piece| (file, piece)))
        .collect();
    let mut defining: HashMap<&str, Vec<usize>> = HashMap::new();
    for (number, (_, piece)) in pieces.iter().enumerate() {
        let counts = |symbol: &&Symbol| symbol.kind != SymbolKind::Declaration && !symbol.is_detail;
        for symbol in piece.symbols.iter().filter(counts) {
            defining.entry(&symbol.name).or_default().push(number);
        }
    }
    defining.retain(|_, places| places.len() <= MAX_DEFINITIONS);
    // The pieces that each piece leads to, and the share of its rank that each of them gets.
    let links: Vec<Vec<(usize, f32)>> = pieces
        .iter()
        .enumerate()
        .map(|(number, (file, piece))| {
            let mut links = Vec::new();
            let is_own = |name: &&str| piece.symbols.iter().any(|symbol| symbol.name == **name);
            for name in piece.mentions.names.lines().filter(|name| !is_own(name)) {
                let places = defining.get(name).map_or(&[][..], Vec::as_slice);
                let share = 1.0 / places.len().max(1) as f32;
                let others = places.iter().filter(|&&place| place != number);
                // Within a file, everything mentions its neighbors, so such mentions count less.
                links.extend(others.map(|&place| (place, if pieces[place].0 == *file { share / 4.0 } else { share })));
            }
            let sum: f32 = links.iter().map(|(_, share)| share).sum();
            links.iter_mut().for_each(|(_, share)| *share /= sum);
            links
        })
        .collect();
    let count = pieces.len();
    // The mean of all ranks is 1.
    let mut ranks = vec![1.0f32; count];
    for _ in 0..ROUNDS {
        let lost: f32 = links.iter().zip(&ranks).filter(|(links, _)| links.is_empty()).map(|(_, rank)| rank).sum();
        let mut next = vec![1.0 - DAMPING + DAMPING * lost / count.max(1) as f32; count];
        for (links, rank) in links.iter().zip(&ranks) {
            for (place, share) in links {
                next[*place] += DAMPING * rank * share;
            }
        }
        ranks = next;
    }
    let [least, most] = LIMITS;
    ranks.into_iter().map(|rank| (STRENGTH * rank.max(f32::MIN_POSITIVE).ln()).clamp(least, most).exp2()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearfind_base::facets::CodeClass;
    use nearfind_core::bundle::Mentions;

    fn piece(defines: &[&str], mentions: &[&str]) -> CodePiece {
        let symbol = |name: &&str| Symbol {
            name: (*name).to_owned(),
            kind: SymbolKind::Function,
            scope: String::new(),
            signature: String::new(),
            signature_range: 0..0,
            lines: (1, 1),
            is_outer: true,
            is_detail: false,
        };
        CodePiece {
            range: 0..0,
            lines: (1, 1),
            scope: String::new(),
            symbols: defines.iter().map(symbol).collect(),
            mentions: Mentions { names: mentions.join("\n"), places: Vec::new() },
            class: CodeClass::Source,
        }
    }

    #[test]
    fn what_many_mention_counts_more() {
        let core = [piece(&["send"], &[]), piece(&["helper"], &[])];
        let users: Vec<[CodePiece; 1]> = (0..5).map(|_| [piece(&[], &["send"])]).collect();
        let mut files: Vec<(&str, &[CodePiece])> = vec![("core", &core)];
        files.extend(users.iter().map(|pieces| ("user", &pieces[..])));
        let ranks = ranks(&files);
        assert!(ranks[0] > 1.05 && ranks[1] < ranks[0] && ranks[2] < 1.0, "{ranks:?}");
        assert!(super::ranks(&[]).is_empty());
    }
}

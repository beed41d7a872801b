//! Splits a long posting list in two. The head contains the chunks where the term counts most, and most queries read
//! nothing else.
//!
//! The rest is the posting list of another term: see [`rest_of`]. Queries that filter chunks, count them or look for a
//! phrase also need the rest.

/// Prefix of the terms of rests. No text contains it, and it sorts before all other terms, so that no other term shares
/// a block with rests.
pub(crate) const REST: &str = "\0";

/// Returns the term of the rest of a list.
pub fn rest_of(term: &str) -> String {
    format!("{REST}{term}")
}

#[cfg(feature = "write")]
pub(super) use writer::Heads;

#[cfg(feature = "write")]
mod writer {
    use crate::collection::best_first;
    use crate::lexical::bm25::{HEADING_WEIGHT, WRITTEN_WEIGHT, body_weight};
    use crate::lexical::length_classes::CLASSES;
    use crate::lexical::postings::{Occurrences, PostingList};

    /// Minimum number of chunks in a head.
    const SHORTEST: usize = 4096;
    /// A head has this number of chunks times the square root of the number of all chunks, if that is more than the
    /// minimum. In a larger index, the best chunks are chosen from a longer head.
    const GROWTH: usize = 8;

    /// The data that determines how lists are split.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Heads {
        /// Number of chunks in a head.
        chunks: usize,
        lengths: [u32; CLASSES],
        mean_length: f32,
    }

    impl Heads {
        /// Creates the data for an index of `chunks` chunks with `tokens` tokens. `lengths` are the lengths that chunk
        /// lengths are rounded to.
        pub(crate) fn new(chunks: usize, tokens: u64, lengths: [u32; CLASSES]) -> Self {
            Self {
                chunks: SHORTEST.max(GROWTH * chunks.isqrt()),
                lengths,
                mean_length: tokens as f32 / chunks.max(1) as f32,
            }
        }

        /// Returns the head and the rest of a list. A list shorter than two heads has no rest.
        pub(crate) fn cut(&self, list: PostingList) -> (Vec<u8>, Option<PostingList>) {
            if (list.chunks as usize) < 2 * self.chunks {
                return (list.bytes, None);
            }
            let postings = list.to_vec();
            let order = best_first(postings.iter().map(|(_, occurrences)| self.weight(occurrences)));
            // A term in the title or path counts for every chunk of the document.
            let named = |occurrences: &Occurrences| occurrences.title > 0 || occurrences.path > 0;
            let mut is_in_head: Vec<bool> = postings.iter().map(|(_, occurrences)| named(occurrences)).collect();
            order.iter().take(self.chunks).for_each(|&at| is_in_head[at as usize] = true);
            let (mut head, mut rest) = (PostingList::default(), PostingList::default());
            for (&(chunk, occurrences), in_head) in postings.iter().zip(is_in_head) {
                (if in_head { &mut head } else { &mut rest }).put(chunk, occurrences);
            }
            (head.bytes, Some(rest).filter(|rest| rest.chunks > 0))
        }

        /// Returns the weight of occurrences in a search, without title and path.
        fn weight(&self, occurrences: &Occurrences) -> f32 {
            let length = self.lengths[usize::from(occurrences.length)];
            body_weight(occurrences.body, length, self.mean_length)
                + HEADING_WEIGHT * f32::from(occurrences.headings)
                + WRITTEN_WEIGHT * f32::from(u8::from(occurrences.written))
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use crate::lexical::postings::for_each;
        use proptest::prelude::*;

        fn list(bodies: &[(u32, bool)]) -> PostingList {
            let mut list = PostingList::default();
            for (chunk, &(body, in_title)) in (0..).zip(bodies) {
                list.put(3 * chunk, Occurrences { body, title: u8::from(in_title), ..Occurrences::default() });
            }
            list
        }

        fn read(bytes: &[u8]) -> Vec<(u32, Occurrences)> {
            let mut found = Vec::new();
            for_each(bytes, u32::MAX, |chunk, occurrences| found.push((chunk, occurrences))).unwrap();
            found
        }

        proptest! {
            #[test]
            fn every_chunk_is_in_head_or_rest_and_no_chunk_of_the_rest_says_more(bodies in prop::collection::vec((1u32..9, prop::bool::weighted(0.1)), 0..90)) {
                let heads = Heads { chunks: 16, lengths: [10; CLASSES], mean_length: 10.0 };
                let all = list(&bodies).to_vec();
                let (head, rest) = heads.cut(list(&bodies));
                let head = read(&head);
                let Some(rest) = rest else {
                    prop_assert_eq!(head, all);
                    return Ok(());
                };
                let rest = rest.to_vec();
                prop_assert!(bodies.len() >= 32 && head.len() >= 16 && !rest.is_empty());
                prop_assert!(rest.iter().all(|(_, occurrences)| occurrences.title == 0));
                let most = rest.iter().map(|(_, occurrences)| occurrences.body).max().unwrap();
                prop_assert!(head.iter().filter(|(_, occurrences)| occurrences.body >= most).count() >= 16);
                let mut both = [head, rest].concat();
                both.sort_unstable_by_key(|(chunk, _)| *chunk);
                prop_assert_eq!(both, all);
            }
        }
    }
}

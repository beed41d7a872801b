//! BM25F (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009) over chunks: the occurrences in
//! several fields are weighted and added before they saturate.

/// How soon repetitions of a term stop counting: 0 counts a term once, and large values count every repetition.
pub const K1: f32 = 1.2;
/// How much a long chunk is discounted: 0 means not at all, and 1 means in proportion to its length. The value is lower
/// than for whole documents, because chunks have similar lengths.
pub const B: f32 = 0.4;

/// Returns the weight of a term that `matching` of `chunks` chunks contain. It is always positive.
pub fn inverse_document_frequency(chunks: u32, matching: u32) -> f32 {
    let (chunks, matching) = (chunks.max(matching) as f32, matching as f32);
    libm::logf(1.0 + (chunks - matching + 0.5) / (matching + 0.5))
}

/// Weight of an occurrence in the title, relative to an occurrence in the body of a chunk of mean length.
pub const TITLE_WEIGHT: f32 = 2.0;
/// Weight of an occurrence in a heading: see [`TITLE_WEIGHT`].
pub const HEADING_WEIGHT: f32 = 0.5;
/// Weight of an occurrence in the path: see [`TITLE_WEIGHT`].
pub const PATH_WEIGHT: f32 = 2.0;
/// Weight of an occurrence in text that was written for the chunk: see [`TITLE_WEIGHT`].
pub const WRITTEN_WEIGHT: f32 = 0.8;

/// Returns the weight of `frequency` occurrences in a body of `length` tokens, with a mean of `mean_length` over all
/// chunks.
pub fn body_weight(frequency: u32, length: u32, mean_length: f32) -> f32 {
    frequency as f32 / (1.0 - B + B * length as f32 / mean_length.max(1.0))
}

/// Returns the score of a term in a chunk, given the sum of its weights over all fields.
///
/// ```
/// use nearfind_core::lexical::bm25::{TITLE_WEIGHT, body_weight, inverse_document_frequency, term_score};
///
/// let rare = inverse_document_frequency(1000, 3);
/// let once = term_score(rare, body_weight(1, 100, 100.0));
/// let once_and_in_the_title = term_score(rare, body_weight(1, 100, 100.0) + TITLE_WEIGHT);
/// assert!(once_and_in_the_title > once);
/// ```
pub fn term_score(idf: f32, weight: f32) -> f32 {
    idf * weight * (K1 + 1.0) / (weight + K1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rarer_terms_repetition_and_shorter_chunks_score_higher() {
        let idf = inverse_document_frequency(1000, 10);
        assert!(idf > inverse_document_frequency(1000, 900));
        assert!(inverse_document_frequency(10, 10) > 0.0);
        let score = |frequency, length| term_score(idf, body_weight(frequency, length, 100.0));
        assert!(score(2, 100) > score(1, 100));
        assert!(score(1, 50) > score(1, 100));
        assert!(score(1000, 100) < idf * (K1 + 1.0));
    }
}

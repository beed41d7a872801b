//! BM25F (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009) over chunks: occurrences in several
//! fields are weighed and added before they saturate.

/// How soon repeating a term stops helping: 0 counts a term once, large values count every repetition.
pub const K1: f32 = 1.2;
/// How much a long chunk is discounted: 0 not at all, 1 in proportion to its length. Less than for whole documents, as chunks
/// are of about one length.
pub const B: f32 = 0.4;

/// Weight of a term that `matching` of `chunks` chunks hold; always positive.
pub fn inverse_document_frequency(chunks: u32, matching: u32) -> f32 {
    let (chunks, matching) = (chunks.max(matching) as f32, matching as f32);
    libm::logf(1.0 + (chunks - matching + 0.5) / (matching + 0.5))
}

/// What an occurrence in a field counts, in occurrences in the body of a chunk of mean length.
pub const TITLE_WEIGHT: f32 = 2.0;
/// See [`TITLE_WEIGHT`].
pub const HEADING_WEIGHT: f32 = 0.5;
/// See [`TITLE_WEIGHT`].
pub const PATH_WEIGHT: f32 = 2.0;
/// See [`TITLE_WEIGHT`].
pub const WRITTEN_WEIGHT: f32 = 0.8;

/// The weight of `frequency` occurrences in a body of `length` tokens, with `mean_length` over all chunks.
pub fn body_weight(frequency: u32, length: u32, mean_length: f32) -> f32 {
    frequency as f32 / (1.0 - B + B * length as f32 / mean_length.max(1.0))
}

/// Score of one term in one chunk, of the sum of its weights over all fields.
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

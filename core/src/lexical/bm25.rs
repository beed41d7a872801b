//! Okapi BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009) over chunks.

/// How soon repeating a term stops helping: 0 counts a term once, large values count every repetition.
pub const K1: f32 = 1.2;
/// How much a long chunk is discounted: 0 not at all, 1 in proportion to its length.
pub const B: f32 = 0.75;

/// Weight of a term that `matching` of `chunks` chunks hold; always positive.
pub fn inverse_document_frequency(chunks: u32, matching: u32) -> f32 {
    let (chunks, matching) = (chunks.max(matching) as f32, matching as f32);
    (1.0 + (chunks - matching + 0.5) / (matching + 0.5)).ln()
}

/// Score of one term in one chunk: `frequency` occurrences in `length` tokens, with `mean_length` over all chunks.
pub fn term_score(idf: f32, frequency: u32, length: u32, mean_length: f32) -> f32 {
    let frequency = frequency as f32;
    let norm = 1.0 - B + B * length as f32 / mean_length.max(1.0);
    idf * frequency * (K1 + 1.0) / (frequency + K1 * norm)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rarer_terms_repetition_and_shorter_chunks_score_higher() {
        let idf = inverse_document_frequency(1000, 10);
        assert!(idf > inverse_document_frequency(1000, 900));
        assert!(inverse_document_frequency(10, 10) > 0.0);
        let base = term_score(idf, 1, 100, 100.0);
        assert!(term_score(idf, 2, 100, 100.0) > base);
        assert!(term_score(idf, 1, 50, 100.0) > base);
        assert!(term_score(idf, 1000, 100, 100.0) < idf * (K1 + 1.0));
    }
}

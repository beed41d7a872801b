//! Computes dot products of a query and a row, exactly in 32-bit integers, so that every host gets the same numbers.
//!
//! The loops are plain on purpose: with `simd128` and with SSE2, the compiler turns them into the widening multiply-add
//! that a hand-written kernel would use (`i32x4.dot_i16x8_s`, `pmaddwd`).

/// Returns the sum of `query[i] * row[i]`, up to the shorter length.
///
/// Invariant: [`super::query_codes::QueryCodes`] are small enough for the sum to fit.
pub fn dot_fine(query: &[i16], row: &[i16]) -> i32 {
    query.iter().zip(row).map(|(&q, &r)| i32::from(q) * i32::from(r)).sum()
}

/// Does the same as [`dot_fine`] with coarse codes.
pub fn dot_coarse(query: &[i16], row: &[i8]) -> i32 {
    query.iter().zip(row).map(|(&q, &r)| i32::from(q) * i32::from(r)).sum()
}

//! The dot product of a query and a row, exact in 32-bit integers, so that every host gets the same number.
//!
//! The loop is plain on purpose: with `simd128` and with SSE2 the compiler turns it into the widening multiply-add that
//! a hand-written kernel would use (`i32x4.dot_i16x8_s`, `pmaddwd`).

/// Sum of `query[i] * row[i]`; the shorter length counts.
///
/// Invariant: [`super::quantize::QueryCodes`] are small enough for the sum to fit.
pub fn dot(query: &[i16], row: &[u8]) -> i32 {
    // Rows are stored as bytes; each is an i8 code in two's complement.
    query.iter().zip(row).map(|(&q, &r)| i32::from(q) * i32::from(r.cast_signed())).sum()
}

//! The inner loop of attention. It multiplies a few rows by a block of columns, both of 16-bit numbers, and sums the
//! products in pairs.
#![allow(unsafe_code, reason = "instructions of one processor: each block says why it is sound")]

/// Number of rows that are processed together.
pub(super) const ROWS: usize = 4;

/// Number of columns in a block, chosen to fit the registers. No result depends on it.
#[cfg(target_arch = "x86_64")]
pub(super) const LANES: usize = 16;
/// Number of columns in a block, chosen to fit the registers. No result depends on it.
#[cfg(not(target_arch = "x86_64"))]
pub(super) const LANES: usize = 8;

/// Two numbers from each column.
pub(super) type PairRow = [[i16; 2]; LANES];

/// Returns `a · b`, the products of each row of `a` with every column. Pair `k` of a row is multiplied by `b[k]`. Rows
/// must be as long as `b`.
#[inline(always)]
pub(super) fn products(a: [&[[i16; 2]]; ROWS], b: &[PairRow]) -> [[i32; LANES]; ROWS] {
    assert!(a.iter().all(|row| row.len() == b.len()), "a row has a pair for each row of the block");
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512bw") {
            // SAFETY: the machine was checked for the feature, and the lengths are equal.
            return unsafe { avx512(a, b) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the same.
            return unsafe { avx2(a, b) };
        }
        plain(a, b)
    }
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    // SAFETY: the lengths are equal.
    return unsafe { simd128(a, b) };
    #[cfg(not(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128"))))]
    plain(a, b)
}

#[cfg_attr(
    all(target_arch = "wasm32", target_feature = "simd128"),
    expect(dead_code, reason = "the oracle of the rest")
)]
#[inline(always)]
fn plain(a: [&[[i16; 2]]; ROWS], b: &[PairRow]) -> [[i32; LANES]; ROWS] {
    let product = |a: i16, b: i16| i32::from(a) * i32::from(b);
    let mut sums = [[0; LANES]; ROWS];
    for (k, columns) in b.iter().enumerate() {
        for (sums, row) in sums.iter_mut().zip(a) {
            for (sum, column) in sums.iter_mut().zip(columns) {
                *sum += product(row[k][0], column[0]) + product(row[k][1], column[1]);
            }
        }
    }
    sums
}

/// # Safety
/// The machine must have AVX-512 BW, and rows must be as long as `b`.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn avx512(a: [&[[i16; 2]]; ROWS], b: &[PairRow]) -> [[i32; LANES]; ROWS] {
    use std::arch::x86_64::{
        _mm512_add_epi32, _mm512_loadu_si512, _mm512_madd_epi16, _mm512_set1_epi32, _mm512_setzero_si512,
        _mm512_storeu_si512,
    };
    let mut totals = [_mm512_setzero_si512(); ROWS];
    let mut sums = [[0; LANES]; ROWS];
    // SAFETY: 16 pairs are one vector, 16 sums are one; `k` is inside of every row.
    unsafe {
        for (k, columns) in b.iter().enumerate() {
            let columns = _mm512_loadu_si512(columns.as_ptr().cast());
            for r in 0..ROWS {
                let pair = _mm512_set1_epi32(a[r].as_ptr().add(k).cast::<i32>().read_unaligned());
                totals[r] = _mm512_add_epi32(totals[r], _mm512_madd_epi16(pair, columns));
            }
        }
        for r in 0..ROWS {
            _mm512_storeu_si512(sums[r].as_mut_ptr().cast(), totals[r]);
        }
    }
    sums
}

/// # Safety
/// The machine must have AVX2, and rows must be as long as `b`.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn avx2(a: [&[[i16; 2]]; ROWS], b: &[PairRow]) -> [[i32; LANES]; ROWS] {
    use std::arch::x86_64::{
        __m256i, _mm256_add_epi32, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_set1_epi32, _mm256_setzero_si256,
        _mm256_storeu_si256,
    };
    let mut totals = [[_mm256_setzero_si256(); 2]; ROWS];
    let mut sums = [[0; LANES]; ROWS];
    // SAFETY: 16 pairs are two vectors, 16 sums are two; `k` is inside of every row.
    unsafe {
        for (k, columns) in b.iter().enumerate() {
            let columns = columns.as_ptr().cast::<__m256i>();
            let columns = [_mm256_loadu_si256(columns), _mm256_loadu_si256(columns.add(1))];
            for r in 0..ROWS {
                let pair = _mm256_set1_epi32(a[r].as_ptr().add(k).cast::<i32>().read_unaligned());
                for side in 0..2 {
                    totals[r][side] = _mm256_add_epi32(totals[r][side], _mm256_madd_epi16(pair, columns[side]));
                }
            }
        }
        for r in 0..ROWS {
            for side in 0..2 {
                _mm256_storeu_si256(sums[r].as_mut_ptr().add(side * 8).cast(), totals[r][side]);
            }
        }
    }
    sums
}

/// # Safety
/// Rows must be as long as `b`.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline(never)]
unsafe fn simd128(a: [&[[i16; 2]]; ROWS], b: &[PairRow]) -> [[i32; LANES]; ROWS] {
    use std::arch::wasm32::{i32x4_add, i32x4_dot_i16x8, i32x4_splat, v128, v128_load, v128_load32_splat, v128_store};
    let mut totals = [[i32x4_splat(0); 2]; ROWS];
    let mut sums = [[0; LANES]; ROWS];
    // SAFETY: 8 pairs are two vectors, 8 sums are two; `k` is inside of every row.
    unsafe {
        for (k, columns) in b.iter().enumerate() {
            let columns = columns.as_ptr().cast::<v128>();
            let columns = [v128_load(columns), v128_load(columns.add(1))];
            for r in 0..ROWS {
                let pair = v128_load32_splat(a[r].as_ptr().add(k).cast());
                for side in 0..2 {
                    totals[r][side] = i32x4_add(totals[r][side], i32x4_dot_i16x8(pair, columns[side]));
                }
            }
        }
        for r in 0..ROWS {
            for side in 0..2 {
                v128_store(sums[r].as_mut_ptr().add(side * 4).cast(), totals[r][side]);
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_instruction_set_gives_the_same(pairs in 0usize..20, seed in any::<u64>()) {
            let mut state = seed;
            let mut next = move || { state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1); (state >> 52) as i16 - 2048 };
            let a: [Vec<[i16; 2]>; ROWS] = std::array::from_fn(|_| (0..pairs).map(|_| [next(), next()]).collect());
            let b: Vec<PairRow> = (0..pairs).map(|_| std::array::from_fn(|_| [next(), next()])).collect();
            let a = a.each_ref().map(Vec::as_slice);
            let expected = plain(a, &b);
            prop_assert_eq!(products(a, &b), expected);
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the machine was checked for the feature, and the lengths are equal.
                prop_assert_eq!(unsafe { avx2(a, &b) }, expected);
            }
        }
    }
}

//! Nested codes: a rotated vector has the same step for all components. Each code consists of a coarse code of sixteen
//! steps and a fine remainder.
//!
//! A component is `(center + code) × step`. Its coarse code is the code divided by sixteen and rounded. A rotation
//! concentrates the variance in the first components. Only these have coarse codes that are worth their bits. Codes are
//! stored with rANS, with a normal distribution for each component. A uniform step has the same error in all
//! components, and spends bits where the variance is. Everything that a reader computes is exact, so every host decodes
//! the same codes.

use super::ans::{Decoder, FrequencyTable};
use crate::format::FormatError;
use crate::format::components::SPREADS;
pub use crate::format::components::{Components, read_spreads};
use std::sync::OnceLock;

/// Number of fine steps in a coarse step.
pub const COARSE: i16 = 16;
/// Number of fine steps in a step of a document's code. Every query reads these codes for all documents.
pub const CELL: i16 = 40;
/// Largest absolute coarse code.
pub const MAX_COARSE: i16 = 15;
/// Largest absolute fine code.
pub const MAX_FINE: i16 = MAX_COARSE * COARSE + COARSE / 2 - 1;
const COARSE_SYMBOLS: usize = 2 * MAX_COARSE as usize + 1;
/// Weights below e to the power of minus this number count as 0, so a table is flat in a range where no code is likely.
const MAX_EXPONENT: f64 = 60.0;
/// 2^(n/8).
const EIGHTHS: [f64; 8] = [
    1.0,
    1.090_507_732_665_257_7,
    1.189_207_115_002_721,
    1.296_839_554_651_009_6,
    std::f64::consts::SQRT_2,
    1.542_210_825_407_940_8,
    1.681_792_830_507_429,
    1.834_008_086_409_342_4,
];

/// Returns the weight of a fine code in a normal distribution. It is exact on every host, because it uses only sums,
/// products and quotients.
fn weight(code: i32, spread: usize) -> f64 {
    let deviation = EIGHTHS[spread % 8] * f64::from(1u32 << (spread / 8));
    let scaled = f64::from(code) / deviation;
    exp_negative(scaled * scaled / 2.0)
}

/// Returns e^−x for x ≥ 0. A library function would add half a kilobyte to every page. A test pins the tables that are
/// computed with it.
fn exp_negative(x: f64) -> f64 {
    if x > MAX_EXPONENT {
        return 0.0;
    }
    // e^−x = (e^(−x/1024))^1024, with a power series for the inner function.
    let small = -x / 1024.0;
    let mut value = 1.0 + small * (1.0 + small / 2.0 * (1.0 + small / 3.0 * (1.0 + small / 4.0 * (1.0 + small / 5.0))));
    for _ in 0..10 {
        value *= value;
    }
    value
}

/// The tables of the distributions, computed when they are first needed.
#[derive(Debug)]
pub struct CodeTables {
    coarse: Vec<OnceLock<FrequencyTable>>,
    fine: Vec<OnceLock<FrequencyTable>>,
}

impl Default for CodeTables {
    fn default() -> Self {
        Self { coarse: vec![OnceLock::new(); SPREADS], fine: vec![OnceLock::new(); SPREADS * COARSE_SYMBOLS] }
    }
}

impl CodeTables {
    fn coarse_table(&self, spread: u8) -> &FrequencyTable {
        let spread = usize::from(spread);
        let weights = || (-MAX_COARSE..=MAX_COARSE).map(|c| fine_weights(c, spread).iter().sum()).collect::<Vec<_>>();
        self.coarse[spread].get_or_init(|| FrequencyTable::new(&weights()))
    }

    fn fine_table(&self, spread: u8, coarse: i16) -> &FrequencyTable {
        let spread = usize::from(spread);
        let place = spread * COARSE_SYMBOLS + (coarse + MAX_COARSE) as usize;
        self.fine[place].get_or_init(|| FrequencyTable::new(&fine_weights(coarse, spread)))
    }

    /// Decodes the next coarse code.
    pub fn coarse(&self, decoder: &mut Decoder<'_>, spread: u8) -> Result<i8, FormatError> {
        let symbol = decoder.next(self.coarse_table(spread))?;
        Ok((symbol as i16 - MAX_COARSE) as i8)
    }

    /// Decodes the next fine code, given its coarse code.
    pub fn fine(&self, decoder: &mut Decoder<'_>, spread: u8, coarse: i8) -> Result<i16, FormatError> {
        let coarse = i16::from(coarse);
        let symbol = decoder.next(self.fine_table(spread, coarse))?;
        Ok(coarse * COARSE + symbol as i16 - COARSE / 2)
    }

    /// Decodes a stream of whole rows of coarse codes.
    pub fn coarse_rows(
        &self,
        part: &'static str,
        stream: &[u8],
        rows: usize,
        spreads: &[u8],
    ) -> Result<Vec<i8>, FormatError> {
        let mut decoder = Decoder::new(part, stream)?;
        let mut codes = Vec::new();
        for _ in 0..rows {
            for &spread in spreads {
                codes.push(self.coarse(&mut decoder, spread)?);
            }
        }
        decoder.finish()?;
        Ok(codes)
    }
}

fn fine_weights(coarse: i16, spread: usize) -> [f64; COARSE as usize] {
    std::array::from_fn(|at| weight(i32::from(coarse * COARSE) + at as i32 - i32::from(COARSE / 2), spread))
}

/// Returns the coarse code of a fine code.
pub const fn coarse_of(fine: i16) -> i8 {
    (fine + COARSE / 2).div_euclid(COARSE) as i8
}

#[cfg(feature = "write")]
pub use writer::{CodedRows, coarse_rows_to_stream, code_rows, spread_of};

#[cfg(feature = "write")]
mod writer {
    use super::{COARSE, COARSE_SYMBOLS, CodeTables, Components, MAX_COARSE, MAX_FINE, SPREADS, coarse_of};
    use crate::vector::ans::Encoder;

    /// Rows as codes, and the distribution of their components.
    #[derive(Clone, Debug)]
    pub struct CodedRows {
        /// Fine codes, row-major.
        pub codes: Vec<i16>,
        /// The distribution of each component.
        pub components: Components,
    }

    /// Encodes row-major `vectors` with `dimensions` components. A component that is more than 247 steps from its
    /// center is clamped.
    pub fn code_rows(vectors: &[f32], dimensions: usize, step: f32) -> CodedRows {
        let rows = (vectors.len() / dimensions).max(1) as f64;
        let component = |d: usize| vectors.iter().skip(d).step_by(dimensions).map(|&x| f64::from(x / step));
        let centers: Vec<i16> = (0..dimensions).map(|d| (component(d).sum::<f64>() / rows).round() as i16).collect();
        let code = |x: f32, center: i16| {
            let code = (x / step).round().clamp(-32_000.0, 32_000.0) as i32 - i32::from(center);
            code.clamp(-i32::from(MAX_FINE), i32::from(MAX_FINE)) as i16
        };
        let codes: Vec<i16> = vectors
            .chunks_exact(dimensions)
            .flat_map(|row| row.iter().zip(&centers).map(|(&x, &center)| code(x, center)))
            .collect();
        let spreads = (0..dimensions).map(|d| spread_of(codes.iter().skip(d).step_by(dimensions).copied())).collect();
        CodedRows { codes, components: Components { centers, spreads } }
    }

    /// Returns the spread of a component's fine codes.
    pub fn spread_of(codes: impl Iterator<Item = i16>) -> u8 {
        let (mut squares, mut count) = (0.0f64, 0.0f64);
        for code in codes {
            squares += f64::from(code) * f64::from(code);
            count += 1.0;
        }
        let deviation = (squares / count.max(1.0)).sqrt().max(1.0);
        ((deviation.log2() * 8.0).round() as usize).min(SPREADS - 1) as u8
    }

    /// Encodes row-major fine codes by their coarse codes into a stream.
    pub fn coarse_rows_to_stream(tables: &CodeTables, codes: &[i16], spreads: &[u8]) -> Vec<u8> {
        let mut encoder = Encoder::default();
        for row in codes.chunks_exact(spreads.len()) {
            for (&code, &spread) in row.iter().zip(spreads) {
                tables.push_coarse(&mut encoder, spread, coarse_of(code));
            }
        }
        encoder.finish()
    }

    impl CodeTables {
        /// Appends a coarse code, which [`CodeTables::coarse`] reads.
        pub fn push_coarse(&self, encoder: &mut Encoder, spread: u8, coarse: i8) {
            let symbol = (i16::from(coarse) + MAX_COARSE) as usize;
            debug_assert!(symbol < COARSE_SYMBOLS);
            encoder.push(self.coarse_table(spread), symbol);
        }

        /// Appends a fine code, which [`CodeTables::fine`] reads.
        pub fn push_fine(&self, encoder: &mut Encoder, spread: u8, fine: i16) {
            let coarse = i16::from(coarse_of(fine));
            let symbol = (fine - coarse * COARSE + COARSE / 2) as usize;
            encoder.push(self.fine_table(spread, coarse), symbol);
        }
    }
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use crate::vector::ans::Encoder;
    use proptest::prelude::*;

    #[test]
    fn the_exponential_is_that_of_libm() {
        for x in [0.0, 0.1, 1.0, 7.5, 30.0, 59.0] {
            assert!((exp_negative(x) / libm::exp(-x) - 1.0).abs() < 1e-6, "{x}");
        }
        assert!(exp_negative(1e9) <= 0.0);
    }

    #[test]
    fn tables_are_those_of_the_format() {
        // The hash of all tables. Bundles that were written with other tables could not be read.
        let tables = CodeTables::default();
        let mut hasher = blake3::Hasher::new();
        for spread in 0..SPREADS as u8 {
            hasher.update(format!("{:?}", tables.coarse_table(spread)).as_bytes());
            for coarse in -MAX_COARSE..=MAX_COARSE {
                hasher.update(format!("{:?}", tables.fine_table(spread, coarse)).as_bytes());
            }
        }
        assert_eq!(hasher.finalize().to_hex()[..16], *"96504eef7ff032b9");
    }

    #[test]
    fn every_code_is_in_its_coarse_cell() {
        for fine in -MAX_FINE..=MAX_FINE {
            let coarse = i16::from(coarse_of(fine));
            assert!((-MAX_COARSE..=MAX_COARSE).contains(&coarse));
            assert!((-COARSE / 2..COARSE / 2).contains(&(fine - coarse * COARSE)));
        }
    }

    proptest! {
        #[test]
        fn codes_round_trip_and_are_near(rows in prop::collection::vec(prop::collection::vec(-0.9f32..0.9, 6), 1..30), scale in 0.001f32..1.0) {
            let vectors: Vec<f32> = rows.concat().into_iter().map(|x| x * scale).collect();
            let step = 0.008;
            let coded = code_rows(&vectors, 6, step);
            let tables = CodeTables::default();
            let stream = coarse_rows_to_stream(&tables, &coded.codes, &coded.components.spreads);
            let coarse = tables.coarse_rows("test", &stream, rows.len(), &coded.components.spreads).unwrap();
            prop_assert_eq!(&coarse, &coded.codes.iter().map(|&code| coarse_of(code)).collect::<Vec<_>>());
            let mut encoder = Encoder::default();
            let spread = |at: usize| coded.components.spreads[at % 6];
            coded.codes.iter().enumerate().for_each(|(at, &code)| tables.push_fine(&mut encoder, spread(at), code));
            let stream = encoder.finish();
            let mut decoder = Decoder::new("test", &stream).unwrap();
            for (at, &code) in coded.codes.iter().enumerate() {
                prop_assert_eq!(tables.fine(&mut decoder, spread(at), coarse[at]).unwrap(), code);
                let back = f32::from(code + coded.components.centers[at % 6]) * step;
                prop_assert!((back - vectors[at]).abs() <= step * 0.51, "{back} {}", vectors[at]);
            }
            decoder.finish().unwrap();
        }
    }
}

//! Range asymmetric numeral systems (Duda, "Asymmetric numeral systems", 2013): encodes each symbol in about as many
//! bits as its probability requires. The state has 32 bits, words have 16 bits, and probabilities are in 4096ths.
//!
//! A stream consists of the final state, u32, and u16 words in the order in which the decoder reads them.

use crate::format::FormatError;

/// Number of bits of a probability.
pub const PROBABILITY_BITS: u32 = 12;
/// Sum of the frequencies of a table.
pub const TOTAL: u32 = 1 << PROBABILITY_BITS;
/// Lowest state.
const MIN_STATE: u32 = 1 << 16;

/// The probabilities of the symbols 0, 1, 2…
///
/// ```
/// use nearfind_core::vector::ans::{Decoder, Encoder, FrequencyTable};
///
/// // The symbol 0 is frequent, so it takes less than a bit.
/// let table = FrequencyTable::new(&[0.9, 0.05, 0.05]);
/// let mut encoder = Encoder::default();
/// let symbols = [0, 0, 2, 0, 1, 0];
/// symbols.iter().for_each(|&symbol| encoder.push(&table, symbol));
/// let stream = encoder.finish();
///
/// let mut decoder = Decoder::new("example", &stream)?;
/// for symbol in symbols {
///     assert_eq!(decoder.next(&table)?, symbol);
/// }
/// decoder.finish()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrequencyTable {
    /// Sum of the frequencies before each symbol, and [`TOTAL`] at the end.
    starts: Vec<u16>,
}

impl FrequencyTable {
    /// Scales `weights` to a sum of [`TOTAL`]. Each symbol gets at least one part, and the remainder from rounding goes
    /// to the heaviest. Weights that add up to 0 count as equal.
    pub fn new(weights: &[f64]) -> Self {
        let sum: f64 = weights.iter().sum();
        let spare = f64::from(TOTAL) - weights.len() as f64;
        let mut frequencies: Vec<u32> =
            weights.iter().map(|weight| if sum > 0.0 { 1 + (weight / sum * spare) as u32 } else { 1 }).collect();
        let heaviest = (0..weights.len()).rev().max_by(|&a, &b| weights[a].total_cmp(&weights[b])).unwrap_or(0);
        let given: u32 = frequencies.iter().sum();
        frequencies[heaviest] += TOTAL.saturating_sub(given);
        let mut starts = vec![0];
        for frequency in frequencies {
            starts.push(starts[starts.len() - 1] + frequency as u16);
        }
        Self { starts }
    }

    /// Scales counts to a sum of [`TOTAL`]. Symbols that do not occur get no part.
    #[cfg(feature = "write")]
    pub fn of_counts(counts: &[u64]) -> Self {
        let sum: u64 = counts.iter().sum();
        let occurring = counts.iter().filter(|&&count| count > 0).count() as u64;
        let part = |&count: &u64| match count {
            0 => 0,
            _ => 1 + (u128::from(count) * u128::from(u64::from(TOTAL) - occurring) / u128::from(sum)) as u16,
        };
        let mut frequencies: Vec<u16> = counts.iter().map(part).collect();
        let given: u16 = frequencies.iter().sum();
        let heaviest = (0..counts.len()).max_by_key(|&symbol| counts[symbol]).unwrap_or(0);
        if let Some(frequency) = frequencies.get_mut(heaviest) {
            *frequency += TOTAL as u16 - given;
        }
        Self::of_frequencies(&frequencies).expect("they add up to the whole")
    }

    /// Creates a table of these frequencies for at most 256 symbols, or returns `None` if their sum is not [`TOTAL`].
    pub fn of_frequencies(frequencies: &[u16]) -> Option<Self> {
        let mut starts = vec![0u16];
        let mut sum = 0u32;
        for &frequency in frequencies {
            sum += u32::from(frequency);
            starts.push(u16::try_from(sum).ok().filter(|_| sum <= TOTAL)?);
        }
        (sum == TOTAL && frequencies.len() <= 256).then_some(Self { starts })
    }

    /// Returns the frequency of each symbol.
    #[cfg(feature = "write")]
    pub fn frequencies(&self) -> impl Iterator<Item = u16> + '_ {
        self.starts.windows(2).map(|two| two[1] - two[0])
    }

    /// Returns the symbol of each of the [`TOTAL`] parts, for [`Decoder::next_by_slot`]. The table must have at most
    /// 256 symbols.
    pub fn symbols_by_slot(&self) -> Vec<u8> {
        let ranges = self.starts.windows(2).enumerate();
        ranges.flat_map(|(symbol, two)| (two[0]..two[1]).map(move |_| symbol as u8)).collect()
    }

    fn symbol_at(&self, slot: u16) -> usize {
        self.starts.partition_point(|&start| start <= slot) - 1
    }

    fn range(&self, symbol: usize) -> (u32, u32) {
        (u32::from(self.starts[symbol]), u32::from(self.starts[symbol + 1]) - u32::from(self.starts[symbol]))
    }
}

/// Decodes a stream.
///
/// [`FrequencyTable`] has an example.
#[derive(Clone, Debug)]
pub struct Decoder<'a> {
    part: &'static str,
    state: u32,
    words: &'a [[u8; 2]],
}

impl<'a> Decoder<'a> {
    /// Creates a decoder for `stream`, which belongs to `part`.
    pub fn new(part: &'static str, stream: &'a [u8]) -> Result<Self, FormatError> {
        let (state, rest) = stream.split_first_chunk::<4>().ok_or(FormatError::truncated(part, "codes"))?;
        let (words, odd) = rest.as_chunks();
        let state = u32::from_le_bytes(*state);
        if !odd.is_empty() || state < MIN_STATE {
            return Err(FormatError::corrupt(part, "codes"));
        }
        Ok(Self { part, state, words })
    }

    /// Decodes the next symbol.
    pub fn next(&mut self, table: &FrequencyTable) -> Result<usize, FormatError> {
        let slot = self.state & (TOTAL - 1);
        let symbol = table.symbol_at(slot as u16);
        self.take(table, symbol, slot)?;
        Ok(symbol)
    }

    /// Decodes the next symbol with the table's [`FrequencyTable::symbols_by_slot`], which is faster for millions of
    /// symbols.
    pub fn next_by_slot(&mut self, table: &FrequencyTable, symbols: &[u8]) -> Result<u8, FormatError> {
        let slot = self.state & (TOTAL - 1);
        let symbol = symbols.get(slot as usize).copied().unwrap_or_default();
        self.take(table, usize::from(symbol), slot)?;
        Ok(symbol)
    }

    fn take(&mut self, table: &FrequencyTable, symbol: usize, slot: u32) -> Result<(), FormatError> {
        let (start, frequency) = table.range(symbol);
        // At most frequency × 2^20 + 4095, below 2^32.
        self.state = frequency * (self.state >> PROBABILITY_BITS) + slot - start;
        if self.state < MIN_STATE {
            let (word, rest) = self.words.split_first().ok_or(FormatError::truncated(self.part, "codes"))?;
            self.words = rest;
            self.state = self.state << 16 | u32::from(u16::from_le_bytes(*word));
        }
        Ok(())
    }

    /// Returns an error unless the stream was read to its end.
    pub fn finish(&self) -> Result<(), FormatError> {
        if self.words.is_empty() && self.state == MIN_STATE {
            Ok(())
        } else {
            Err(FormatError::corrupt(self.part, "codes after the end"))
        }
    }
}

/// Collects symbols for a stream.
///
/// [`FrequencyTable`] has an example.
#[cfg(feature = "write")]
#[derive(Clone, Debug, Default)]
pub struct Encoder {
    ranges: Vec<(u32, u32)>,
}

#[cfg(feature = "write")]
impl Encoder {
    /// Appends a symbol.
    pub fn push(&mut self, table: &FrequencyTable, symbol: usize) {
        self.ranges.push(table.range(symbol));
    }

    /// Returns the stream.
    pub fn finish(self) -> Vec<u8> {
        let mut state = MIN_STATE;
        let mut words = Vec::new();
        for (start, frequency) in self.ranges.into_iter().rev() {
            if u64::from(state) >= u64::from(frequency) << (32 - PROBABILITY_BITS) {
                words.push(state as u16);
                state >>= 16;
            }
            state = (state / frequency) << PROBABILITY_BITS | (state % frequency + start);
        }
        let mut stream = state.to_le_bytes().to_vec();
        stream.extend(words.into_iter().rev().flat_map(u16::to_le_bytes));
        stream
    }
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn symbols_round_trip_at_their_entropy(weights in prop::collection::vec(0.0f64..1.0, 1..40), picks in prop::collection::vec(any::<prop::sample::Index>(), 0..400)) {
            let table = FrequencyTable::new(&weights);
            let symbols: Vec<usize> = picks.iter().map(|pick| pick.index(weights.len())).collect();
            let mut encoder = Encoder::default();
            symbols.iter().for_each(|&symbol| encoder.push(&table, symbol));
            let stream = encoder.finish();
            let bits: f64 = symbols.iter().map(|&symbol| f64::from(PROBABILITY_BITS) - f64::from(table.range(symbol).1).log2()).sum();
            prop_assert!(stream.len() as f64 <= bits / 8.0 * 1.01 + 8.0, "{} bytes for {bits} bits", stream.len());
            let mut decoder = Decoder::new("test", &stream).unwrap();
            for symbol in symbols {
                prop_assert_eq!(decoder.next(&table).unwrap(), symbol);
            }
            decoder.finish().unwrap();
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let table = FrequencyTable::new(&[0.5, 0.2, 0.0]);
            if let Ok(mut decoder) = Decoder::new("test", &bytes) {
                while let (Ok(symbol), true) = (decoder.next(&table), !decoder.words.is_empty()) {
                    prop_assert!(symbol < 3);
                }
            }
        }
    }

    #[test]
    fn frequencies_add_up() {
        for weights in [vec![0.0; 5], vec![1.0], vec![1e300, 1.0, 0.0], vec![0.1; 31]] {
            let table = FrequencyTable::new(&weights);
            assert_eq!(u32::from(*table.starts.last().unwrap()), TOTAL);
            assert!(table.starts.is_sorted_by(|a, b| a < b));
        }
    }
}

//! Stores the weights of a linear layer as whole numbers from −127 to 127, in as few bits as their frequencies allow.
//!
//! Layout: lowest number, i8; highest number, i8; the frequency of each number from lowest to highest in 4096ths, u16;
//! the numbers as a stream of [`crate::vector::ans`].

use super::row_blocks::NAME;
use crate::format::FormatError;
use crate::vector::ans::{Decoder, FrequencyTable};

const HEAD_BYTES: usize = 2;
/// Maximum number of weights per byte in matrices larger than [`ALWAYS_READ`]. Real weights take whole bits, not
/// fractions of a bit.
const MAX_A_BYTE: usize = 16;
const ALWAYS_READ: usize = 1 << 16;

/// Encodes `weights`, which must not be empty.
#[cfg(feature = "write")]
pub fn write_weights(weights: &[i8]) -> Vec<u8> {
    let lowest = weights.iter().copied().min().unwrap_or(0);
    let highest = weights.iter().copied().max().unwrap_or(0);
    let symbol = |weight: i8| (i16::from(weight) - i16::from(lowest)) as usize;
    let mut counts = vec![0u64; symbol(highest) + 1];
    weights.iter().for_each(|&weight| counts[symbol(weight)] += 1);
    let table = FrequencyTable::of_counts(&counts);
    let mut bytes = vec![lowest as u8, highest as u8];
    bytes.extend(table.frequencies().flat_map(u16::to_le_bytes));
    let mut encoder = crate::vector::ans::Encoder::default();
    weights.iter().for_each(|&weight| encoder.push(&table, symbol(weight)));
    bytes.extend(encoder.finish());
    bytes
}

/// Decodes `count` weights.
pub(super) fn read_weights(bytes: &[u8], count: usize) -> Result<Vec<i8>, FormatError> {
    let corrupt = || FormatError::corrupt(NAME, "weights");
    let (head, rest) = bytes.split_first_chunk::<HEAD_BYTES>().ok_or_else(corrupt)?;
    let [lowest, highest] = head.map(|byte| byte as i8);
    let symbols = usize::try_from(i16::from(highest) - i16::from(lowest) + 1).map_err(|_| corrupt())?;
    let (frequencies, stream) = rest.split_at_checked(2 * symbols).ok_or_else(corrupt)?;
    let (frequencies, _) = frequencies.as_chunks();
    let frequencies: Vec<u16> = frequencies.iter().map(|two| u16::from_le_bytes(*two)).collect();
    let table = FrequencyTable::of_frequencies(&frequencies).ok_or_else(corrupt)?;
    // A number that is certain takes no bits, so a few bytes could otherwise claim any amount of memory.
    if count > ALWAYS_READ && count / MAX_A_BYTE > bytes.len() {
        return Err(corrupt());
    }
    let mut weights = Vec::with_capacity(count);
    let slots = table.symbols_by_slot();
    let mut decoder = Decoder::new(NAME, stream)?;
    for _ in 0..count {
        let symbol = decoder.next_by_slot(&table, &slots)?;
        weights.push((i16::from(lowest) + i16::from(symbol)) as i8);
    }
    decoder.finish()?;
    Ok(weights)
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn weights_of_one_value_take_no_bits() {
        let coded = write_weights(&[5; 10_000]);
        assert_eq!(coded.len(), 2 + 2 + 4);
        assert_eq!(read_weights(&coded, 10_000).unwrap(), [5; 10_000]);
        assert!(read_weights(&coded, 1 << 30).is_err(), "eight bytes must not take a gigabyte");
    }

    proptest! {
        #[test]
        fn weights_round_trip(weights in prop::collection::vec(any::<i8>(), 1..400)) {
            let coded = write_weights(&weights);
            prop_assert_eq!(read_weights(&coded, weights.len()).unwrap(), weights.clone());
            prop_assert!(read_weights(&coded, weights.len() + 1).is_err() || weights.iter().all(|&weight| weight == weights[0]));
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..600), count in 0usize..100) {
            let _ = read_weights(&bytes, count);
        }

        #[test]
        fn a_changed_byte_is_read_or_refused(weights in prop::collection::vec(-3i8..4, 1..100), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
            let mut coded = write_weights(&weights);
            let at = at.index(coded.len());
            coded[at] = byte;
            let _ = read_weights(&coded, weights.len());
        }
    }
}

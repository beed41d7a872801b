//! The small encoder: a few layers, trained to map questions to the vectors of the default model. The program contains
//! the layers. The word rows come from the model, with 4 bits.

use anyhow::{Context as _, Result};
use nearfind_core::embed::model_pack::{Architecture, ModelPack};
use nearfind_core::embed::{GroupRows, RowBits, SharedBytes};
use rayon::prelude::*;

/// The pack without its word rows. `native-indexer/models/small_encoder/README.md` describes how it was trained.
static START: &[u8] = include_bytes!("../../small_encoder/layers.nfm");
/// Number of rows that each CPU core converts at once.
const ROWS: usize = 512;

/// Returns the pack of the small encoder that may encode questions to bundles made with `model`. There is one only if
/// the small encoder uses the model's word rows.
pub fn small_encoder_of(model: &ModelPack<SharedBytes>) -> Result<Option<ModelPack<SharedBytes>>> {
    let start = ModelPack::open_start(SharedBytes::new(START)).context("the program's small encoder")?;
    let Some(rows) = rows_in_four_bits(model, &start)? else { return Ok(None) };
    let whole = [START, &rows].concat();
    // The start contains a hash of each block of rows, so rows from a different model are refused.
    Ok(ModelPack::open(SharedBytes::new(whole)).ok())
}

/// Returns the word rows of `model`, if their number and length match `start`.
fn rows_in_four_bits(model: &ModelPack<SharedBytes>, start: &ModelPack<SharedBytes>) -> Result<Option<Vec<u8>>> {
    let Architecture::QuantizedBert { shape: wanted, table } = &start.header().architecture else { return Ok(None) };
    let (width, group) = (wanted.hidden as usize, table.group as usize);
    let (shape, bits) = match &model.header().architecture {
        Architecture::Bert(shape) => (shape, None),
        Architecture::QuantizedBert { shape, table: of_model } if of_model.group == table.group => {
            (shape, RowBits::of(of_model.bits))
        }
        Architecture::QuantizedBert { .. } | Architecture::Onnx => return Ok(None),
    };
    if (shape.hidden, shape.vocabulary) != (wanted.hidden, wanted.vocabulary) {
        return Ok(None);
    }
    let eight = match bits {
        None => {
            let (values, _) = model.blob("embeddings.word_embeddings.weight")?.as_chunks::<4>();
            let values: Vec<f32> = values.iter().map(|four| f32::from_le_bytes(*four)).collect();
            eight_of_full(&values, width, group)?
        }
        Some(RowBits::Eight) => model.bytes()[model.start_bytes()..].to_vec(),
        Some(RowBits::Four) => return Ok(None),
    };
    Ok(Some(four_of_eight(eight, width, group)?))
}

/// Converts full-precision rows to 8 bits.
pub(super) fn eight_of_full(rows: &[f32], width: usize, group: usize) -> Result<Vec<u8>> {
    let parts = rows.par_chunks(width * ROWS).map(|part| GroupRows::write(part, RowBits::Eight, width, group));
    Ok(parts.collect::<Result<Vec<_>, _>>()?.concat())
}

/// Converts 8-bit rows to 4 bits. A model in full precision and the same model in 8 bits yield the same rows.
pub(super) fn four_of_eight(eight: Vec<u8>, width: usize, group: usize) -> Result<Vec<u8>> {
    let row_bytes = GroupRows::row_bytes(RowBits::Eight, width, group).context("a row of words")?;
    let rows = eight.len() / row_bytes;
    let table = GroupRows::new(SharedBytes::new(eight), RowBits::Eight, rows, width, group)?;
    let part = |first: usize| -> Result<Vec<u8>> {
        let last = (first + ROWS).min(rows);
        let mut values = vec![0.0; (last - first) * width];
        values.chunks_exact_mut(width).zip(first..).try_for_each(|(row, number)| table.read(number, row))?;
        Ok(GroupRows::write(&values, RowBits::Four, width, group)?)
    };
    let firsts: Vec<usize> = (0..rows).step_by(ROWS).collect();
    Ok(firsts.into_par_iter().map(part).collect::<Result<Vec<_>>>()?.concat())
}

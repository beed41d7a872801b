//! Quantizes a full-precision BERT pack to a few bits.

use super::small_encoder::{eight_of_full, four_of_eight};
use anyhow::{Context as _, Result, bail};
use nearfind_core::embed::model_pack::{
    Architecture, BertShape, ModelPack, QuantizedTable, TOKENIZER_BLOB, VOCABULARY_BLOB, write_pack,
};
use nearfind_core::embed::{GroupRows, ROW_HASHES_BLOB, RowBits, RowBlocks, SharedBytes, write_weights};
use rayon::prelude::*;

/// Number of components in an embedding that share a scale.
const GROUP: u32 = 32;
/// Largest integer that a weight is rounded to.
const MOST: f32 = 127.0;

/// Precision of a quantized model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// Number of bits in the word embeddings.
    pub words: RowBits,
    /// Rounding step for weights in linear layers, as a share of a row's root mean square. A weight takes about 2 −
    /// log₂(step) bits.
    pub step: f32,
}

impl Default for Precision {
    /// A page fetches only a few word rows, so they need not be small. It fetches all weights, which take 5.5 bits
    /// each.
    fn default() -> Self {
        Self { words: RowBits::Eight, step: 0.09 }
    }
}

/// Steps for each kind of layer, as multiples of the requested step. They are chosen so that saving a bit costs the
/// same everywhere. The cost was measured on MiniLM, as the loss of cosine compared with full precision if only one
/// kind is rounded. Rounding values costs twenty times as much as rounding queries, because a softmax dampens errors in
/// queries.
const STEPS: [(&str, f32); 6] = [
    ("attention.self.query", 1.85),
    ("attention.self.key", 1.59),
    ("attention.self.value", 0.42),
    ("attention.output.dense", 0.72),
    ("intermediate.dense", 0.92),
    ("output.dense", 1.12),
];

/// Quantizes `pack` into a pack called `name`. Linear layers become integers with one scale per output.
///
/// Positions beyond the maximum number of tokens are dropped, because nothing reads them.
pub fn quantize(pack: &ModelPack<SharedBytes>, precision: Precision, name: &str) -> Result<ModelPack<SharedBytes>> {
    let mut header = pack.header().clone();
    let shape = match &header.architecture {
        Architecture::Bert(shape) => shape.clone(),
        Architecture::QuantizedBert { .. } => bail!("{} is already quantized", header.name),
        Architecture::Onnx => {
            bail!("{} is an ONNX model: only BERT encoders imported from model.safetensors are quantized", header.name)
        }
    };
    if shape.distances > 0 {
        bail!("{} is an MPNet model, which runs only natively, in full precision", header.name);
    }
    let shape = BertShape { positions: header.max_tokens, ..shape };
    if !shape.hidden.is_multiple_of(GROUP) {
        bail!("{}: its width {} is not a multiple of {GROUP}", header.name, shape.hidden);
    }
    let full = FullPrecision { pack, shape: &shape, step: precision.step };
    let kept = [VOCABULARY_BLOB, TOKENIZER_BLOB]
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), pack.blob(name).ok()?.to_vec())));
    let mut blobs: Blobs = kept.collect();
    let rows = full.words(precision.words)?;
    let row_bytes = rows.len() / shape.vocabulary.max(1) as usize;
    let (cut, hashes) = RowBlocks::of(&rows, row_bytes);
    blobs.push((ROW_HASHES_BLOB.to_owned(), hashes));
    blobs.push(full.positions()?);
    blobs.extend(full.as_it_is("embeddings.LayerNorm")?);
    if header.scores {
        // The pooling layer reads only the first token's row, so quantizing it would save nothing.
        blobs.extend(full.as_it_is("pooler.dense")?);
        blobs.extend(full.as_it_is("classifier")?);
    }
    let layers = (0..shape.layers).into_par_iter().map(|layer| full.layer(layer)).collect::<Result<Vec<_>>>()?;
    blobs.extend(layers.into_iter().flatten());
    name.clone_into(&mut header.name);
    let table = QuantizedTable { bits: precision.words.count(), group: GROUP };
    header.architecture = Architecture::QuantizedBert { shape, table };
    header.rows = Some(cut);
    let mut bytes = write_pack(header, &blobs);
    bytes.extend(rows);
    Ok(ModelPack::open(SharedBytes::new(bytes))?)
}

type Blobs = Vec<(String, Vec<u8>)>;

struct FullPrecision<'a> {
    pack: &'a ModelPack<SharedBytes>,
    shape: &'a BertShape,
    step: f32,
}

impl FullPrecision<'_> {
    fn tensor(&self, name: &str) -> Result<Vec<f32>> {
        let (values, _) = self.pack.blob(name).with_context(|| format!("tensor {name}"))?.as_chunks::<4>();
        Ok(values.iter().map(|four| f32::from_le_bytes(*four)).collect())
    }

    fn words(&self, bits: RowBits) -> Result<Vec<u8>> {
        let (hidden, group) = (self.shape.hidden as usize, GROUP as usize);
        let rows = self.tensor("embeddings.word_embeddings.weight")?;
        let eight = eight_of_full(&rows, hidden, group)?;
        match bits {
            RowBits::Eight => Ok(eight),
            RowBits::Four => four_of_eight(eight, hidden, group),
        }
    }

    fn positions(&self) -> Result<(String, Vec<u8>)> {
        let (hidden, group) = (self.shape.hidden as usize, GROUP as usize);
        let mut positions = self.tensor("embeddings.position_embeddings.weight")?;
        positions.truncate(self.shape.positions as usize * hidden);
        let kinds = self.tensor("embeddings.token_type_embeddings.weight")?;
        let of_kind = |kind: &[f32]| {
            positions
                .chunks_exact(hidden)
                .flat_map(|row| row.iter().zip(kind).map(|(a, b)| a + b))
                .collect::<Vec<f32>>()
        };
        let positions = kinds.chunks_exact(hidden).flat_map(of_kind).collect::<Vec<f32>>();
        Ok(("embeddings.positions".to_owned(), GroupRows::write(&positions, RowBits::Eight, hidden, group)?))
    }

    /// Returns the weight and the bias called `name`, unchanged.
    fn as_it_is(&self, name: &str) -> Result<Blobs> {
        let names = ["weight", "bias"].map(|part| format!("{name}.{part}"));
        names.into_iter().map(|name| Ok((name.clone(), bytes_of(&self.tensor(&name)?)))).collect()
    }

    fn layer(&self, number: u32) -> Result<Blobs> {
        let base = format!("encoder.layer.{number}");
        let attention = format!("{base}.attention");
        let mut blobs = self.linear(
            &format!("{attention}.self"),
            &["query", "key", "value"].map(|part| format!("{attention}.self.{part}")),
            // Queries are scaled here by the factor that attention would apply to their scores.
            ((self.shape.hidden / self.shape.heads) as f32).sqrt().recip(),
        )?;
        for name in [
            &format!("{attention}.output.dense"),
            &format!("{base}.intermediate.dense"),
            &format!("{base}.output.dense"),
        ] {
            blobs.extend(self.linear(name, std::slice::from_ref(name), 1.0)?);
        }
        for name in [&format!("{attention}.output.LayerNorm"), &format!("{base}.output.LayerNorm")] {
            blobs.extend(self.as_it_is(name)?);
        }
        Ok(blobs)
    }

    /// Joins the layers called `parts` into one layer called `name`. The first layer's results are multiplied by
    /// `scale_of_first`.
    fn linear(&self, name: &str, parts: &[String], scale_of_first: f32) -> Result<Blobs> {
        let (mut blobs, mut scales, mut bias) = (Blobs::new(), Vec::new(), Vec::new());
        for (number, part) in parts.iter().enumerate() {
            let factor = if number == 0 { scale_of_first } else { 1.0 };
            let (full, own_bias) = (self.tensor(&format!("{part}.weight"))?, self.tensor(&format!("{part}.bias"))?);
            let depth = full.len() / own_bias.len().max(1);
            let step = self.step * STEPS.iter().find(|(kind, _)| part.ends_with(kind)).map_or(1.0, |(_, step)| *step);
            let mut weights = Vec::with_capacity(full.len());
            for row in full.chunks_exact(depth.max(1)) {
                let scale = row_scale(row, step);
                weights.extend(row.iter().map(|&weight| code(weight, scale)));
                scales.push(scale * factor);
            }
            blobs.push((format!("{part}.weights"), write_weights(&weights)));
            bias.extend(own_bias.iter().map(|bias| bias * factor));
        }
        blobs.push((format!("{name}.scales"), bytes_of(&scales)));
        blobs.push((format!("{name}.bias"), bytes_of(&bias)));
        Ok(blobs)
    }
}

fn bytes_of(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn code(weight: f32, scale: f32) -> i8 {
    if scale > 0.0 { (weight / scale).round().clamp(-MOST, MOST) as i8 } else { 0 }
}

/// Returns the scale of a row: a share of its root mean square, large enough to represent its largest weight.
fn row_scale(row: &[f32], step: f32) -> f32 {
    let squares: f32 = row.iter().map(|weight| weight * weight).sum();
    let reach = row.iter().fold(0.0f32, |most, weight| most.max(weight.abs())) / MOST;
    (step * (squares / row.len() as f32).sqrt()).max(reach)
}

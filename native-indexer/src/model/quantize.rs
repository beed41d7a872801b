//! A BERT pack in full precision to one in 8 and 4 bits.

use anyhow::{Context as _, Result, bail};
use nearfind_core::embed::model_pack::{
    Architecture, BertShape, ModelPack, QuantizedTable, VOCABULARY_BLOB, write_pack,
};
use nearfind_core::embed::{GroupRows, RowBits, SharedBytes, write_panels};
use rayon::prelude::*;

/// Components of an embedding that share a scale.
const GROUP: u32 = 32;

/// How many bits are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Precision {
    /// Of the embeddings of words, which are half of a small model.
    pub words: RowBits,
    /// Of the weights of linear layers.
    pub linears: RowBits,
}

impl Default for Precision {
    fn default() -> Self {
        Self { words: RowBits::Four, linears: RowBits::Eight }
    }
}

/// Makes the quantized pack of `pack`, called `name`: linear layers with 8 bits and a scale for each output.
///
/// Positions beyond the maximum of tokens are left out, as nothing reads them.
pub fn quantize(pack: &ModelPack<SharedBytes>, precision: Precision, name: &str) -> Result<ModelPack<SharedBytes>> {
    let mut header = pack.header().clone();
    let shape = match &header.architecture {
        Architecture::Bert(shape) => shape.clone(),
        Architecture::QuantizedBert { .. } => bail!("{} is quantized already", header.name),
        Architecture::Onnx => {
            bail!("{} is an ONNX model: only BERT encoders imported from model.safetensors are quantized", header.name)
        }
    };
    if shape.distances > 0 {
        bail!("{} is an MPNet: it runs in full precision alone, natively", header.name);
    }
    let shape = BertShape { positions: header.max_tokens, ..shape };
    if !shape.hidden.is_multiple_of(GROUP) {
        bail!("{}: its width {} is not a multiple of {GROUP}", header.name, shape.hidden);
    }
    let full = FullPrecision { pack, shape: &shape, linears: precision.linears };
    let mut blobs = vec![(VOCABULARY_BLOB.to_owned(), pack.blob(VOCABULARY_BLOB)?.to_vec())];
    blobs.extend(full.tables(precision.words)?);
    blobs.extend(full.as_it_is("embeddings.LayerNorm")?);
    if header.scores {
        // One row of the first token: what it would save is nothing.
        blobs.extend(full.as_it_is("pooler.dense")?);
        blobs.extend(full.as_it_is("classifier")?);
    }
    let layers = (0..shape.layers).into_par_iter().map(|layer| full.layer(layer)).collect::<Result<Vec<_>>>()?;
    blobs.extend(layers.into_iter().flatten());
    name.clone_into(&mut header.name);
    let table = QuantizedTable { bits: precision.words.count(), group: GROUP, linear_bits: precision.linears.count() };
    header.architecture = Architecture::QuantizedBert { shape, table };
    Ok(ModelPack::open(SharedBytes::new(write_pack(header, &blobs)))?)
}

type Blobs = Vec<(String, Vec<u8>)>;

struct FullPrecision<'a> {
    pack: &'a ModelPack<SharedBytes>,
    shape: &'a BertShape,
    linears: RowBits,
}

impl FullPrecision<'_> {
    fn tensor(&self, name: &str) -> Result<Vec<f32>> {
        let (values, _) = self.pack.blob(name).with_context(|| format!("tensor {name}"))?.as_chunks::<4>();
        Ok(values.iter().map(|four| f32::from_le_bytes(*four)).collect())
    }

    fn tables(&self, words: RowBits) -> Result<Blobs> {
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
        let rows = self.tensor("embeddings.word_embeddings.weight")?;
        let parts = rows.par_chunks(hidden * 512).map(|part| GroupRows::write(part, words, hidden, group));
        Ok(vec![
            ("embeddings.words".to_owned(), parts.collect::<Result<Vec<_>, _>>()?.concat()),
            ("embeddings.positions".to_owned(), GroupRows::write(&positions, RowBits::Eight, hidden, group)?),
        ])
    }

    /// The weight and the bias called `name`, as they are.
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
            // Queries are divided here by what attention would divide their scores with.
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

    /// The layers called `parts` as one, called `name`; results of the first are multiplied with `scale_of_first`.
    fn linear(&self, name: &str, parts: &[String], scale_of_first: f32) -> Result<Blobs> {
        let (mut full, mut factors, mut bias) = (Vec::new(), Vec::new(), Vec::new());
        for (number, part) in parts.iter().enumerate() {
            let factor = if number == 0 { scale_of_first } else { 1.0 };
            full.extend(self.tensor(&format!("{part}.weight"))?);
            let own_bias = self.tensor(&format!("{part}.bias"))?;
            factors.resize(factors.len() + own_bias.len(), factor);
            bias.extend(own_bias.iter().map(|bias| bias * factor));
        }
        let depth = full.len() / bias.len().max(1);
        let rows = full.chunks_exact(depth.max(1)).zip(factors);
        let bias = (format!("{name}.bias"), bytes_of(&bias));
        if self.linears == RowBits::Four {
            let scaled: Vec<f32> =
                rows.flat_map(|(row, factor)| row.iter().map(move |weight| weight * factor)).collect();
            let rows = GroupRows::write(&scaled, RowBits::Four, depth, GROUP as usize)?;
            return Ok(vec![(format!("{name}.rows"), rows), bias]);
        }
        let (mut weights, mut scales) = (Vec::new(), Vec::new());
        for (row, factor) in rows {
            let scale = best_scale(row);
            weights.extend(row.iter().map(|&weight| code(weight, scale)));
            scales.push(scale * factor);
        }
        Ok(vec![
            (format!("{name}.panels"), write_panels(&weights, scales.len(), depth)?),
            (format!("{name}.scales"), bytes_of(&scales)),
            bias,
        ])
    }
}

fn bytes_of(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn code(weight: f32, scale: f32) -> i8 {
    if scale > 0.0 { (weight / scale).round().clamp(-127.0, 127.0) as i8 } else { 0 }
}

/// Of some scales up to the one that reaches the largest weight, that with the least squared error.
fn best_scale(row: &[f32]) -> f32 {
    let reach = row.iter().fold(0.0f32, |most, weight| most.max(weight.abs())) / 127.0;
    let error = |scale: f32| -> f32 {
        row.iter().map(|&weight| (weight - f32::from(code(weight, scale)) * scale).powi(2)).sum()
    };
    let candidates = (70..=100).map(|percent| reach * percent as f32 / 100.0);
    candidates.map(|scale| (error(scale), scale)).min_by(|a, b| a.0.total_cmp(&b.0)).map_or(0.0, |(_, scale)| scale)
}

//! A BERT encoder as a tract graph over one unpadded sequence: token numbers `[tokens]` in, vectors `[tokens × hidden]`
//! out.
//!
//! A single sequence needs no padding and no attention mask, and a text's vector cannot depend on its batch. Positions
//! and token types share a table, and the scale of attention is folded into the query projection. MPNet (Song et al.,
//! 2020) is the same, except that attention has a term for the distance between two tokens.

use super::model_pack::{BertShape, ModelPack};
use super::token_model::{TokenModel, TokenOutput, Tokens, position_rows};
use crate::format::FormatError;
use std::sync::Arc;
use tract_core::internal::{
    Datum, DatumExt, OutletId, SpecialOps, Tensor, ToDim, TractErrorContext, TractResult, TypedModel, TypedOp,
    TypedSimplePlan, bail, ensure, tensor1, tensor2, tvec, wire_with_rank_broadcast,
};
use tract_core::ops::array::Gather;
use tract_core::ops::change_axes::AxisOp;
use tract_core::ops::einsum::EinSum;
use tract_core::ops::math;
use tract_core::ops::nn::{Reduce, Reducer, Softmax, gelu_exact};

/// An optimized graph.
pub(super) struct BertModel {
    plan: Arc<TypedSimplePlan>,
    vocabulary: u32,
    distances: u32,
    /// The row where the positions of second texts begin.
    second_kind: usize,
}

impl BertModel {
    pub(super) fn build<B: AsRef<[u8]>>(pack: &ModelPack<B>, shape: &BertShape) -> TractResult<Self> {
        let plan = TypedSimplePlan::new(build(pack, shape)?.into_optimized()?)?;
        let second_kind = shape.second_kind_at();
        Ok(Self { plan, vocabulary: shape.vocabulary, distances: shape.distances, second_kind })
    }

    fn try_run(&self, tokens: &Tokens) -> TractResult<TokenOutput> {
        let ids = &tokens.ids;
        ensure!(ids.iter().all(|&id| id < self.vocabulary), "the tokenizer knows more tokens than the model");
        let rows: Vec<i64> = position_rows(tokens, self.second_kind).map(|row| row as i64).collect();
        let ids: Vec<i64> = ids.iter().map(|&id| i64::from(id)).collect();
        let mut inputs = tvec![tensor1(&ids).into(), tensor1(&rows).into()];
        if self.distances > 0 {
            let places = 0..ids.len() as i64;
            let rows = places.clone().flat_map(|from| places.clone().map(move |to| to - from));
            let rows: Vec<i64> = rows.map(|distance| distance_row(distance, self.distances)).collect();
            inputs.push(Tensor::from_shape(&[ids.len(), ids.len()], &rows)?.into());
        }
        let outputs = self.plan.run(inputs)?;
        Ok(TokenOutput::Tokens(outputs[0].try_as_plain_ram()?.as_slice::<f32>()?.to_vec()))
    }
}

impl TokenModel for BertModel {
    fn run(&self, sequences: &[Tokens]) -> Result<Vec<TokenOutput>, String> {
        sequences.iter().map(|tokens| self.try_run(tokens).map_err(|error| format!("{error:#}"))).collect()
    }
}

/// Returns the row for a distance between tokens, negative to the left, in a table with `rows` rows. Each direction has
/// half of the rows. Half of those are for one distance each, and the others for ranges of distances that widen up to
/// 128 (Raffel et al., "Exploring the Limits of Transfer Learning", 2020).
fn distance_row(distance: i64, rows: u32) -> i64 {
    const FARTHEST: f32 = 128.0;
    let side = i64::from(rows / 2);
    let first = if distance > 0 { side } else { 0 };
    let (near, distance) = (side / 2, distance.abs());
    if distance < near {
        return first + distance;
    }
    let (near_f, steps) = (near as f32, (side - near) as f32);
    let far = libm::logf(distance as f32 / near_f) / libm::logf(FARTHEST / near_f) * steps;
    first + (near + far as i64).min(side - 1)
}

/// Builds the graph. Its inputs are token numbers and position numbers, both `[tokens]` i64, and, for a model with
/// distances, the rows of its distance table, `[tokens × tokens]`.
fn build<B: AsRef<[u8]>>(pack: &ModelPack<B>, shape: &BertShape) -> TractResult<TypedModel> {
    let mut graph = GraphBuilder::new(pack, shape)?;
    let tokens = graph.model.sym("tokens");
    let ids = graph.model.add_source("ids", i64::fact([tokens.clone()]))?;
    let positions = graph.model.add_source("positions", i64::fact([tokens.clone()]))?;
    if shape.distances > 0 {
        let rows = graph.model.add_source("distances", i64::fact([tokens.clone(), tokens]))?;
        graph.distances(rows)?;
    }
    let mut states = graph.embeddings(ids, positions)?;
    for layer in 0..shape.layers {
        states = graph.layer(layer, states)?;
    }
    graph.model.select_output_outlets(&[states])?;
    Ok(graph.model)
}

struct GraphBuilder<'a, B> {
    model: TypedModel,
    pack: &'a ModelPack<B>,
    shape: &'a BertShape,
    hidden: usize,
    head: usize,
    /// The term that attention adds to its scores, `[heads × tokens × tokens]`.
    distances: Option<OutletId>,
}

impl<'a, B: AsRef<[u8]>> GraphBuilder<'a, B> {
    fn new(pack: &'a ModelPack<B>, shape: &'a BertShape) -> TractResult<Self> {
        let (hidden, heads) = (shape.hidden as usize, shape.heads as usize);
        ensure!(heads > 0 && hidden > 0 && hidden.is_multiple_of(heads), "{heads} heads do not divide {hidden}");
        ensure!(shape.distances.is_multiple_of(4), "{} distances are not two sides of two halves", shape.distances);
        Ok(Self { model: TypedModel::default(), pack, shape, hidden, head: hidden / heads, distances: None })
    }

    /// Returns the tensor in blob `name`, which must have exactly the shape `dims`.
    fn tensor(&self, name: &str, dims: &[usize]) -> TractResult<Tensor> {
        let bytes = self.pack.blob(name).with_context(|| format!("tensor {name}"))?;
        let count = dims.iter().try_fold(4usize, |all, dim| all.checked_mul(*dim));
        if count != Some(bytes.len()) {
            bail!(FormatError::corrupt("model pack", "size of a tensor"));
        }
        let values: Vec<f32> =
            bytes.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect();
        Tensor::from_shape(dims, &values)
    }

    fn constant(&mut self, name: &str, tensor: Tensor) -> TractResult<OutletId> {
        self.model.add_const(name.to_owned(), tensor)
    }

    fn op(&mut self, name: &str, op: impl Into<Box<dyn TypedOp>>, inputs: &[OutletId]) -> TractResult<OutletId> {
        Ok(self.model.wire_node(name.to_owned(), op, inputs)?[0])
    }

    /// Adds an element-wise operation on two inputs, with the smaller one broadcast.
    fn pair(&mut self, name: &str, op: impl Into<Box<dyn TypedOp>>, a: OutletId, b: OutletId) -> TractResult<OutletId> {
        Ok(wire_with_rank_broadcast(name, &mut self.model, op, &[a, b])?[0])
    }

    fn embeddings(&mut self, ids: OutletId, positions: OutletId) -> TractResult<OutletId> {
        let (rows, hidden) = (self.shape.positions as usize, self.hidden);
        let words = self.tensor("embeddings.word_embeddings.weight", &[self.shape.vocabulary as usize, hidden])?;
        let places = self.tensor("embeddings.position_embeddings.weight", &[rows, hidden])?;
        let places = places.try_as_plain_ram()?.as_slice::<f32>()?.to_vec();
        let kinds = self.tensor("embeddings.token_type_embeddings.weight", &[self.shape.kinds(), hidden])?;
        let mut of_kinds = Vec::with_capacity(places.len() * self.shape.kinds());
        for kind in kinds.try_as_plain_ram()?.as_slice::<f32>()?.chunks_exact(hidden) {
            let rows = places.chunks_exact(hidden);
            of_kinds.extend(rows.flat_map(|row| row.iter().zip(kind).map(|(place, kind)| place + kind)));
        }
        let places = Tensor::from_shape(&[rows * self.shape.kinds(), hidden], &of_kinds)?;
        let words = self.constant("words", words)?;
        let places = self.constant("places", places)?;
        let word = self.op("word", Gather::new(0), &[words, ids])?;
        let place = self.op("place", Gather::new(0), &[places, positions])?;
        let sum = self.op("embedding", math::add(), &[word, place])?;
        self.layer_norm("embeddings.LayerNorm", sum)
    }

    fn distances(&mut self, rows: OutletId) -> TractResult<()> {
        let dims = [self.shape.distances as usize, self.shape.heads as usize];
        let table = self.tensor("encoder.relative_attention_bias.weight", &dims)?;
        let table = self.constant("distance.table", table)?;
        let by_pair = self.op("distance", Gather::new(0), &[table, rows])?;
        self.distances = Some(self.op("distance.by_head", AxisOp::Move(2, 0), &[by_pair])?);
        Ok(())
    }

    fn layer_norm(&mut self, name: &str, x: OutletId) -> TractResult<OutletId> {
        let hidden = self.hidden;
        let per_row = self.constant(&format!("{name}.share"), tensor2(&[[1.0 / hidden as f32]]))?;
        let epsilon = self.constant(&format!("{name}.epsilon"), tensor2(&[[self.shape.epsilon]]))?;
        let weight = self.tensor(&format!("{name}.weight"), &[1, hidden])?;
        let bias = self.tensor(&format!("{name}.bias"), &[1, hidden])?;
        let weight = self.constant(&format!("{name}.weight"), weight)?;
        let bias = self.constant(&format!("{name}.bias"), bias)?;
        let sum = self.op(&format!("{name}.sum"), Reduce::new(tvec![1], Reducer::Sum), &[x])?;
        let mean = self.pair(&format!("{name}.mean"), math::mul(), sum, per_row)?;
        let centred = self.pair(&format!("{name}.centred"), math::sub(), x, mean)?;
        let squares = Reduce::new(tvec![1], Reducer::MeanOfSquares);
        let variance = self.op(&format!("{name}.variance"), squares, &[centred])?;
        let variance = self.pair(&format!("{name}.padded"), math::add(), variance, epsilon)?;
        let inverse = self.op(&format!("{name}.inverse"), math::rsqrt(), &[variance])?;
        let scaled = self.pair(&format!("{name}.scaled"), math::mul(), centred, inverse)?;
        let weighted = self.pair(&format!("{name}.weighted"), math::mul(), scaled, weight)?;
        self.pair(&format!("{name}.out"), math::add(), weighted, bias)
    }

    /// Adds `x · Wᵀ + b`, with `W` and `b` multiplied by `scale`.
    fn linear(&mut self, name: &str, x: OutletId, from: usize, to: usize, scale: f32) -> TractResult<OutletId> {
        let mut weight = self.tensor(&format!("{name}.weight"), &[to, from])?;
        let mut bias = self.tensor(&format!("{name}.bias"), &[1, to])?;
        for tensor in [&mut weight, &mut bias] {
            for value in tensor.try_as_plain_ram_mut()?.as_slice_mut::<f32>()? {
                *value *= scale;
            }
        }
        let weight = self.constant(&format!("{name}.weight"), weight)?;
        let bias = self.constant(&format!("{name}.bias"), bias)?;
        let product = self.einsum(&format!("{name}.product"), "mk,nk->mn", x, weight)?;
        self.pair(&format!("{name}.out"), math::add(), product, bias)
    }

    fn einsum(&mut self, name: &str, axes: &str, a: OutletId, b: OutletId) -> TractResult<OutletId> {
        self.op(name, EinSum::new(axes.parse()?, f32::datum_type()), &[a, b])
    }

    fn layer(&mut self, number: u32, x: OutletId) -> TractResult<OutletId> {
        let base = format!("encoder.layer.{number}");
        let (hidden, wide) = (self.hidden, self.shape.intermediate as usize);
        let attended = self.attention(&format!("{base}.attention"), x)?;
        let attended = self.linear(&format!("{base}.attention.output.dense"), attended, hidden, hidden, 1.0)?;
        let sum = self.op(&format!("{base}.attention.sum"), math::add(), &[attended, x])?;
        let x = self.layer_norm(&format!("{base}.attention.output.LayerNorm"), sum)?;
        let inner = self.linear(&format!("{base}.intermediate.dense"), x, hidden, wide, 1.0)?;
        let inner = self.op(&format!("{base}.gelu"), gelu_exact::gelu_exact(), &[inner])?;
        let outer = self.linear(&format!("{base}.output.dense"), inner, wide, hidden, 1.0)?;
        let sum = self.op(&format!("{base}.sum"), math::add(), &[outer, x])?;
        self.layer_norm(&format!("{base}.output.LayerNorm"), sum)
    }

    fn attention(&mut self, base: &str, x: OutletId) -> TractResult<OutletId> {
        let (hidden, heads, head) = (self.hidden, self.shape.heads as usize, self.head);
        let mut projected = Vec::new();
        for (part, scale) in [("query", (head as f32).sqrt().recip()), ("key", 1.0), ("value", 1.0)] {
            let name = format!("{base}.self.{part}");
            let flat = self.linear(&name, x, hidden, hidden, scale)?;
            let split = AxisOp::Reshape(1, tvec![hidden.to_dim()], tvec![heads.to_dim(), head.to_dim()]);
            projected.push(self.op(&format!("{name}.heads"), split, &[flat])?);
        }
        let mut scores = self.einsum(&format!("{base}.scores"), "shd,thd->hst", projected[0], projected[1])?;
        if let Some(distances) = self.distances {
            scores = self.op(&format!("{base}.distant"), math::add(), &[scores, distances])?;
        }
        let shares = self.op(&format!("{base}.shares"), Softmax { axes: tvec![2], ..Softmax::default() }, &[scores])?;
        let mixed = self.einsum(&format!("{base}.mixed"), "hst,thd->shd", shares, projected[2])?;
        let join = AxisOp::Reshape(1, tvec![heads.to_dim(), head.to_dim()], tvec![hidden.to_dim()]);
        self.op(&format!("{base}.joined"), join, &[mixed])
    }
}

#[cfg(test)]
mod tests {
    use super::distance_row;

    #[test]
    fn far_tokens_share_rows() {
        // Computed with T5's formula in float64, for 32 rows and 128 tokens.
        let expected = [
            (0, 0),
            (-1, 1),
            (-7, 7),
            (-8, 8),
            (-11, 8),
            (-12, 9),
            (-16, 10),
            (-23, 11),
            (-64, 14),
            (-500, 15),
            (1, 17),
            (7, 23),
            (8, 24),
            (90, 30),
            (91, 31),
            (200, 31),
        ];
        for (distance, row) in expected {
            assert_eq!(distance_row(distance, 32), row, "{distance}");
        }
    }
}

//! A quantized BERT encoder as a tract graph of few, large steps: what the web module runs.
//!
//! Several sequences may follow each other, unpadded: everything but attention works token by token, and attention
//! is told where each one ends. A sequence's vectors do not depend on its neighbours.

use super::coded_weights::read_weights;
use super::model_pack::{BertShape, ModelPack, QuantizedTable};
use super::step_op::{Step, StepOp, Workspaces};
use super::word_table::WordTable;
use crate::format::FormatError;
use nearfind_kernels::{GroupRows, LayerNorm, Linear, RowBits, SharedBytes, Then, write_panels};
use std::sync::Arc;
use tract_core::internal::{DatumExt, OutletId, SpecialOps, TractResult, TypedModel, ensure};

/// Largest size of a shape: their products fit a page's memory numbers.
const MAX_SIZE: u32 = 1 << 16;

/// Builds the graph; inputs are token numbers and positions, both `[tokens]` i64, and ends, `[sequences]` i64.
pub(super) fn build(
    pack: &ModelPack<SharedBytes>,
    shape: &BertShape,
    table: QuantizedTable,
    words: &Arc<WordTable>,
) -> TractResult<TypedModel> {
    let (hidden, wide) = (shape.hidden as usize, shape.intermediate as usize);
    let sizes = [shape.hidden, shape.intermediate, shape.positions, shape.layers];
    ensure!(sizes.iter().all(|&size| size <= MAX_SIZE), "it is larger than any encoder");
    ensure!(
        shape.heads > 0 && hidden > 0 && shape.hidden.is_multiple_of(shape.heads),
        "its heads do not divide its width"
    );
    ensure!(shape.distances == 0, "distances of tokens are not quantized");
    let mut graph = Graph { model: TypedModel::default(), pack, shape, table, workspaces: Workspaces::default() };
    let tokens = graph.model.sym("tokens");
    let ids = graph.model.add_source("ids", i64::fact([tokens.clone()]))?;
    let positions = graph.model.add_source("positions", i64::fact([tokens]))?;
    let sequences = graph.model.sym("sequences");
    let ends = graph.model.add_source("ends", i64::fact([sequences]))?;
    let embed =
        Step::Embed { words: Arc::clone(words), positions: graph.positions(shape.positions * shape.kinds() as u32)? };
    let embedded = graph.step("embed", embed, hidden, &[ids, positions])?;
    let mut x = graph.norm("embeddings.LayerNorm", &[embedded])?;
    for layer in 0..shape.layers {
        let base = format!("encoder.layer.{layer}");
        let own = format!("{base}.attention.self");
        let parts = ["query", "key", "value"].map(|part| format!("{own}.{part}"));
        let attention = Step::Attention {
            projection: graph.linear(&own, &parts.each_ref().map(String::as_str), [hidden, 3 * hidden], Then::Keep)?,
            heads: shape.heads as usize,
            output: graph.whole(&format!("{base}.attention.output.dense"), [hidden, hidden], Then::Keep)?,
        };
        let attended = graph.step(&format!("{base}.attention"), attention, hidden, &[x, ends])?;
        x = graph.norm(&format!("{base}.attention.output.LayerNorm"), &[attended, x])?;
        let feed_forward = Step::FeedForward {
            inner: graph.whole(&format!("{base}.intermediate.dense"), [hidden, wide], Then::Gelu)?,
            outer: graph.whole(&format!("{base}.output.dense"), [wide, hidden], Then::Keep)?,
        };
        let outer = graph.step(&format!("{base}.feed_forward"), feed_forward, hidden, &[x])?;
        x = graph.norm(&format!("{base}.output.LayerNorm"), &[outer, x])?;
    }
    graph.model.select_output_outlets(&[x])?;
    Ok(graph.model)
}

struct Graph<'a> {
    model: TypedModel,
    pack: &'a ModelPack<SharedBytes>,
    shape: &'a BertShape,
    table: QuantizedTable,
    workspaces: Workspaces,
}

impl Graph<'_> {
    fn step(&mut self, name: &str, step: Step, width: usize, inputs: &[OutletId]) -> TractResult<OutletId> {
        Ok(self.model.wire_node(name, StepOp::new(step, width, self.workspaces.clone()), inputs)?[0])
    }

    fn positions(&self, rows: u32) -> TractResult<GroupRows> {
        let bytes = self.pack.shared_blob("embeddings.positions")?;
        let (width, group) = (self.shape.hidden as usize, self.table.group as usize);
        Ok(GroupRows::new(bytes, RowBits::Eight, rows as usize, width, group)?)
    }

    fn floats(&self, name: &str, count: usize) -> TractResult<Vec<f32>> {
        let (values, rest) = self.pack.blob(name)?.as_chunks::<4>();
        ensure!(rest.is_empty() && values.len() == count, "{name} does not have {count} numbers");
        Ok(values.iter().map(|four| f32::from_le_bytes(*four)).collect())
    }

    fn norm(&mut self, name: &str, inputs: &[OutletId]) -> TractResult<OutletId> {
        let hidden = self.shape.hidden as usize;
        let weight = self.floats(&format!("{name}.weight"), hidden)?;
        let bias = self.floats(&format!("{name}.bias"), hidden)?;
        let norm = LayerNorm::new(weight, bias, self.shape.epsilon)?;
        self.step(name, Step::Norm(norm), hidden, inputs)
    }

    fn whole(&self, name: &str, sizes: [usize; 2], then: Then) -> TractResult<Linear> {
        self.linear(name, &[name], sizes, then)
    }

    /// The layer called `name`, whose outputs are those of `parts`, one after the other.
    fn linear(&self, name: &str, parts: &[&str], [from, to]: [usize; 2], then: Then) -> TractResult<Linear> {
        let bias = self.floats(&format!("{name}.bias"), to)?;
        let scales = self.floats(&format!("{name}.scales"), to)?;
        let count = (to / parts.len()).checked_mul(from);
        let count = count.ok_or(FormatError::corrupt("model pack", "sizes of a layer"))?;
        let mut weights = Vec::new();
        for part in parts {
            weights.extend(read_weights(self.pack.blob(&format!("{part}.weights"))?, count)?);
        }
        let panels = SharedBytes::new(write_panels(&weights, to, from)?);
        Ok(Linear::new(panels, from, scales, bias, then)?)
    }
}

//! The steps of a quantized encoder as operations of tract.

use super::word_table::WordTable;
use nearfind_kernels::{Activations, AttentionScratch, GroupRows, LayerNorm, Linear, attention};
use std::sync::{Arc, Mutex, PoisonError};
use tract_core::internal::{
    EvalContext, EvalOp, Op, StaticName, TValue, TVec, Tensor, TractResult, TypedFact, TypedOp, as_op, op_as_typed_op,
    op_out_of_plan, tvec,
};
use tract_core::prelude::DatumExt;

/// One step: rows of f32 in and out, `[tokens × width]`.
#[derive(Debug)]
pub(super) enum Step {
    /// Token numbers and positions, both `[tokens]` i64, to the sum of a row of each table.
    Embed {
        /// A row a piece of the vocabulary.
        words: Arc<WordTable>,
        /// A row a position.
        positions: GroupRows,
    },
    /// One input, perhaps a second to be added first.
    Norm(LayerNorm),
    /// One input, and the ends of the sequences, i64.
    Attention {
        /// To queries, keys and values of each token.
        projection: Linear,
        /// Number of heads.
        heads: usize,
        /// From what a token got of the others.
        output: Linear,
    },
    /// One input.
    FeedForward {
        /// To the wide rows between.
        inner: Linear,
        /// Back again.
        outer: Linear,
    },
}

/// Memory that the steps of one run work in, one after the other. Asking for it anew at every step would cost a sixth of
/// the time.
#[derive(Debug, Default)]
struct Workspace {
    quantized: Activations,
    /// The widest rows: projections, and what lies between the layers of a feed-forward step.
    wide: Vec<f32>,
    attended: Vec<f32>,
    scratch: AttentionScratch,
}

/// Workspaces of an encoder: as many as there were runs at once.
#[derive(Clone, Debug, Default)]
pub(super) struct Workspaces(Arc<Mutex<Vec<Workspace>>>);

impl Workspaces {
    fn with<R>(&self, run: impl FnOnce(&mut Workspace) -> R) -> R {
        // A workspace holds nothing from one step to the next, so one that a panic left behind is as good as any.
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut workspace = lock().pop().unwrap_or_default();
        let result = run(&mut workspace);
        lock().push(workspace);
        result
    }
}

/// A step in a graph. Two are equal if they are the same one.
#[derive(Clone, Debug)]
pub(super) struct StepOp {
    step: Arc<Step>,
    width: usize,
    workspaces: Workspaces,
}

impl StepOp {
    /// `width` is the length of a row that comes out.
    pub(super) fn new(step: Step, width: usize, workspaces: Workspaces) -> Self {
        Self { step: Arc::new(step), width, workspaces }
    }

    fn run(&self, inputs: &[TValue]) -> TractResult<Tensor> {
        let tokens = inputs[0].shape()[0];
        let mut out = Tensor::zero::<f32>(&[tokens, self.width])?;
        let mut plain = out.try_as_plain_ram_mut()?;
        let rows = plain.as_slice_mut::<f32>()?;
        let floats = |input: usize| -> TractResult<&[f32]> { inputs[input].try_as_plain_ram()?.as_slice::<f32>() };
        match &*self.step {
            Step::Embed { words, positions } => {
                let mut place = vec![0.0; self.width];
                let (ids, places) = (numbers(&inputs[0])?, numbers(&inputs[1])?);
                for ((row, id), position) in rows.chunks_exact_mut(self.width).zip(ids).zip(places) {
                    words.read(id, row)?;
                    positions.read(position, &mut place)?;
                    row.iter_mut().zip(&place).for_each(|(x, place)| *x += place);
                }
            }
            Step::Attention { projection, heads, output } => self.workspaces.with(|work| -> TractResult<()> {
                work.wide.resize(tokens * projection.channels(), 0.0);
                work.attended.resize(tokens * output.depth(), 0.0);
                projection.run(floats(0)?, &mut work.quantized, &mut work.wide)?;
                attention(&work.wide, *heads, &numbers(&inputs[1])?, &mut work.scratch, &mut work.attended)?;
                Ok(output.run(&work.attended, &mut work.quantized, rows)?)
            })?,
            Step::FeedForward { inner, outer } => self.workspaces.with(|work| -> TractResult<()> {
                work.wide.resize(tokens * inner.channels(), 0.0);
                inner.run(floats(0)?, &mut work.quantized, &mut work.wide)?;
                Ok(outer.run(&work.wide, &mut work.quantized, rows)?)
            })?,
            Step::Norm(norm) => {
                rows.copy_from_slice(floats(0)?);
                norm.apply(rows, if inputs.len() > 1 { floats(1)? } else { &[] });
            }
        }
        Ok(out)
    }
}

fn numbers(input: &TValue) -> TractResult<Vec<usize>> {
    Ok(input.try_as_plain_ram()?.as_slice::<i64>()?.iter().map(|&number| number as usize).collect())
}

impl PartialEq for StepOp {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.step, &other.step)
    }
}

impl Eq for StepOp {}

impl Op for StepOp {
    fn name(&self) -> StaticName {
        match &*self.step {
            Step::Embed { .. } => "Embed",
            Step::Norm(_) => "Norm",
            Step::Attention { .. } => "QuantizedAttention",
            Step::FeedForward { .. } => "QuantizedFeedForward",
        }
        .into()
    }

    op_as_typed_op!();
}

impl EvalOp for StepOp {
    op_out_of_plan!();

    fn eval(&self, _: &EvalContext, inputs: TVec<TValue>) -> TractResult<TVec<TValue>> {
        Ok(tvec!(self.run(&inputs)?.into()))
    }
}

impl TypedOp for StepOp {
    fn output_facts(&self, inputs: &[&TypedFact]) -> TractResult<TVec<TypedFact>> {
        Ok(tvec!(f32::fact([inputs[0].shape[0].clone(), self.width.into()])))
    }

    as_op!();
}

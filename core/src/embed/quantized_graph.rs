//! The steps of a quantized encoder as a tract graph, for native hosts. Pages run the same steps one by one, without
//! the runtime. `wasm/tests/tiny/vectors.tsv` verifies that both produce the same bits.

use super::quantized_steps::{Batch, Embedding, QuantizedSteps, Step, Workspaces, rows_of_each};
use super::token_model::{TokenModel, TokenOutput, Tokens};
use std::sync::Arc;
use tract_core::internal::{
    DatumExt, EvalContext, EvalOp, Op, SpecialOps, StaticName, TValue, TVec, Tensor, TractResult, TypedFact,
    TypedModel, TypedOp, TypedSimplePlan, as_op, op_as_typed_op, op_out_of_plan, tensor1, tvec,
};

/// A quantized encoder that tract runs.
pub(super) struct QuantizedGraph {
    plan: Arc<TypedSimplePlan>,
    width: usize,
    /// The row where the positions of second texts begin.
    second_kind: usize,
}

impl QuantizedGraph {
    /// Builds the graph of `encoder`. Its inputs are token numbers and positions, both `[tokens]` i64, and the ends of
    /// the sequences, `[sequences]` i64.
    pub(super) fn of(encoder: QuantizedSteps) -> TractResult<Self> {
        let QuantizedSteps { embedding, steps, second_kind, workspaces } = encoder;
        let width = embedding.width();
        let mut model = TypedModel::default();
        let tokens = model.sym("tokens");
        let ids = model.add_source("ids", i64::fact([tokens.clone()]))?;
        let positions = model.add_source("positions", i64::fact([tokens]))?;
        let sequences = model.sym("sequences");
        let ends = model.add_source("ends", i64::fact([sequences]))?;
        let embed = StepOp { run: Arc::new(Run::Embed(embedding)), width, workspaces: workspaces.clone() };
        let mut last = model.wire_node("embed", embed, &[ids, positions])?[0];
        let mut before = last;
        for (number, step) in steps.into_iter().enumerate() {
            let inputs = match &step {
                Step::Norm(_) | Step::FeedForward { .. } => vec![last],
                Step::AddAndNorm(_) => vec![last, before],
                Step::Attention { .. } => vec![last, ends],
            };
            let step = StepOp { run: Arc::new(Run::Step(step)), width, workspaces: workspaces.clone() };
            let next = model.wire_node(format!("step.{number}"), step, &inputs)?[0];
            (before, last) = (last, next);
        }
        model.select_output_outlets(&[last])?;
        Ok(Self { plan: TypedSimplePlan::new(model)?, width, second_kind })
    }

    fn try_run(&self, sequences: &[Tokens]) -> TractResult<Vec<TokenOutput>> {
        let Batch { ids, positions, ends } = Batch::of(sequences, self.second_kind);
        let numbers = |all: Vec<usize>| tensor1(&all.into_iter().map(|number| number as i64).collect::<Vec<_>>());
        let inputs = tvec![numbers(ids).into(), numbers(positions).into(), numbers(ends).into()];
        let outputs = self.plan.run(inputs)?;
        Ok(rows_of_each(outputs[0].try_as_plain_ram()?.as_slice::<f32>()?, sequences, self.width))
    }
}

impl TokenModel for QuantizedGraph {
    fn run(&self, sequences: &[Tokens]) -> Result<Vec<TokenOutput>, String> {
        self.try_run(sequences).map_err(|error| format!("{error:#}"))
    }
}

#[derive(Debug)]
enum Run {
    Embed(Embedding),
    Step(Step),
}

/// A step as an operator of a graph. Two operators are equal if they are the same object.
#[derive(Clone, Debug)]
struct StepOp {
    run: Arc<Run>,
    width: usize,
    workspaces: Workspaces,
}

impl StepOp {
    fn run(&self, inputs: &[TValue]) -> TractResult<Tensor> {
        let mut out = Tensor::zero::<f32>(&[inputs[0].shape()[0], self.width])?;
        let mut plain = out.try_as_plain_ram_mut()?;
        let rows = plain.as_slice_mut::<f32>()?;
        let floats = |input: usize| -> TractResult<&[f32]> { inputs[input].try_as_plain_ram()?.as_slice::<f32>() };
        match &*self.run {
            Run::Embed(embedding) => embedding.run(&numbers(&inputs[0])?, &numbers(&inputs[1])?, rows)?,
            Run::Step(step) => {
                let before = if matches!(step, Step::AddAndNorm(_)) { floats(1)? } else { &[] };
                let ends = if matches!(step, Step::Attention { .. }) { numbers(&inputs[1])? } else { Vec::new() };
                step.run([before, floats(0)?], &ends, &self.workspaces, rows)?;
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
        Arc::ptr_eq(&self.run, &other.run)
    }
}

impl Eq for StepOp {}

impl Op for StepOp {
    fn name(&self) -> StaticName {
        match &*self.run {
            Run::Embed(_) => "Embed",
            Run::Step(Step::Norm(_) | Step::AddAndNorm(_)) => "Norm",
            Run::Step(Step::Attention { .. }) => "QuantizedAttention",
            Run::Step(Step::FeedForward { .. }) => "QuantizedFeedForward",
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

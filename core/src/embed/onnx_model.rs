//! Runs an ONNX encoder with tract.

use super::model_pack::{ModelPack, ONNX_BLOB};
use super::token_model::{TokenModel, TokenOutput, Tokens};
use nearfind_kernels::SharedBytes;
use std::sync::Arc;
use tract_onnx::prelude::*;
use tract_onnx::tract_hir::internal::{Factoid, ToDim, TractErrorContext as _, bail, ensure, format_err};

/// The values of an input of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Input {
    /// Token numbers.
    Ids,
    /// Ones, because nothing is padded.
    Mask,
    /// Zeros for the first text, ones for the second.
    Kinds,
}

/// An optimized graph.
pub struct OnnxModel {
    plan: Arc<TypedSimplePlan>,
    inputs: Vec<(Input, DatumType)>,
}

impl OnnxModel {
    /// Parses the graph of a pack.
    pub(super) fn from_pack(pack: &ModelPack<SharedBytes>) -> TractResult<Self> {
        Self::parse(pack.blob(ONNX_BLOB)?)
    }

    /// Parses an ONNX file. Its inputs must have the shape `[batch, tokens]`.
    pub fn parse(mut bytes: &[u8]) -> TractResult<Self> {
        let mut model = tract_onnx::onnx().model_for_read(&mut bytes).context("not an ONNX model that tract reads")?;
        let tokens = model.symbols.sym("tokens");
        let mut inputs = Vec::new();
        for index in 0..model.input_outlets()?.len() {
            let outlet = model.input_outlets()?[index];
            let name = model.node(outlet.node).name.clone();
            let input = match name.as_str() {
                "input_ids" => Input::Ids,
                "attention_mask" => Input::Mask,
                "token_type_ids" => Input::Kinds,
                other => bail!("input {other:?} is not one of input_ids, attention_mask, token_type_ids"),
            };
            let kind = model.input_fact(index)?.datum_type.concretize().unwrap_or(i64::datum_type());
            ensure!(matches!(kind, DatumType::I64 | DatumType::I32), "input {name:?} is not made of integers");
            model.set_input_fact(index, InferenceFact::dt_shape(kind, tvec![1.to_dim(), tokens.to_dim()]))?;
            inputs.push((input, kind));
        }
        ensure!(inputs.iter().any(|(input, _)| *input == Input::Ids), "it has no input input_ids");
        // Prefer the output that the model itself has pooled.
        let outputs = model.output_outlets()?.to_vec();
        let pooled = outputs.iter().find(|outlet| {
            let label = model.outlet_label(**outlet).unwrap_or_default();
            label == "sentence_embedding" || model.node(outlet.node).name.ends_with("sentence_embedding")
        });
        let chosen = *pooled.or(outputs.first()).ok_or_else(|| format_err!("it has no output"))?;
        model.select_output_outlets(&[chosen])?;
        let plan = TypedSimplePlan::new(model.into_optimized()?)?;
        Ok(Self { plan, inputs })
    }

    fn try_run(&self, Tokens { ids, second }: &Tokens) -> TractResult<TokenOutput> {
        let inputs = self.inputs.iter().map(|(input, kind)| {
            let values: Vec<i64> = ids
                .iter()
                .enumerate()
                .map(|(at, &id)| match input {
                    Input::Ids => i64::from(id),
                    Input::Mask => 1,
                    Input::Kinds => i64::from(at >= *second),
                })
                .collect();
            let tensor = Tensor::from_shape(&[1, ids.len()], &values)?;
            Ok(tensor.cast_to_dt(*kind)?.into_owned().into_tvalue())
        });
        let outputs = self.plan.run(inputs.collect::<TractResult<_>>()?)?;
        let output = outputs[0].cast_to::<f32>()?;
        let values = output.try_as_plain_ram()?.as_slice::<f32>()?.to_vec();
        match output.rank() {
            3 => Ok(TokenOutput::Tokens(values)),
            2 => Ok(TokenOutput::Text(values)),
            rank => bail!("its output has rank {rank}, not 2 or 3"),
        }
    }
}

impl TokenModel for OnnxModel {
    fn run(&self, sequences: &[Tokens]) -> Result<Vec<TokenOutput>, String> {
        sequences.iter().map(|tokens| self.try_run(tokens).map_err(|error| format!("{error:#}"))).collect()
    }
}

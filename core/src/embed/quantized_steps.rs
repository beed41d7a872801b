//! Runs a quantized BERT encoder as a few large steps, one after the other.
//!
//! Several sequences may be joined without padding, because everything but attention works token by token, and
//! attention receives the end of each sequence. The vectors of a sequence do not depend on the other sequences.

use super::coded_weights::read_weights;
use super::model_pack::{BertShape, ModelPack, QuantizedTable};
use super::token_model::{TokenModel, TokenOutput, Tokens, position_rows};
use super::word_table::WordTable;
use crate::format::FormatError;
use nearfind_kernels::{
    Activations, AttentionScratch, GroupRows, LayerNorm, Linear, RowBits, SharedBytes, Then, WrongSize, attention,
    write_panels,
};
use std::sync::{Arc, Mutex, PoisonError};

/// Largest size in a shape. Products of such sizes fit the 32-bit memory sizes of a page.
const MAX_SIZE: u32 = 1 << 16;
/// The name of packs in errors.
const NAME: &str = "model pack";

/// A step, which maps rows of f32 to rows of f32, `[tokens × width]`.
#[derive(Debug)]
pub(super) enum Step {
    /// Normalizes each row.
    Norm(LayerNorm),
    /// Adds the input of the previous step to its result, and normalizes each sum.
    AddAndNorm(LayerNorm),
    /// Mixes the tokens of each sequence.
    Attention {
        /// Maps each token to its query, key and value.
        projection: Linear,
        /// Number of heads.
        heads: usize,
        /// Maps the attended values back to a row.
        output: Linear,
    },
    /// Applies two layers to each token.
    FeedForward {
        /// Maps a row to a wide row.
        inner: Linear,
        /// Maps a wide row back to a row.
        outer: Linear,
    },
}

/// Memory that the steps of a run use one after the other. Allocating it anew at every step would take a sixth of the
/// time.
#[derive(Debug, Default)]
struct Workspace {
    quantized: Activations,
    /// The widest rows: projections, and the rows between the layers of a feed-forward step.
    wide: Vec<f32>,
    attended: Vec<f32>,
    scratch: AttentionScratch,
}

/// The workspaces of an encoder. There are as many as the largest number of simultaneous runs so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Workspaces(Arc<Mutex<Vec<Workspace>>>);

impl Workspaces {
    fn with<R>(&self, run: impl FnOnce(&mut Workspace) -> R) -> R {
        // No step reads values that an earlier step left in a workspace, so the workspace of a run that panicked can be
        // reused.
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut workspace = lock().pop().unwrap_or_default();
        let result = run(&mut workspace);
        lock().push(workspace);
        result
    }
}

impl Step {
    /// Writes the step's result for `last` to `rows`. `before` is the result of the step before the last one, and
    /// `ends` has the end of each sequence.
    pub(super) fn run(
        &self,
        [before, last]: [&[f32]; 2],
        ends: &[usize],
        workspaces: &Workspaces,
        rows: &mut [f32],
    ) -> Result<(), WrongSize> {
        match self {
            Self::Norm(norm) => {
                rows.copy_from_slice(last);
                norm.apply(rows, &[]);
                Ok(())
            }
            Self::AddAndNorm(norm) => {
                rows.copy_from_slice(last);
                norm.apply(rows, before);
                Ok(())
            }
            Self::Attention { projection, heads, output } => workspaces.with(|work| {
                let tokens = last.len() / projection.depth();
                work.wide.resize(tokens * projection.channels(), 0.0);
                work.attended.resize(tokens * output.depth(), 0.0);
                projection.run(last, &mut work.quantized, &mut work.wide)?;
                attention(&work.wide, *heads, ends, &mut work.scratch, &mut work.attended)?;
                output.run(&work.attended, &mut work.quantized, rows)
            }),
            Self::FeedForward { inner, outer } => workspaces.with(|work| {
                work.wide.resize(last.len() / inner.depth() * inner.channels(), 0.0);
                inner.run(last, &mut work.quantized, &mut work.wide)?;
                outer.run(&work.wide, &mut work.quantized, rows)
            }),
        }
    }
}

/// Computes the rows of tokens before the first step: the sum of a word's row and a position's row.
#[derive(Clone, Debug)]
pub(super) struct Embedding {
    words: Arc<WordTable>,
    positions: GroupRows,
    width: usize,
}

impl Embedding {
    /// Returns the length of a row.
    pub(super) const fn width(&self) -> usize {
        self.width
    }

    /// Writes the rows of the tokens with these numbers and positions.
    pub(super) fn run(&self, ids: &[usize], positions: &[usize], rows: &mut [f32]) -> Result<(), FormatError> {
        let mut place = vec![0.0; self.width];
        for ((row, &id), &position) in rows.chunks_exact_mut(self.width).zip(ids).zip(positions) {
            self.words.read(id, row)?;
            let read = self.positions.read(position, &mut place);
            read.map_err(|_| FormatError::corrupt(NAME, "row of a position"))?;
            row.iter_mut().zip(&place).for_each(|(x, place)| *x += place);
        }
        Ok(())
    }
}

/// A quantized encoder that is ready to run.
#[derive(Debug)]
pub(super) struct QuantizedSteps {
    /// Computes the input of the first step.
    pub(super) embedding: Embedding,
    /// The steps in order.
    pub(super) steps: Vec<Step>,
    /// The row where the positions of second texts begin.
    pub(super) second_kind: usize,
    /// Memory for runs.
    pub(super) workspaces: Workspaces,
}

/// The joined tokens of several sequences.
pub(super) struct Batch {
    /// The numbers of the tokens.
    pub(super) ids: Vec<usize>,
    /// The rows of the tokens in the position table.
    pub(super) positions: Vec<usize>,
    /// The end of each sequence.
    pub(super) ends: Vec<usize>,
}

impl Batch {
    /// Joins `sequences`. The positions of second texts begin at row `second_kind`.
    pub(super) fn of(sequences: &[Tokens], second_kind: usize) -> Self {
        let ends = sequences.iter().scan(0, |end, tokens| {
            *end += tokens.ids.len();
            Some(*end)
        });
        Self {
            ids: sequences.iter().flat_map(|tokens| &tokens.ids).map(|&id| id as usize).collect(),
            positions: sequences.iter().flat_map(|tokens| position_rows(tokens, second_kind)).collect(),
            ends: ends.collect(),
        }
    }
}

/// Splits `rows` into the rows of each sequence.
pub(super) fn rows_of_each(mut rows: &[f32], sequences: &[Tokens], width: usize) -> Vec<TokenOutput> {
    let each = sequences.iter().map(|tokens| {
        let (own, rest) = rows.split_at(tokens.ids.len() * width);
        rows = rest;
        TokenOutput::Tokens(own.to_vec())
    });
    each.collect()
}

impl TokenModel for QuantizedSteps {
    fn run(&self, sequences: &[Tokens]) -> Result<Vec<TokenOutput>, String> {
        let Batch { ids, positions, ends } = Batch::of(sequences, self.second_kind);
        let width = self.embedding.width();
        let rows = || vec![0.0; ids.len() * width];
        let (mut before, mut last, mut next) = (rows(), rows(), rows());
        self.embedding.run(&ids, &positions, &mut last).map_err(|error| error.to_string())?;
        for step in &self.steps {
            step.run([&before, &last], &ends, &self.workspaces, &mut next).map_err(|error| error.to_string())?;
            (before, last, next) = (last, next, before);
        }
        Ok(rows_of_each(&last, sequences, width))
    }
}

impl QuantizedSteps {
    /// Reads the steps of a pack and decodes its layers.
    pub(super) fn of_pack(
        pack: &ModelPack<SharedBytes>,
        shape: &BertShape,
        table: QuantizedTable,
        words: &Arc<WordTable>,
    ) -> Result<Self, FormatError> {
        let (hidden, wide) = (shape.hidden as usize, shape.intermediate as usize);
        let sizes = [shape.hidden, shape.intermediate, shape.positions, shape.layers];
        if !sizes.iter().all(|&size| size <= MAX_SIZE) {
            return Err(FormatError::corrupt(NAME, "it is larger than any encoder"));
        }
        if shape.heads == 0 || hidden == 0 || !shape.hidden.is_multiple_of(shape.heads) {
            return Err(FormatError::corrupt(NAME, "its heads do not divide its width"));
        }
        if shape.distances != 0 {
            return Err(FormatError::corrupt(NAME, "distances of tokens are not quantized"));
        }
        let layers = Layers { pack, shape };
        let mut steps = vec![Step::Norm(layers.norm("embeddings.LayerNorm")?)];
        for layer in 0..shape.layers {
            let base = format!("encoder.layer.{layer}");
            let own = format!("{base}.attention.self");
            let parts = ["query", "key", "value"].map(|part| format!("{own}.{part}"));
            steps.push(Step::Attention {
                projection: layers.linear(
                    &own,
                    &parts.each_ref().map(String::as_str),
                    [hidden, 3 * hidden],
                    Then::Keep,
                )?,
                heads: shape.heads as usize,
                output: layers.whole(&format!("{base}.attention.output.dense"), [hidden, hidden], Then::Keep)?,
            });
            steps.push(Step::AddAndNorm(layers.norm(&format!("{base}.attention.output.LayerNorm"))?));
            steps.push(Step::FeedForward {
                inner: layers.whole(&format!("{base}.intermediate.dense"), [hidden, wide], Then::Gelu)?,
                outer: layers.whole(&format!("{base}.output.dense"), [wide, hidden], Then::Keep)?,
            });
            steps.push(Step::AddAndNorm(layers.norm(&format!("{base}.output.LayerNorm"))?));
        }
        let positions = layers.positions(table.group as usize)?;
        let embedding = Embedding { words: Arc::clone(words), positions, width: hidden };
        Ok(Self { embedding, steps, second_kind: shape.second_kind_at(), workspaces: Workspaces::default() })
    }
}

/// Reads the layers of a pack.
struct Layers<'a> {
    pack: &'a ModelPack<SharedBytes>,
    shape: &'a BertShape,
}

impl Layers<'_> {
    fn positions(&self, group: usize) -> Result<GroupRows, FormatError> {
        let bytes = self.pack.shared_blob("embeddings.positions")?;
        let rows = self.shape.positions as usize * self.shape.kinds();
        GroupRows::new(bytes, RowBits::Eight, rows, self.shape.hidden as usize, group).map_err(wrong_size)
    }

    fn floats(&self, name: &str, count: usize) -> Result<Vec<f32>, FormatError> {
        let (values, rest) = self.pack.blob(name)?.as_chunks::<4>();
        if !rest.is_empty() || values.len() != count {
            return Err(FormatError::corrupt(NAME, "sizes of a layer"));
        }
        Ok(values.iter().map(|four| f32::from_le_bytes(*four)).collect())
    }

    fn norm(&self, name: &str) -> Result<LayerNorm, FormatError> {
        let hidden = self.shape.hidden as usize;
        let weight = self.floats(&format!("{name}.weight"), hidden)?;
        let bias = self.floats(&format!("{name}.bias"), hidden)?;
        LayerNorm::new(weight, bias, self.shape.epsilon).map_err(wrong_size)
    }

    fn whole(&self, name: &str, sizes: [usize; 2], then: Then) -> Result<Linear, FormatError> {
        self.linear(name, &[name], sizes, then)
    }

    /// Reads the layer named `name`. Its outputs are the outputs of `parts`, one after the other.
    fn linear(&self, name: &str, parts: &[&str], [from, to]: [usize; 2], then: Then) -> Result<Linear, FormatError> {
        let bias = self.floats(&format!("{name}.bias"), to)?;
        let scales = self.floats(&format!("{name}.scales"), to)?;
        let count = (to / parts.len()).checked_mul(from);
        let count = count.ok_or(FormatError::corrupt(NAME, "sizes of a layer"))?;
        let mut weights = Vec::new();
        for part in parts {
            weights.extend(read_weights(self.pack.blob(&format!("{part}.weights"))?, count)?);
        }
        let panels = SharedBytes::new(write_panels(&weights, to, from).map_err(wrong_size)?);
        Linear::new(panels, from, scales, bias, then).map_err(wrong_size)
    }
}

fn wrong_size(WrongSize(part): WrongSize) -> FormatError {
    FormatError::corrupt(NAME, part)
}

//! The common interface of graphs that run sequences of tokens.

/// The output of a model for one sequence.
#[derive(Clone, Debug, PartialEq)]
pub enum TokenOutput {
    /// `[tokens × width]`, row-major, still to be pooled.
    Tokens(Vec<f32>),
    /// `[dimensions]`, pooled by the model itself.
    Text(Vec<f32>),
}

/// The tokens of a text, or of two texts in one sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tokens {
    /// The numbers of the tokens.
    pub ids: Vec<u32>,
    /// The index where the second text begins, or the number of tokens if there is none.
    pub second: usize,
}

impl From<Vec<u32>> for Tokens {
    fn from(ids: Vec<u32>) -> Self {
        Self { second: ids.len(), ids }
    }
}

/// Runs unpadded sequences of tokens.
pub trait TokenModel: Send + Sync {
    /// Returns the vectors of each sequence, or the runtime's error message. The vectors do not depend on the other
    /// sequences.
    fn run(&self, sequences: &[Tokens]) -> Result<Vec<TokenOutput>, String>;
}

/// Returns the position rows of a sequence. The rows of a second text are shifted by `second_kind`.
pub(super) fn position_rows(tokens: &Tokens, second_kind: usize) -> impl Iterator<Item = usize> {
    let second = tokens.second;
    (0..tokens.ids.len()).map(move |at| if at < second { at } else { at + second_kind })
}

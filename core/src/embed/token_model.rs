//! What runs sequences of tokens, whatever graph it has.

/// What a model makes of one sequence.
#[derive(Clone, Debug, PartialEq)]
pub enum TokenOutput {
    /// `[tokens × width]`, row-major: to be pooled.
    Tokens(Vec<f32>),
    /// `[dimensions]`: the model pools by itself.
    Text(Vec<f32>),
}

/// The tokens of a text, or of two in one sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tokens {
    /// Their numbers.
    pub ids: Vec<u32>,
    /// Where the second text begins; their count if there is none.
    pub second: usize,
}

impl From<Vec<u32>> for Tokens {
    fn from(ids: Vec<u32>) -> Self {
        Self { second: ids.len(), ids }
    }
}

/// Runs unpadded sequences of tokens.
pub trait TokenModel: Send + Sync {
    /// The vectors of each sequence, which do not depend on the other sequences; or what the runtime said.
    fn run(&self, sequences: &[Tokens]) -> Result<Vec<TokenOutput>, String>;
}

/// The rows of the positions of a sequence: those of a second text are another `second_kind` on.
pub(super) fn position_rows(tokens: &Tokens, second_kind: usize) -> impl Iterator<Item = usize> {
    let second = tokens.second;
    (0..tokens.ids.len()).map(move |at| if at < second { at } else { at + second_kind })
}

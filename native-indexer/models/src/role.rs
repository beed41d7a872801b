//! What a text is to a model.

/// What texts are to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Questions.
    Query,
    /// What questions are compared with.
    Passage,
}

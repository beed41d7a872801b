//! The role of a text for a model: question or passage.

/// What texts are to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Questions.
    Query,
    /// What questions are compared with.
    Passage,
}

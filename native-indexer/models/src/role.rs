//! The role of a text for a model: question or passage.

/// Role of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A question.
    Query,
    /// A passage that questions are compared with.
    Passage,
}

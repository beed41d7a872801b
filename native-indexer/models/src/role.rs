//! The role that a text has for a model: question or passage.

/// The role of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A question.
    Query,
    /// A passage, which is compared with questions.
    Passage,
}

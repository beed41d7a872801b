//! What the lists tell of how they came about.

use super::method::VectorMethod;
use serde::Serialize;

/// A word that was taken for a mistyped one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Corrected {
    /// As in the query, in lower case.
    pub word: String,
    /// A word of the bundle.
    pub meant: String,
}

/// How the vectors were searched.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct VectorCost {
    /// Scan or walk.
    pub method: VectorMethod,
    /// Rows compared with the query.
    pub compared: u32,
}

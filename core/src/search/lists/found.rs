//! Details about the lists: the corrections, and how the vectors were searched.

use super::method::VectorMethod;
use serde::Serialize;

/// A word that was treated as mistyped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Corrected {
    /// The word of the query, in lower case.
    pub word: String,
    /// The bundle's word that replaced it in the search.
    pub meant: String,
}

/// How the vectors were searched.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct VectorCost {
    /// The method.
    pub method: VectorMethod,
    /// The number of rows that were compared with the query.
    pub compared: u32,
}

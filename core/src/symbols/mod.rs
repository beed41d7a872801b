//! The names that source code defines, and the places that use them. Types are unknown, so two methods with the same
//! name differ only in the scope that defines them.
//!
//! The part `symbols` has two kinds of blocks: first definitions by document, then names with the documents that define
//! and mention them. The [`Directory`](crate::records::Directory) contains the start of each block.

mod definitions;
mod kind;
mod lookup;
mod names;

pub use definitions::{Definition, for_each as for_each_definition};
pub use kind::SymbolKind;
pub use lookup::{DefinitionPlace, Symbols, definitions_of, enclosing, look_up_symbol, names_near};
pub use names::{NameEntry, Variant, for_each as for_each_name};

#[cfg(feature = "write")]
pub use definitions::DefinitionWriter;
#[cfg(feature = "write")]
pub use lookup::has_definitions;
#[cfg(feature = "write")]
pub use names::NameWriter;

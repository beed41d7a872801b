//! What source code defines and where it is used, by name: there are no types in it, so that two methods of one name are
//! told apart by what they are in alone.
//!
//! The part `symbols` has two rows of blocks: definitions by document, then names with the documents that define and
//! mention them. The [`Directory`](crate::records::Directory) knows where each block begins.

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
pub use names::NameWriter;

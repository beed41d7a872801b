//! Compiles stemmers written in the Snowball language for [`nearfind_core::analysis::snowball`].
//!
//! ```text
//! text ─ tokens ─→ words and signs ─ parser ─→ syntax ─ program ─→ bytes
//! ```

mod error;
mod parser;
mod program;
mod syntax;
mod tokens;

pub use error::CompileError;
use parser::Parser;
use program::Writer;

/// The program of a stemmer, whose main routine is called `stem`.
///
/// # Errors
/// For a text that is not Snowball, or uses what the known stemmers do not: `reverse`, `=>`, strings beyond one.
pub fn compile(source: &str) -> Result<Vec<u8>, CompileError> {
    let syntax = Parser::new(source)?.program()?;
    Writer::default().program(&syntax)
}

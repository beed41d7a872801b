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

/// Compiles a stemmer's source. The main routine is called `stem`.
///
/// # Errors
/// Fails if the source is not Snowball, or uses features that no known stemmer needs: `reverse`, `=>`, or more than
/// one string.
pub fn compile(source: &str) -> Result<Vec<u8>, CompileError> {
    let syntax = Parser::new(source)?.program()?;
    Writer::default().program(&syntax)
}

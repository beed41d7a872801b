//! The process that reads.

use super::messages::{CODE, receive, send};
use crate::error::ExtractError;
use crate::extraction::Extraction;
use crate::read::{extract, extract_code};
use anyhow::{Context as _, Result};
use std::io::Write as _;

/// What came of a file, as it is sent.
pub(super) type Answer = Result<Extraction, ExtractError>;

/// Reads files from standard input until it ends; answers go to standard output. The process takes no more than `memory`
/// bytes, where the platform can limit that.
pub fn serve(memory: u64) -> Result<()> {
    limit_memory(memory)?;
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    while let Some(kind) = receive(&mut input)? {
        let name = receive(&mut input)?.context("a file without its name")?;
        let bytes = receive(&mut input)?.context("a name without its file")?;
        let name = String::from_utf8(name)?;
        let answer: Answer = if kind == CODE { Ok(extract_code(&name, &bytes)) } else { extract(&name, &bytes) };
        send(&mut output, &serde_json::to_vec(&answer)?)?;
        output.flush()?;
    }
    Ok(())
}

#[cfg(unix)]
fn limit_memory(bytes: u64) -> Result<()> {
    let (_, hard) = rlimit::Resource::AS.get()?;
    // An allocation beyond it fails, which ends the process.
    rlimit::Resource::AS.set(bytes.min(hard), hard).context("memory cannot be limited")
}

#[cfg(not(unix))]
fn limit_memory(_: u64) -> Result<()> {
    Ok(())
}

//! Limits the memory of this process.

use anyhow::Result;

/// Limits the memory of this process to `bytes`, or to the hard limit of the system if that is lower.
#[cfg(unix)]
pub(crate) fn limit_memory(bytes: u64) -> Result<()> {
    use anyhow::Context as _;
    let (_, hard) = rlimit::Resource::AS.get()?;
    // An allocation beyond the limit fails, which ends the process.
    rlimit::Resource::AS.set(bytes.min(hard), hard).context("memory cannot be limited")
}

/// Does nothing, because memory cannot be limited on this system.
#[cfg(not(unix))]
pub(crate) fn limit_memory(_: u64) -> Result<()> {
    Ok(())
}

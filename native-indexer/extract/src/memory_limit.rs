//! A limit on the memory of this process.

use anyhow::Result;

/// Lets this process take no more than `bytes` of memory, where the platform can limit that.
#[cfg(unix)]
pub(crate) fn limit_memory(bytes: u64) -> Result<()> {
    use anyhow::Context as _;
    let (_, hard) = rlimit::Resource::AS.get()?;
    // An allocation beyond it fails, which ends the process.
    rlimit::Resource::AS.set(bytes.min(hard), hard).context("memory cannot be limited")
}

/// Lets this process take no more than `bytes` of memory, where the platform can limit that.
#[cfg(not(unix))]
pub(crate) fn limit_memory(_: u64) -> Result<()> {
    Ok(())
}

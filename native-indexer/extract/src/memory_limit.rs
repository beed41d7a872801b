//! Limits the memory of processes. On Unix, a process limits itself before it reads. On Windows, the parent process
//! sets the limit.

use std::io::Result;
use std::process::Child;

/// Limits the memory of this process to `bytes`, or to the system's hard limit if that is lower. Does nothing on
/// Windows.
pub(crate) fn limit_memory(bytes: u64) -> Result<()> {
    #[cfg(unix)]
    {
        let (_, hard) = rlimit::Resource::AS.get()?;
        // An allocation beyond the limit fails, which ends the process.
        rlimit::Resource::AS.set(bytes.min(hard), hard)?;
    }
    let _ = bytes;
    Ok(())
}

/// Limits the memory that `child` and the processes that it starts use together to `bytes`. Does nothing on Unix.
#[cfg_attr(not(windows), expect(clippy::unnecessary_wraps, reason = "it can fail on Windows"))]
pub(crate) fn limit_memory_of(child: &mut Child, bytes: u64) -> Result<()> {
    #[cfg(windows)]
    {
        use process_control::{ChildExt as _, Control as _};
        // The library closes a process's input before it waits for the process to end, here for no time at all. The
        // limit belongs to a job object, which lasts as long as its processes.
        let input = child.stdin.take();
        let limit = usize::try_from(bytes).unwrap_or(usize::MAX);
        let limited = child.controlled().memory_limit(limit).time_limit(std::time::Duration::ZERO).wait();
        child.stdin = input;
        limited?;
    }
    let _ = (child, bytes);
    Ok(())
}

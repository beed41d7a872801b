//! Limits the unpacked size of an archive.

use std::cell::Cell;
use std::io::{self, Read};

/// The number of bytes that may still be unpacked from an archive, including nested archives.
#[derive(Debug)]
pub(super) struct Budget {
    left: Cell<u64>,
    is_spent: Cell<bool>,
}

impl Budget {
    pub(super) const fn new(bytes: u64) -> Self {
        Self { left: Cell::new(bytes), is_spent: Cell::new(false) }
    }

    /// Whether an archive exceeded the budget.
    pub(super) const fn is_spent(&self) -> bool {
        self.is_spent.get()
    }

    /// Returns a reader of `from` that counts its bytes.
    pub(super) const fn limit<R: Read>(&self, from: R) -> Limited<'_, R> {
        Limited { from, budget: self }
    }
}

/// A reader that fails once the budget is spent.
pub(super) struct Limited<'a, R> {
    from: R,
    budget: &'a Budget,
}

impl<R: Read> Read for Limited<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(into)?;
        if let Some(left) = self.budget.left.get().checked_sub(read as u64) {
            self.budget.left.set(left);
        } else {
            self.budget.is_spent.set(true);
            return Err(io::Error::other("it unpacks to too much"));
        }
        Ok(read)
    }
}

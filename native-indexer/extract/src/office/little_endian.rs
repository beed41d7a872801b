//! Reads numbers in Office 97–2003 files, which are little-endian.

/// Returns the 16-bit number at byte `at`, or `None` if it extends beyond `bytes`.
pub(super) fn number_16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

/// Returns the 32-bit number at byte `at`, or `None` if it extends beyond `bytes`.
pub(super) fn number_32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

/// Returns `length` bytes from byte `at` on, or fewer if `bytes` ends earlier.
pub(super) fn slice(bytes: &[u8], at: usize, length: usize) -> &[u8] {
    let start = at.min(bytes.len());
    let end = start.saturating_add(length).min(bytes.len());
    &bytes[start..end]
}

//! Numbers in the files of Office 97–2003, the lowest byte first.

/// The two bytes of `bytes` at `at` as a number.
pub(super) fn number_16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

/// The four bytes of `bytes` at `at` as a number.
pub(super) fn number_32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

/// `length` bytes of `bytes` from `at` on, or as many as there are.
pub(super) fn slice(bytes: &[u8], at: usize, length: usize) -> &[u8] {
    let start = at.min(bytes.len());
    let end = start.saturating_add(length).min(bytes.len());
    &bytes[start..end]
}

//! Little-endian numbers, LEB128 varints and length-prefixed strings over a byte slice.
//!
//! Invariant: a [`Cursor`] never reads outside its slice and never allocates more than the slice holds.

use super::FormatError;

/// Reads a slice from front to back. Each read takes a name for the expected item, for error messages.
///
/// ```
/// use nearfind_core::format::bytes::{Cursor, put_string, put_varint};
///
/// let mut bytes = Vec::new();
/// put_varint(&mut bytes, 300);
/// put_string(&mut bytes, "undo");
///
/// let mut cursor = Cursor::new("example", &bytes);
/// assert_eq!(cursor.varint("count")?, 300);
/// assert_eq!(cursor.string("word")?, "undo");
/// cursor.finish("end")?;
///
/// // Damaged bytes are an error, never a panic.
/// assert!(Cursor::new("example", &bytes[..4]).list(1, "words", |cursor| cursor.u8("word")).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    part: &'static str,
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    /// Creates a cursor over `bytes`, which belong to `part`.
    pub const fn new(part: &'static str, bytes: &'a [u8]) -> Self {
        Self { part, rest: bytes }
    }

    /// Returns the number of bytes not read yet.
    pub const fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// Returns the name of the part, for error messages.
    pub const fn part(&self) -> &'static str {
        self.part
    }

    /// Reads the next `length` bytes.
    pub fn take(&mut self, length: usize, what: &'static str) -> Result<&'a [u8], FormatError> {
        if length > self.rest.len() {
            return Err(FormatError::truncated(self.part, what));
        }
        let (head, rest) = self.rest.split_at(length);
        self.rest = rest;
        Ok(head)
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], FormatError> {
        let bytes = self.take(N, what)?;
        Ok(bytes.try_into().expect("take returned N bytes"))
    }

    /// Reads a byte.
    pub fn u8(&mut self, what: &'static str) -> Result<u8, FormatError> {
        self.array::<1>(what).map(|[byte]| byte)
    }

    /// Reads four bytes, little-endian.
    pub fn u32(&mut self, what: &'static str) -> Result<u32, FormatError> {
        self.array(what).map(u32::from_le_bytes)
    }

    /// Reads eight bytes, little-endian.
    pub fn u64(&mut self, what: &'static str) -> Result<u64, FormatError> {
        self.array(what).map(u64::from_le_bytes)
    }

    /// Reads an IEEE 754 single, which must be finite.
    pub fn finite_f32(&mut self, what: &'static str) -> Result<f32, FormatError> {
        let value = f32::from_le_bytes(self.array(what)?);
        if value.is_finite() { Ok(value) } else { Err(FormatError::corrupt(self.part, what)) }
    }

    /// Reads a LEB128 number of at most 32 bits. It need not be in its shortest form.
    pub fn varint(&mut self, what: &'static str) -> Result<u32, FormatError> {
        let value = self.varint64(what)?;
        u32::try_from(value).map_err(|_| FormatError::corrupt(self.part, what))
    }

    /// Reads a LEB128 number of at most 63 bits.
    pub fn varint64(&mut self, what: &'static str) -> Result<u64, FormatError> {
        let mut value = 0u64;
        for shift in (0..63).step_by(7) {
            let byte = self.u8(what)?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(FormatError::corrupt(self.part, what))
    }

    /// Reads a count of entries that follow, each of at least `smallest_entry` bytes. A count that cannot fit is an
    /// error, so callers may reserve memory for it.
    pub fn count(&mut self, smallest_entry: usize, what: &'static str) -> Result<usize, FormatError> {
        let count = self.varint(what)? as usize;
        if count > self.rest.len() / smallest_entry.max(1) {
            return Err(FormatError::truncated(self.part, what));
        }
        Ok(count)
    }

    /// Reads a [`count`](Self::count) and then each entry with `read`. Collecting an iterator of results would generate
    /// code for every kind of entry.
    pub fn list<T>(
        &mut self,
        smallest_entry: usize,
        what: &'static str,
        mut read: impl FnMut(&mut Self) -> Result<T, FormatError>,
    ) -> Result<Vec<T>, FormatError> {
        // Entries take more memory than bytes, so the list grows as they are read.
        let mut entries = Vec::new();
        for _ in 0..self.count(smallest_entry, what)? {
            entries.push(read(self)?);
        }
        Ok(entries)
    }

    /// Reads a varint length and this many bytes.
    pub fn bytes(&mut self, what: &'static str) -> Result<&'a [u8], FormatError> {
        let length = self.varint(what)? as usize;
        self.take(length, what)
    }

    /// Reads a UTF-8 string after its varint length in bytes.
    pub fn string(&mut self, what: &'static str) -> Result<&'a str, FormatError> {
        let bytes = self.bytes(what)?;
        std::str::from_utf8(bytes).map_err(|_| FormatError::corrupt(self.part, what))
    }

    /// Reads a UTF-8 string after its varint length in bytes, and appends it to `text`.
    pub fn string_into(&mut self, text: &mut String, what: &'static str) -> Result<(), FormatError> {
        text.push_str(self.string(what)?);
        Ok(())
    }

    /// Replaces `key` with the next key of a sorted list. It is stored as the varint length of the prefix that both
    /// keys share, and the rest as a string.
    pub fn shared_prefix(&mut self, key: &mut Vec<u8>) -> Result<(), FormatError> {
        let shared = self.varint("shared prefix")? as usize;
        if shared > key.len() {
            return Err(FormatError::corrupt(self.part, "shared prefix"));
        }
        key.truncate(shared);
        let rest = self.count(1, "key")?;
        key.extend_from_slice(self.take(rest, "key")?);
        Ok(())
    }

    /// Reads `count` varints.
    #[inline(never)]
    pub fn varints(&mut self, count: usize, what: &'static str) -> Result<Vec<u32>, FormatError> {
        // A varint takes at least a byte, so this never allocates more than the slice can fill.
        if count > self.remaining() {
            return Err(FormatError::truncated(self.part, what));
        }
        let mut numbers = Vec::with_capacity(count);
        for _ in 0..count {
            numbers.push(self.varint(what)?);
        }
        Ok(numbers)
    }

    /// Returns an error unless everything was read.
    pub fn finish(&self, what: &'static str) -> Result<(), FormatError> {
        if self.rest.is_empty() { Ok(()) } else { Err(FormatError::corrupt(self.part, what)) }
    }
}

/// Appends `value` as LEB128.
#[cfg(feature = "write")]
pub fn put_varint(out: &mut Vec<u8>, value: u64) {
    let mut rest = value;
    while rest >= 0x80 {
        out.push((rest as u8 & 0x7f) | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

/// Appends `text` after its varint length in bytes.
#[cfg(feature = "write")]
pub fn put_string(out: &mut Vec<u8>, text: &str) {
    put_varint(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// Appends the key that follows `previous` in a sorted list, which [`Cursor::shared_prefix`] reads.
#[cfg(feature = "write")]
pub fn put_shared_prefix(out: &mut Vec<u8>, previous: &str, key: &str) {
    let common = previous.bytes().zip(key.bytes()).take_while(|(a, b)| a == b).count();
    let shared = key.floor_char_boundary(common);
    put_varint(out, shared as u64);
    put_string(out, &key[shared..]);
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_and_strings_round_trip(numbers in prop::collection::vec(0u64..1 << 63, 0..50), text in ".{0,40}") {
            let mut bytes = Vec::new();
            for number in &numbers {
                put_varint(&mut bytes, *number);
            }
            put_string(&mut bytes, &text);
            let mut cursor = Cursor::new("test", &bytes);
            for number in &numbers {
                prop_assert_eq!(cursor.varint64("number").unwrap(), *number);
            }
            prop_assert_eq!(cursor.string("text").unwrap(), text.as_str());
            cursor.finish("end").unwrap();
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let mut cursor = Cursor::new("test", &bytes);
            while cursor.string("text").is_ok() && cursor.varint("number").is_ok() {}
            let _ = cursor.count(4, "count");
        }
    }

    #[test]
    fn an_endless_varint_is_corrupt() {
        let mut cursor = Cursor::new("test", &[0xff; 16]);
        assert_eq!(cursor.varint64("number"), Err(FormatError::corrupt("test", "number")));
    }
}

//! The distribution of vector components, as the root and the cells store it.

use super::FormatError;
use super::bytes::Cursor;

/// Number of spreads. They are in eighths of an octave, and nine octaves cover every code.
pub(crate) const SPREADS: usize = 8 * 9;

/// The distribution of components, which a reader needs to decode them.
///
/// ```
/// use nearfind_core::format::bytes::Cursor;
/// use nearfind_core::format::components::Components;
///
/// let components = Components { centers: vec![-3, 12], spreads: vec![40, 44] };
/// let mut bytes = Vec::new();
/// components.write(&mut bytes);
/// assert_eq!(Components::read(&mut Cursor::new("root", &bytes), 2)?, components);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Components {
    /// The center of each component in fine steps, which is added to its code.
    pub centers: Vec<i16>,
    /// The standard deviation of each component's fine code, in eighths of an octave above one step.
    pub spreads: Vec<u8>,
}

impl Components {
    /// Returns the number of components.
    pub fn len(&self) -> usize {
        self.spreads.len()
    }

    /// Whether there are no components.
    pub fn is_empty(&self) -> bool {
        self.spreads.is_empty()
    }

    /// Reads `count` components: the i16 centers, followed by the u8 spreads.
    pub fn read(cursor: &mut Cursor<'_>, count: usize) -> Result<Self, FormatError> {
        let centers = cursor.take(count * 2, "centers")?.as_chunks().0;
        Ok(Self {
            centers: centers.iter().map(|center| i16::from_le_bytes(*center)).collect(),
            spreads: read_spreads(cursor, count)?,
        })
    }

    /// Appends the components, which [`Components::read`] reads.
    #[cfg(feature = "write")]
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.centers.iter().flat_map(|center| center.to_le_bytes()));
        out.extend(&self.spreads);
    }
}

/// Reads the spreads of `count` components.
pub fn read_spreads(cursor: &mut Cursor<'_>, count: usize) -> Result<Vec<u8>, FormatError> {
    let spreads = cursor.take(count, "spreads")?;
    if spreads.iter().any(|&spread| usize::from(spread) >= SPREADS) {
        return Err(FormatError::corrupt(cursor.part(), "spread"));
    }
    Ok(spreads.to_vec())
}

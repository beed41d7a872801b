use serde::{Deserialize, Serialize};

/// A date, as the number `yyyymmdd`. An unknown month or day is 0.
///
/// ```
/// use nearfind_core::records::Date;
///
/// let date = Date::parse("2024-05-01T10:00:00Z").unwrap();
/// assert_eq!(date.to_string(), "2024-05-01");
/// assert_eq!(Date::parse("May 2024"), None);
/// // A year lasts until its end.
/// let year = Date::parse("2024").unwrap();
/// assert!((year..=year.end()).contains(&date));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Date(u32);

impl Date {
    /// Converts a number that [`Date::number`] returned to a date, or to `None` if it is 0.
    pub const fn from_number(number: u32) -> Option<Self> {
        if number == 0 { None } else { Some(Self(number)) }
    }

    /// Returns the number `yyyymmdd`.
    pub const fn number(self) -> u32 {
        self.0
    }

    /// Reads `2024`, `2024-05` or `2024-05-01`, and ignores everything after the day.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let (mut number, mut end) = (0, 0);
        let mut has_ended = false;
        for (width, most) in [(4, 9999), (2, 12), (2, 31)] {
            number *= 100;
            // If no number follows a dash, the date ends before the dash.
            has_ended |= end > 0 && bytes.get(end) != Some(&b'-');
            if has_ended {
                continue;
            }
            let start = end + usize::from(end > 0);
            let mut part = 0;
            for digit in bytes.get(start..start + width)? {
                if !digit.is_ascii_digit() {
                    return None;
                }
                part = part * 10 + u32::from(digit - b'0');
            }
            if part == 0 || part > most {
                return None;
            }
            number += part;
            end = start + width;
        }
        let behind = bytes.get(end).copied().unwrap_or_default();
        let goes_on = behind.is_ascii_alphanumeric() && !(end == 10 && behind == b'T');
        (!goes_on).then_some(Self(number))
    }

    /// Returns the last day that this date may mean: `2024` lasts until the end of the year.
    #[must_use]
    pub const fn end(self) -> Self {
        let (month, day) = (self.0 / 100 % 100, self.0 % 100);
        match (month, day) {
            (0, _) => Self(self.0 + 9999),
            (_, 0) => Self(self.0 + 99),
            _ => self,
        }
    }
}

impl std::fmt::Display for Date {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (year, month, day) = (self.0 / 10_000, self.0 / 100 % 100, self.0 % 100);
        write!(out, "{year:04}")?;
        if month > 0 {
            write!(out, "-{month:02}")?;
        }
        if day > 0 {
            write!(out, "-{day:02}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_far_as_they_go() {
        let cases = [
            ("2024", Some("2024")),
            ("2024-05", Some("2024-05")),
            ("2024-05-01", Some("2024-05-01")),
            ("2024-05-01T10:00:00Z", Some("2024-05-01")),
            ("2024-05-01 10:00", Some("2024-05-01")),
            ("2024-13", None),
            ("2024-5", None),
            ("20240501", None),
            ("v2024", None),
            ("", None),
            ("2024-é1", None),
        ];
        for (text, expected) in cases {
            assert_eq!(Date::parse(text).map(|date| date.to_string()).as_deref(), expected, "{text}");
        }
        let day = |text| Date::parse(text).unwrap();
        assert!(day("2024") <= day("2024-05-01") && day("2024-05-01") <= day("2024").end());
        assert!(day("2024-05").end() < day("2024-06-01"));
    }
}

//! Reads dates in file names, as in blogs and release notes.

pub use nearfind_core::records::Date;

/// Returns the date in the file name of `path`: `2024-05-01-title.md`, `notes-2024-05.md`, `2024_05_01.md`,
/// `20240501.md`. A year alone is ignored, because it may be any other number.
///
/// ```
/// use nearfind_extract::date_in_name;
///
/// assert_eq!(date_in_name("blog/2024-05-01-undo.md").unwrap().to_string(), "2024-05-01");
/// assert_eq!(date_in_name("blog/1000-ways.md"), None);
/// ```
pub fn date_in_name(path: &str) -> Option<Date> {
    let name = path.rsplit('/').next().unwrap_or(path).replace('_', "-");
    let is_digit = |at: usize| name.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    let starts = (0..name.len()).filter(|&at| is_digit(at) && (at == 0 || !is_digit(at - 1)));
    let mut dates = starts.filter_map(|at| {
        let digits = name[at..].bytes().take_while(u8::is_ascii_digit).count();
        let dashed = match digits {
            8 => format!("{}-{}-{}", &name[at..at + 4], &name[at + 4..at + 6], &name[at + 6..at + 8]),
            _ => name[at..].to_owned(),
        };
        // Only plausible years are accepted, because other numbers may look like dates too.
        let date = Date::parse(&dashed)?;
        (date.number() % 10_000 > 0 && (1970..2100).contains(&(date.number() / 10_000))).then_some(date)
    });
    dates.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_in_names_are_found() {
        let cases = [
            ("posts/2024-05-01-release.md", Some("2024-05-01")),
            ("notes_2024_05.md", Some("2024-05")),
            ("log/20240501.md", Some("2024-05-01")),
            ("2024.md", None),
            ("rfc-2119-12.md", None),
            ("v1.2.3.md", None),
            ("2024-05-01/page.md", None),
        ];
        for (path, expected) in cases {
            assert_eq!(date_in_name(path).map(|date| date.to_string()).as_deref(), expected, "{path}");
        }
    }
}

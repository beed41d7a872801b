//! Finds headings: lines with a line of punctuation below, and possibly the same line above.

/// A heading at the beginning of some lines.
pub(super) struct Heading<'a> {
    pub(super) title: &'a str,
    /// Number of lines in the heading.
    pub(super) lines: usize,
    mark: char,
    overlined: bool,
}

/// The heading styles, in the order of their first use on the page, which determines their levels.
#[derive(Default)]
pub(super) struct Sections {
    styles: Vec<(char, bool)>,
}

impl Sections {
    /// Returns the level of `heading`, from 1 to 6.
    pub(super) fn level_of(&mut self, heading: &Heading<'_>) -> usize {
        let style = (heading.mark, heading.overlined);
        let known = self.styles.iter().position(|known| *known == style).unwrap_or_else(|| {
            self.styles.push(style);
            self.styles.len() - 1
        });
        known.min(5) + 1
    }
}

/// Returns the heading at the beginning of `lines`.
pub(super) fn heading<'a>(lines: &[&'a str]) -> Option<Heading<'a>> {
    let is_title = |line: &str| !line.trim().is_empty() && line.trim().chars().any(char::is_alphanumeric);
    let first = lines.first()?;
    if let Some(mark) = adornment(first) {
        let (title, under) = (lines.get(1)?, lines.get(2)?);
        let is_heading = is_title(title) && adornment(under) == Some(mark) && covers(under, title);
        return is_heading.then(|| Heading { title: title.trim(), lines: 3, mark, overlined: true });
    }
    let under = lines.get(1)?;
    let mark = adornment(under)?;
    // An indented line above a rule is text.
    let is_heading = is_title(first) && !first.starts_with(char::is_whitespace) && covers(under, first);
    is_heading.then(|| Heading { title: first.trim(), lines: 2, mark, overlined: false })
}

/// Returns the character of a line that consists of a single repeated character.
fn adornment(line: &str) -> Option<char> {
    let line = line.trim_end();
    let mark = line.chars().next().filter(char::is_ascii_punctuation)?;
    (line.len() >= 3 && line.chars().all(|c| c == mark)).then_some(mark)
}

/// Whether the line is long enough for the title. The lines that authors write are often one or two characters too
/// short.
fn covers(line: &str, title: &str) -> bool {
    line.trim_end().chars().count() + 2 >= title.trim().chars().count()
}

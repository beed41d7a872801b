//! The metadata of a manual page: name, section, date and description.

use super::escapes::plain;
use crate::date::Date;
use crate::document_writer::clean;
use crate::words::one_line;

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// The metadata that was read so far.
#[derive(Debug, Default)]
pub(super) struct About {
    pub name: String,
    pub section: String,
    pub description: String,
    pub date: Option<Date>,
}

impl About {
    /// Returns the title of the manual page, such as `ls(1)`.
    pub(super) fn title(&self) -> String {
        let is_section = !self.section.is_empty();
        let title = if is_section { format!("{}({})", self.name, self.section) } else { self.name.clone() };
        one_line(&clean(&title))
    }

    /// Reads the arguments of `.TH` or `.Dt`: name, section and date.
    pub(super) fn begin(&mut self, words: &[String]) {
        let mut words = words.iter().map(|word| plain(word));
        let name = words.next().unwrap_or_default();
        // There, a name is often in capitals, regardless of its real case.
        let has_small = name.chars().any(char::is_lowercase);
        self.name = if has_small { name } else { name.to_lowercase() };
        self.section = words.next().unwrap_or_default();
        self.date = self.date.or_else(|| words.next().as_deref().and_then(date));
    }

    /// Reads the line below `NAME`, such as `ls, dir - list files`.
    pub(super) fn describe(&mut self, text: &str) {
        let parted = [" - ", " – ", " — ", " -- "].iter().find_map(|dash| text.split_once(dash));
        let Some((names, description)) = parted else { return };
        description.trim().clone_into(&mut self.description);
        let name = names.split(',').next().unwrap_or_default().trim();
        if name.replace('_', " ").eq_ignore_ascii_case(&self.name.replace('_', " ")) {
            name.clone_into(&mut self.name);
        }
    }
}

/// Parses a date in the forms of manual pages: `2024-05-02`, `May 2, 2024`, `2 May 2024`.
pub(super) fn date(text: &str) -> Option<Date> {
    let text = text.trim();
    if let Some(date) = Date::parse(text) {
        return Some(date);
    }
    let (mut year, mut month, mut day) = (None, None, None);
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let start = word.get(..3).unwrap_or_default().to_lowercase();
        match word.parse::<u32>() {
            Ok(number @ 1970..=2100) => year = Some(number),
            Ok(number @ 1..=31) => day = Some(number),
            _ => month = month.or_else(|| (1..).zip(MONTHS).find(|(_, name)| *name == start).map(|(number, _)| number)),
        }
    }
    let (year, month): (u32, u32) = (year?, month?);
    Date::parse(&day.map_or_else(|| format!("{year}-{month:02}"), |day| format!("{year}-{month:02}-{day:02}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read_as_manuals_write_them() {
        let day = |text| date(text).map(|date| date.to_string());
        for text in ["2024-05-02", "May 2, 2024", "2 May 2024", "Thu May 2 2024"] {
            assert_eq!(day(text).as_deref(), Some("2024-05-02"), "{text}");
        }
        assert_eq!(day("$Mdocdate$"), None);
    }
}

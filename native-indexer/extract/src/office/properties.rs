//! Reads a document's metadata: title, date and language.

use super::package::Package;
use super::xml;
use crate::date::Date;
use crate::error::ExtractError;
use crate::extracted::Extracted;
use crate::words::{language_tag, one_line};

/// The metadata of a document.
#[derive(Debug, Default)]
pub(crate) struct Properties {
    /// The title. Empty if there is none, or if a program generated it.
    pub title: String,
    pub date: Option<Date>,
    pub language: String,
}

impl Properties {
    /// Reads the properties of an Office document.
    pub(super) fn of_office(package: &mut Package<'_>) -> Result<Self, ExtractError> {
        let part = package.relationships("")?.into_iter().find(|relationship| relationship.kind == "core-properties");
        match part {
            Some(part) => Self::read(package, &part.target),
            None => Ok(Self::default()),
        }
    }

    /// Reads the part called `name`. If it is damaged, the properties are empty.
    pub(super) fn read(package: &mut Package<'_>, name: &str) -> Result<Self, ExtractError> {
        let Some(text) = package.text(name)? else { return Ok(Self::default()) };
        let Ok(document) = xml::parse(name, &text) else { return Ok(Self::default()) };
        let of = |name: &str| {
            let found = document.descendants().find(|node| node.tag_name().name() == name);
            found.and_then(|node| node.text()).map(one_line).unwrap_or_default()
        };
        let date = ["modified", "date", "created", "creation-date"].iter().find_map(|name| Date::parse(&of(name)));
        Ok(Self { title: honest_title(&of("title")), date, language: language_tag(&of("language")) })
    }

    /// Sets the properties of `extracted`. An existing title takes precedence.
    pub(crate) fn give(self, extracted: &mut Extracted) {
        if extracted.title.is_empty() {
            extracted.title = self.title;
        }
        extracted.date = self.date;
        extracted.language = self.language;
    }
}

/// Titles that programs write by default.
const EMPTY_TITLES: [&str; 10] = [
    "untitled",
    "document",
    "title",
    "powerpoint presentation",
    "presentation",
    "slide 1",
    "word document",
    "default",
    "dokument",
    "no title",
];

/// Returns `title`, or an empty text if a program generated it.
pub(crate) fn honest_title(title: &str) -> String {
    let title = one_line(title);
    let lower = title.to_lowercase();
    let is_name = [
        ".doc", ".docx", ".dvi", ".pdf", ".ppt", ".pptx", ".xls", ".xlsx", ".tex", ".indd", ".qxd", ".rtf", ".odt",
        ".eps", ".htm", ".html",
    ]
    .iter()
    .any(|ending| lower.ends_with(ending));
    let starts =
        ["microsoft word", "microsoft powerpoint", "untitled", "about:blank", "file:", "http:", "https:", "document1"];
    let is_made_up = is_name
        || EMPTY_TITLES.contains(&lower.as_str())
        || starts.iter().any(|start| lower.starts_with(start))
        || lower.chars().filter(|c| c.is_alphabetic()).count() < 2
        || lower.contains('\u{fffd}');
    if is_made_up { String::new() } else { title }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_titles_are_ignored() {
        for title in ["Microsoft Word - report.doc", "Untitled-1", "slides.pptx", " ", "PowerPoint Presentation", "12"]
        {
            assert_eq!(honest_title(title), "", "{title}");
        }
        assert_eq!(honest_title(" The\nGuide "), "The Guide");
    }
}

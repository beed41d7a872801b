//! Detects the language of a text from its letters.

use whatlang::{Lang, detect};

/// Number of letters that detection reads.
const LETTERS: usize = 2_000;
/// Number of bytes that detection searches for letters. A table of numbers may contain very few letters.
const BYTES: usize = 64 << 10;
/// Minimum number of letters for a reliable answer.
const FEWEST_LETTERS: usize = 60;

/// Returns the language subtag of `text`, a Markdown page, or `None` if the language is uncertain. Code is ignored,
/// because it looks like English in every document.
///
/// ```
/// let text = "Installieren Sie zuerst das Programm und öffnen Sie danach die Einstellungen, um die Sprache zu wählen.";
/// assert_eq!(nearfind_languages::detect_language(text), Some("de"));
/// assert_eq!(nearfind_languages::detect_language("Docker"), None);
/// ```
pub fn detect_language(text: &str) -> Option<&'static str> {
    let mut prose = String::new();
    let mut letters = 0;
    let mut is_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            is_code = !is_code;
            continue;
        }
        if is_code {
            continue;
        }
        // Text between backticks is code as well.
        for part in line.split('`').step_by(2) {
            letters += part.chars().filter(|letter| letter.is_alphabetic()).count();
            prose.push_str(part);
        }
        prose.push('\n');
        if letters >= LETTERS || prose.len() >= BYTES {
            break;
        }
    }
    if letters < FEWEST_LETTERS {
        return None;
    }
    let found = detect(&prose)?;
    if found.is_reliable() { subtag(found.lang()) } else { None }
}

/// Returns the two-letter subtag of a language that is common in documents.
const fn subtag(language: Lang) -> Option<&'static str> {
    Some(match language {
        Lang::Ara => "ar",
        Lang::Cat => "ca",
        Lang::Ces => "cs",
        Lang::Cmn => "zh",
        Lang::Dan => "da",
        Lang::Deu => "de",
        Lang::Ell => "el",
        Lang::Eng => "en",
        Lang::Epo => "eo",
        Lang::Est => "et",
        Lang::Fin => "fi",
        Lang::Fra => "fr",
        Lang::Heb => "he",
        Lang::Hin => "hi",
        Lang::Hun => "hu",
        Lang::Hye => "hy",
        Lang::Ind => "id",
        Lang::Ita => "it",
        Lang::Jpn => "ja",
        Lang::Kor => "ko",
        Lang::Lit => "lt",
        Lang::Nep => "ne",
        Lang::Nld => "nl",
        Lang::Nob => "no",
        Lang::Pes => "fa",
        Lang::Pol => "pl",
        Lang::Por => "pt",
        Lang::Ron => "ro",
        Lang::Rus => "ru",
        Lang::Spa => "es",
        Lang::Srp => "sr",
        Lang::Swe => "sv",
        Lang::Tam => "ta",
        Lang::Tha => "th",
        Lang::Tur => "tr",
        Lang::Ukr => "uk",
        Lang::Vie => "vi",
        Lang::Yid => "yi",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_tables_of_numbers_are_not_read_to_their_end() {
        let words =
            "Installieren Sie zuerst das Programm und öffnen Sie danach die Einstellungen, um die Sprache zu wählen.\n";
        let numbers = "| 1 | 2 |\n";
        assert_eq!(detect_language(&format!("{}{words}", numbers.repeat(10))), Some("de"));
        assert_eq!(detect_language(&format!("{}{words}", numbers.repeat(400_000))), None);
    }
}

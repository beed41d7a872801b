//! Formats numbers as in a cell or at a point in a chart: percentages as `12.5%`, invoice numbers as `INV-00007`, and
//! amounts with their currency.
//!
//! People search for a number as they see it. However, thousands are not separated, as in any other number, and a
//! format that only rounds is ignored. Dates are handled elsewhere.

/// Maximum number of characters in a format.
const MAX_CHARS: usize = 200;
/// Maximum number of decimals. Numbers do not have more digits.
const MAX_DECIMALS: usize = 30;
/// Numbers of this size and above are not formatted, because their digits are not exact.
const MOST: f64 = 1e15;

/// The sections of a format, for positive numbers, negative numbers and zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NumberFormat(Vec<Section>);

/// A section, with its parts in display order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Section {
    parts: Vec<Part>,
    /// Number of decimals.
    decimals: usize,
    is_share: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// A digit. The value says whether a missing digit is shown as zero.
    Digit(bool),
    Point,
    Text(char),
}

impl NumberFormat {
    /// Parses a format such as `0.0%`. Returns `None` if it does not change how numbers are shown.
    pub(super) fn parse(code: &str) -> Option<Self> {
        if code.chars().nth(MAX_CHARS).is_some() {
            return None;
        }
        let sections = sections(code)?;
        sections.iter().any(Section::says_more).then_some(Self(sections))
    }

    /// Formats `number`. Returns `None` if the result contains no digit, or the number is too large.
    pub(super) fn show(&self, number: f64) -> Option<String> {
        let Self(sections) = self;
        let (section, shown) = match sections.as_slice() {
            [_, below, ..] if number < 0.0 => (below, number.abs()),
            [_, _, zero, ..] if number == 0.0 => (zero, number),
            [first, ..] => (first, number),
            [] => return None,
        };
        let text = (shown.abs() < MOST).then(|| section.show(shown))?;
        // A format with only words, such as `"none"`, or with a dash for zero, does not contain the number.
        text.contains(|c: char| c.is_ascii_digit()).then_some(text)
    }
}

impl Section {
    fn has_digits(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Digit(_)))
    }

    /// Whether the section shows more than the number, such as a percentage, leading zeros or text.
    fn says_more(&self) -> bool {
        let whole = self.parts.iter().take_while(|part| **part != Part::Point);
        let zeros = whole.filter(|part| matches!(part, Part::Digit(true))).count();
        let has_text = self.parts.iter().any(|part| matches!(part, Part::Text(c) if is_word(*c)));
        self.has_digits() && (self.is_share || zeros > 1 || has_text)
    }

    fn show(&self, number: f64) -> String {
        let number = if self.is_share { number * 100.0 } else { number };
        // Rounds to fifteen digits, which is the precision of a sheet. Halves are rounded away from zero.
        let exact = of_fifteen_digits(number.abs());
        let scale = 10f64.powi(self.decimals as i32);
        // A hundred times 1.005 is slightly less than 100.5 in binary.
        let rounded = of_fifteen_digits(exact * scale).round() / scale;
        let digits = format!("{rounded:.*}", self.decimals);
        let (whole, decimals) = digits.split_once('.').unwrap_or((&digits, ""));
        let whole = whole.trim_start_matches('0');
        let of_point = self.parts.iter().position(|part| *part == Part::Point).unwrap_or(self.parts.len());
        let (before, after) = self.parts.split_at(of_point);
        let places = before.iter().filter(|part| matches!(part, Part::Digit(_))).count();
        let optional = after.iter().rev().filter(|part| matches!(part, Part::Digit(_)));
        let optional = optional.take_while(|part| **part == Part::Digit(false)).count();
        let needed = decimals.len().saturating_sub(optional);
        let decimals = &decimals[..decimals.trim_end_matches('0').len().max(needed)];
        let has_point = !decimals.is_empty();
        let (mut place, mut decimals) = (0, decimals.chars());
        let mut is_whole = true;
        let mut out = String::new();
        if number < 0.0 && rounded > 0.0 {
            out.push('-');
        }
        for part in &self.parts {
            match part {
                Part::Text(c) => out.push(*c),
                Part::Point => {
                    is_whole = false;
                    out.extend(has_point.then_some('.'));
                }
                Part::Digit(is_zero) if is_whole => {
                    // The first place takes all further digits.
                    let from_end = places - place;
                    let end = (whole.len() + 1).saturating_sub(from_end);
                    let start = if place == 0 { 0 } else { end.saturating_sub(1) };
                    let digits = &whole[start..end.max(start)];
                    out.push_str(if digits.is_empty() && *is_zero { "0" } else { digits });
                    place += 1;
                }
                Part::Digit(_) => out.extend(decimals.next()),
            }
        }
        out.trim().to_owned()
    }
}

fn of_fifteen_digits(number: f64) -> f64 {
    format!("{number:.14e}").parse().unwrap_or(number)
}

/// Whether `c` is worth finding in a text, rather than only separating the number.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '$' || (!c.is_ascii() && !c.is_whitespace() && !matches!(c, '–' | '—' | '−'))
}

/// Splits `code` into sections. Returns `None` for anything but digits and text: a fraction, an exponent, a date, or
/// scaling by thousands.
fn sections(code: &str) -> Option<Vec<Section>> {
    let mut done = Vec::new();
    let mut section = Section::default();
    let (mut after_point, mut is_of_text) = (false, false);
    let mut chars = code.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ';' => {
                let ended = std::mem::take(&mut section);
                done.extend((!std::mem::take(&mut is_of_text)).then_some(ended));
                after_point = false;
            }
            '@' => is_of_text = true,
            '0' | '#' | '?' => {
                section.decimals += usize::from(after_point);
                section.parts.push(Part::Digit(c == '0'));
            }
            '.' if !after_point => {
                after_point = true;
                section.parts.push(Part::Point);
            }
            // Between digits, a comma separates thousands. After them, it divides by a thousand.
            ',' if matches!(chars.peek(), Some('0' | '#' | '?')) => {}
            '%' => {
                section.is_share = true;
                section.parts.push(Part::Text('%'));
            }
            '"' => section.parts.extend(chars.by_ref().take_while(|c| *c != '"').map(Part::Text)),
            '\\' => section.parts.push(Part::Text(chars.next()?)),
            // This is a space with the width of the next character, or a fill with that character.
            '_' | '*' => {
                chars.next()?;
            }
            '[' => {
                let inside: String = chars.by_ref().take_while(|c| *c != ']').collect();
                match inside.strip_prefix('$') {
                    Some(currency) => section.parts.extend(currency.split('-').next()?.chars().map(Part::Text)),
                    // Colors are ignored. Conditions are not supported.
                    None if inside.chars().all(char::is_alphanumeric) => {}
                    None => return None,
                }
            }
            '$' | '-' | '+' | '(' | ')' | ':' | '!' | '^' | '&' | '\'' | '~' | '{' | '}' | '<' | '>' | '=' | ' ' => {
                section.parts.push(Part::Text(c));
            }
            // Excel shows characters of other scripts literally, but interprets letters as commands.
            c if !c.is_ascii() => section.parts.push(Part::Text(c)),
            _ => return None,
        }
    }
    done.extend((!is_of_text).then_some(section));
    done.iter().all(|section| section.decimals <= MAX_DECIMALS).then_some(done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(code: &str, number: f64) -> Option<String> {
        NumberFormat::parse(code)?.show(number)
    }

    #[test]
    fn numbers_are_formatted_like_their_cells() {
        for (code, number, expected) in [
            ("0.0%", 0.125, "12.5%"),
            ("0%", 0.125, "13%"),
            ("0.00%", -0.0733, "-7.33%"),
            ("00000", 7.0, "00007"),
            ("00000", 1_234_567.0, "1234567"),
            ("\"INV-\"00000", 7.0, "INV-00007"),
            ("\\A\\B-000", 42.0, "AB-042"),
            ("#,##0.00 \"€\"", 1234.5, "1234.50 €"),
            ("[$€-407] #,##0.00", 1234.5, "€ 1234.50"),
            ("\"$\"#,##0_);[Red]\\(\"$\"#,##0\\)", -1200.0, "($1200)"),
            ("_(\"$\"* #,##0.00_);_(\"$\"* \\(#,##0.00\\);_(\"$\"* \"-\"??_);_(@_)", 3.0, "$3.00"),
            ("000\\-00\\-0000", 123_456_789.0, "123-45-6789"),
            ("0 \"kg\"", 12.0, "12 kg"),
            ("0.0\"x\"", 2.46, "2.5x"),
            ("0.##%", 0.5, "50%"),
            ("0%", 0.145, "15%"),
            ("0.00\" €\"", 1.005, "1.01 €"),
            ("0.00\" €\"", -1.005, "-1.01 €"),
            ("0.00\" €\"", 1.004_999, "1.00 €"),
            ("0.00%", 0.010_05, "1.01%"),
        ] {
            assert_eq!(shown(code, number).as_deref(), Some(expected), "{code}");
        }
    }

    #[test]
    fn formats_that_add_nothing_are_ignored() {
        for code in [
            "General",
            "0",
            "0.00",
            "#,##0.00",
            "#,##0_);(#,##0)",
            "@",
            "0.00E+00",
            "# ?/?",
            "yyyy-mm-dd",
            "#,##0,\" k\"",
            "[<100]0\"a\"",
            "",
        ] {
            assert_eq!(NumberFormat::parse(code), None, "{code}");
        }
        assert_eq!(shown("0%;-0%;\"none\"", 0.0), None, "words alone say nothing of the number");
        let accounts = "_(\"$\"* #,##0.00_);_(\"$\"* \\(#,##0.00\\);_(\"$\"* \"-\"??_);_(@_)";
        assert_eq!(shown(accounts, 0.0), None, "a dash is no zero to be found");
        assert_eq!(shown("00000", 1e18), None);
    }

    proptest! {
        #[test]
        fn any_format_shows_any_number_or_none(code in "[0#?.,%;\"\\\\_*$€a\\[\\]E/ -]{0,24}", number in any::<f64>()) {
            if let Some(format) = NumberFormat::parse(&code) {
                let _ = format.show(number);
            }
        }
    }
}

//! Removes tables of contents, which contain every title in a document but no information.

use super::page::Page;

/// Minimum share of lines on a page that lead to page numbers, if the page has a table of contents.
const LEADER_SHARE: f32 = 0.4;
/// Minimum number of such lines.
const MIN_LINES: usize = 4;

/// Removes tables of contents from `pages`.
pub(super) fn take_out(pages: &mut [Page]) {
    for page in pages {
        let leads: Vec<bool> = page.lines.iter().map(|line| leads_to_page(&line.text)).collect();
        let count = leads.iter().filter(|leads| **leads).count();
        if count < MIN_LINES || count as f32 <= leads.len() as f32 * LEADER_SHARE {
            continue;
        }
        let first = leads.iter().position(|leads| *leads).unwrap_or(0);
        let last = leads.iter().rposition(|leads| *leads).unwrap_or(0);
        // Two-line titles lie between lines with page numbers.
        page.lines.drain(first..=last);
    }
}

/// Whether a line ends with dots and a page number.
fn leads_to_page(line: &str) -> bool {
    let before = line.trim_end_matches(|c: char| c.is_alphanumeric() || c == '-');
    let number = &line[before.len()..];
    let is_number = number.len() <= 6 && number.chars().any(|c| c.is_ascii_digit() || "ivxlc".contains(c));
    let dots = before.trim_end().chars().rev().take_while(|c| matches!(c, '.' | ' ' | '\t' | '…' | '·' | '_'));
    is_number && dots.map(|c| if c == '…' { 3 } else { usize::from(!c.is_whitespace()) }).sum::<usize>() >= 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_leaders_lead_to_page_numbers() {
        for line in ["1.2 Scope ........ 12", "Scope . . . . . iv", "Annex\t…… A-3", "Über uns.....7"] {
            assert!(leads_to_page(line), "{line}");
        }
        for line in ["It ends here. 12", "Wait ...", "see 3.2", "version 1.2.3"] {
            assert!(!leads_to_page(line), "{line}");
        }
    }
}

//! Removes text that Markdown authors hide from readers: comments in HTML and in template languages, and definitions of
//! links that lead nowhere.

use super::containers::shallow;
use pulldown_cmark::{Event, Options, Parser, Tag};
use regex::Regex;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

/// Maximum number of passes. Only another pass finds comments inside comments, which few pages contain.
const MAX_PASSES: usize = 8;

/// Delimiters of comments in Liquid, Hugo and Jinja.
const TEMPLATE_COMMENTS: [(&str, &str); 3] = [("{% comment %}", "{% endcomment %}"), ("{{/*", "*/}}"), ("{#-", "-#}")];

/// A definition of a link that leads nowhere and shows nothing: `[//]: # (text)`, `[comment]: <> "text"`. Its text may
/// continue on several lines.
static EMPTY_LINK: LazyLock<Regex> = LazyLock::new(|| {
    let title = r#"\((?:[^()\\\n]|\\.|\n[^\n])*\)|"(?:[^"\\\n]|\\.|\n[^\n])*"|'(?:[^'\\\n]|\\.|\n[^\n])*'"#;
    let nowhere = format!(r"\[[^\]\n]+\]:[ \t]*(?:#|<>)[ \t]*(?:\n[ \t]*)?(?:{title})[ \t]*$");
    // Unquoted text does not make a definition, but these labels are only used for comments.
    let label = r"\[(?://|comment|_comment_)\]:[ \t]*(?:#|<>).*$";
    Regex::new(&format!(r"(?m)^[ ]{{0,3}}(?:{nowhere}|{label})")).expect("the pattern is valid")
});

/// Comments in Obsidian: lines between two lines of `%%`, or a line that begins and ends with `%%`.
static PERCENT_COMMENT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^%%(?:[^%\n]+%%|[ \t]*\n(?s:.*?)^%%)[ \t]*$").expect("the pattern is valid"));

/// Returns a text without its comments, and whether an unclosed comment hides the rest.
pub(super) fn without_comments(source: &str) -> (Cow<'_, str>, bool) {
    let mut text = Cow::Borrowed(source);
    let mut is_cut = false;
    for _ in 0..MAX_PASSES {
        let templates = TEMPLATE_COMMENTS.iter().flat_map(|(begin, end)| pairs(&text, begin, end));
        let patterns = [&*EMPTY_LINK, &*PERCENT_COMMENT];
        let lines = patterns.iter().flat_map(|pattern| pattern.find_iter(&text).map(|found| found.range()));
        let mut comments: Vec<Range<usize>> = templates.chain(lines).collect();
        // Most pages do not contain comments, and finding their code requires another parse.
        if comments.is_empty() && !text.contains("<!--") {
            break;
        }
        let code = code_ranges(&text);
        comments.retain(|comment| !is_inside(&code, comment.start));
        comments.extend(html_comments(&text, &code, &mut is_cut));
        if comments.is_empty() {
            break;
        }
        text = Cow::Owned(without(&text, comments));
    }
    (text, is_cut)
}

/// Returns the ranges of code, in ascending order.
pub(super) fn code_ranges(text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let parsed = shallow(text);
    for (event, range) in Parser::new_ext(&parsed, Options::ENABLE_TABLES).into_offset_iter() {
        if matches!(event, Event::Code(_) | Event::Start(Tag::CodeBlock(_))) {
            ranges.push(range);
        }
    }
    ranges
}

pub(super) fn is_inside(ranges: &[Range<usize>], at: usize) -> bool {
    let next = ranges.partition_point(|range| range.end <= at);
    ranges.get(next).is_some_and(|range| range.start <= at)
}

/// Returns the ranges of HTML comments outside code. A comment may contain headings and empty lines. Markdown would end
/// the comment there, and browsers may show the rest, but the author meant to hide it.
fn html_comments(text: &str, code: &[Range<usize>], is_cut: &mut bool) -> Vec<Range<usize>> {
    let mut comments = Vec::new();
    let mut at = 0;
    while let Some(begin) = text[at..].find("<!--").map(|found| at + found) {
        at = begin + 4;
        if is_inside(code, begin) || text[..begin].ends_with('\\') {
            continue;
        }
        // `<!-->` is a whole comment.
        if let Some(end) = text[begin + 2..].find("-->").map(|found| begin + 2 + found + 3) {
            comments.push(begin..end);
            at = end;
            continue;
        }
        // Browsers hide everything after an unclosed comment at the beginning of a line.
        if text[..begin].rsplit('\n').next().is_some_and(|before| before.trim().is_empty()) {
            *is_cut = true;
            comments.push(begin..text.len());
        }
        break;
    }
    comments
}

/// Returns the ranges from `begin` to the next `end`, including both.
fn pairs<'a>(text: &'a str, begin: &'a str, end: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(begin)?;
        let stop = start + begin.len() + text[start + begin.len()..].find(end)? + end.len();
        at = stop;
        Some(start..stop)
    })
}

/// Returns `text` without `ranges`. Lines that are left empty are removed too.
fn without(text: &str, mut ranges: Vec<Range<usize>>) -> String {
    ranges.sort_by_key(|range| range.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for range in ranges {
        if range.start < at {
            at = at.max(range.end);
            continue;
        }
        out.push_str(&text[at..range.start]);
        at = range.end;
        let begins_line = out.rsplit('\n').next().is_some_and(|line| line.trim().is_empty());
        let behind = text[at..].split_inclusive('\n').next().unwrap_or_default();
        if begins_line && behind.trim().is_empty() {
            out.truncate(out.rfind('\n').map_or(0, |newline| newline + 1));
            at += behind.len();
        }
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        without_comments(text).0.into_owned()
    }

    #[test]
    fn comments_are_removed_with_any_content() {
        assert_eq!(shown("a <!-- b --> c\n"), "a  c\n");
        assert_eq!(shown("A\n\n<!--\n## B\n\nsecret\n```\n-->\n\n## C\n"), "A\n\n\n## C\n");
        assert_eq!(shown("A <!-- b\n\n## C\n\nd --> E\n"), "A  E\n");
        assert_eq!(shown("<div>\n<!-- a\n\nb -->\nC</div>\n"), "<div>\nC</div>\n");
        assert_eq!(shown("- x\n  <!-- y -->\n- > <!-- z -->\n"), "- x\n- > \n");
        assert_eq!(shown("a<!-->b<!---->c\n"), "abc\n");
        assert_eq!(shown("<!-- a --><!-- b --> c <!-- d -->"), " c ");
    }

    #[test]
    fn text_about_comments_stays() {
        for text in [
            "`<!-- a -->`\n",
            "```html\n<!-- a -->\n[//]: # (x)\n```\n",
            "    <!-- a -->\n",
            "a \\<!-- b -->\n",
            "A comment begins with <!-- here.\n",
            "50%% of 10%% is less\n",
            "[a]: https://a.org \"A\"\n",
            "[top]: #top\n",
            "## Name {#id}\n",
        ] {
            assert_eq!(shown(text), text);
        }
    }

    #[test]
    fn an_unclosed_comment_hides_the_rest() {
        assert_eq!(without_comments("A\n\n<!-- b\n\nC\n"), (Cow::Borrowed("A\n\n"), true));
    }

    #[test]
    fn definitions_that_lead_nowhere_are_removed() {
        for definition in [
            "[//]: # (secret)",
            "[//]: # \"secret\"",
            "[//]: <> (secret)",
            "[comment]: # (secret)",
            "[todo 1]: # (secret\nover two lines)",
            "[//]: #\n(secret)",
            "[//]: # (a (nested) secret)",
            "[//]: # secret without quotes",
        ] {
            assert_eq!(shown(&format!("A\n\n{definition}\n\nB\n")), "A\n\n\nB\n", "{definition}");
        }
    }

    #[test]
    fn comments_of_template_languages_are_removed() {
        assert_eq!(shown("a {% comment %}b\n\nc{% endcomment %} d\n"), "a  d\n");
        assert_eq!(shown("a {{/* b */}} c\n"), "a  c\n");
        assert_eq!(shown("%% a b %%\n\nC\n\n%%\nd\n\ne\n%%\n"), "\nC\n\n");
    }
}

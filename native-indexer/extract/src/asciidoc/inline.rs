//! Inline markup in AsciiDoc.

use regex::{Captures, Regex};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Maximum depth of attributes that refer to other attributes. Deeper references are kept as text.
const DEEPEST: usize = 4;

fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is valid")
}

static CODE: LazyLock<Regex> = LazyLock::new(|| pattern(r"`\+?([^`]+?)\+?`"));
static ATTRIBUTE: LazyLock<Regex> = LazyLock::new(|| pattern(r"\{([\w-]+)\}"));
/// Links, cross-references and macros with their text in brackets.
static MACRO: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:\b(link|xref|mailto|image|footnote|kbd|btn|menu|pass|stem|icon|anchor|indexterm2?):{1,2}([^\s\[\]]*)|(https?)://([^\s\[\]<>]+))\[([^\[\]]*)\]",
    )
});
static REFERENCE: LazyLock<Regex> = LazyLock::new(|| pattern(r"<<([^,<>]+)(?:,\s*([^<>]*))?>>"));
static ANCHOR: LazyLock<Regex> = LazyLock::new(|| pattern(r"\[\[[^\]]*\]\]"));
static INDEX_TERM: LazyLock<Regex> = LazyLock::new(|| pattern(r"\(\(\([^()]*\)\)\)"));
static SHOWN_TERM: LazyLock<Regex> = LazyLock::new(|| pattern(r"\(\(([^()]*)\)\)"));
static ROLE: LazyLock<Regex> = LazyLock::new(|| pattern(r"\[[.\w][^\[\]]*\]#{1,2}([^#]+)#{1,2}"));
static STRONG: LazyLock<Regex> = LazyLock::new(|| pattern(r"(^|[\s(>\x22'])([*_]{1,2})(\S|\S[^*_]*?\S)([*_]{1,2})"));

/// Converts a line to Markdown, and removes emphasis markup.
pub(super) fn to_markdown(line: &str, attributes: &BTreeMap<String, String>) -> String {
    let mut out = String::with_capacity(line.len());
    let mut at = 0;
    // In code, only attributes are replaced.
    for code in CODE.captures_iter(line) {
        let Some(whole) = code.get(0) else { continue };
        out.push_str(&prose(&line[at..whole.start()], attributes));
        out.push_str(&format!("`{}`", with_attributes(&code[1], attributes, 0)));
        at = whole.end();
    }
    out.push_str(&prose(&line[at..], attributes));
    out
}

fn prose(text: &str, attributes: &BTreeMap<String, String>) -> String {
    let text = with_attributes(text, attributes, 0);
    let text = INDEX_TERM.replace_all(&text, "");
    let text = SHOWN_TERM.replace_all(&text, "$1");
    let text = ANCHOR.replace_all(&text, "");
    let text = MACRO.replace_all(&text, macro_text);
    let text = REFERENCE.replace_all(&text, |found: &Captures<'_>| {
        let target = found[1].rsplit(['#', '/']).next().unwrap_or_default().trim_start_matches('_').replace('_', " ");
        found.get(2).map_or(target, |text| text.as_str().to_owned())
    });
    let text = ROLE.replace_all(&text, "$1");
    STRONG
        .replace_all(&text, |found: &Captures<'_>| {
            if found[2] == found[4] { format!("{}{}", &found[1], &found[3]) } else { found[0].to_owned() }
        })
        .into_owned()
}

/// Returns the visible text of a macro.
fn macro_text(found: &Captures<'_>) -> String {
    let text = &found[5];
    // A link's attributes follow its text: `Text,window=_blank`.
    let shown = match text.split_once(',') {
        Some((shown, rest)) if rest.contains('=') => shown,
        _ if text.contains('=') && !text.contains(' ') => "",
        _ => text,
    };
    let shown = shown.trim_matches(['"', '^']);
    let target = found.get(2).map_or("", |target| target.as_str());
    match found.get(1).map(|name| name.as_str()) {
        Some("image" | "icon" | "anchor") => String::new(),
        Some("footnote") => format!(" ({shown})"),
        Some("menu") => format!("{target} > {shown}"),
        Some("kbd" | "btn" | "pass" | "stem" | "indexterm" | "indexterm2") => text.to_owned(),
        _ if !shown.is_empty() => shown.to_owned(),
        Some(_) => target.to_owned(),
        None => format!("{}://{}", &found[3], &found[4]),
    }
}

fn with_attributes(text: &str, attributes: &BTreeMap<String, String>, depth: usize) -> String {
    if depth == DEEPEST || !text.contains('{') {
        return text.to_owned();
    }
    let replaced = ATTRIBUTE.replace_all(text, |found: &Captures<'_>| match (attributes.get(&found[1]), &found[1]) {
        (Some(value), _) => with_attributes(value, attributes, depth + 1),
        (None, "nbsp" | "sp") => " ".to_owned(),
        (None, "empty" | "zwsp" | "blank") => String::new(),
        (None, "plus") => "+".to_owned(),
        _ => found[0].to_owned(),
    });
    replaced.into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_removed() {
        let attributes = BTreeMap::from([("version".to_owned(), "4.2".to_owned())]);
        let cases = [
            ("See https://x.org/a_b[the *site*,window=_blank] now", "See the site now"),
            ("xref:guide.adoc#x[Guide] and <<_getting_started>> or <<id,Text>>", "Guide and getting started or Text"),
            ("Version {version} of `a*b*{version}` {unknown}", "Version 4.2 of `a*b*4.2` {unknown}"),
            ("*Bold*, _it_ and snake_case_name", "Bold, it and snake_case_name"),
            ("Press kbd:[Ctrl+C] or menu:File[Save]footnote:[Or not.]", "Press Ctrl+C or File > Save (Or not.)"),
            ("[.red]#Careful# ((term)) (((hidden))) [[here]]image:a.png[Alt]", "Careful term  "),
        ];
        for (source, expected) in cases {
            assert_eq!(to_markdown(source, &attributes).trim_end(), expected.trim_end(), "{source}");
        }
    }
}

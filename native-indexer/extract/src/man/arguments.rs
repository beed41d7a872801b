//! The arguments of a request: words, some between quotation marks.

/// The arguments in `text`.
pub(super) fn arguments(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    // What is after it is a comment.
    let text = text.split("\\\"").next().unwrap_or_default();
    let mut rest = text.trim_start_matches([' ', '\t']);
    while !rest.is_empty() {
        let (argument, after) = match rest.strip_prefix('"') {
            Some(inside) => in_quotes(inside),
            None => word(rest),
        };
        found.push(argument);
        rest = after.trim_start_matches([' ', '\t']);
    }
    found
}

/// Up to the next quotation mark; two of them are one in the text.
fn in_quotes(text: &str) -> (String, &str) {
    let mut out = String::new();
    let mut rest = text;
    loop {
        let Some((before, after)) = rest.split_once('"') else {
            out.push_str(rest);
            return (out, "");
        };
        out.push_str(before);
        match after.strip_prefix('"') {
            Some(more) => {
                out.push('"');
                rest = more;
            }
            None => return (out, after),
        }
    }
}

/// Up to the next space that has no backslash before it.
fn word(text: &str) -> (String, &str) {
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        if c.is_ascii_whitespace() && !is_escaped {
            return (text[..at].to_owned(), &text[at..]);
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    (text.to_owned(), "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotation_marks_hold_words_together() {
        assert_eq!(arguments("a \"b \"\"c\"\" d\" e\\ f"), ["a", "b \"c\" d", "e\\ f"]);
        assert_eq!(arguments("\"open \\\" not"), ["open "]);
        assert_eq!(arguments("x \\\" comment"), ["x"]);
        assert!(arguments("  ").is_empty());
    }
}

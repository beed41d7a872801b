//! Splits the arguments of a request. An argument with spaces is in quotation marks.

/// Returns the arguments in `text`.
pub(super) fn arguments(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    // `\"` begins a comment.
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

/// Returns the argument up to the next quotation mark, and the rest. Two quotation marks stand for one quotation mark
/// in the argument.
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

/// Returns the argument up to the next space without a backslash before it, and the rest.
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

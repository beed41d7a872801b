//! Finds the comment on a definition: the comment directly above it, or a text at the start of its body.

/// Maximum number of lines to show.
const MAX_LINES: usize = 4;
/// Maximum number of characters to show.
const MAX_CHARS: usize = 300;

/// Returns the comment on the definition that begins on `line`, starting at 1, or an empty text if there is none.
pub(crate) fn comment_on(text: &str, line: u32) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let at = (line.saturating_sub(1) as usize).min(lines.len());
    let is_attribute = |line: &str| line.starts_with(['@', '[']) || line.starts_with("#[");
    let mut above: Vec<&str> = Vec::new();
    for line in lines[..at].iter().rev().map(|line| line.trim()) {
        if is_comment(line) {
            above.push(line);
        } else if !is_attribute(line) {
            break;
        }
    }
    above.reverse();
    let found = if above.is_empty() { inside(&lines[at..]) } else { above };
    let shown: Vec<&str> = found.into_iter().map(plain).filter(|line| !line.is_empty()).take(MAX_LINES).collect();
    shown.join(" ").chars().take(MAX_CHARS).collect()
}

/// Returns the quoted text at the start of a body, as in Python.
fn inside<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let mut body = lines.iter().map(|line| line.trim()).skip_while(|line| !line.ends_with(':')).skip(1);
    let Some(first) = body.next().filter(|line| line.starts_with("\"\"\"") || line.starts_with("'''")) else {
        return Vec::new();
    };
    let quotes = &first[..3];
    if first.len() > 3 && first[3..].contains(quotes) {
        return vec![first];
    }
    let mut text = vec![first];
    for line in body.take(MAX_LINES) {
        text.push(line);
        if line.contains(quotes) {
            break;
        }
    }
    text
}

fn is_comment(line: &str) -> bool {
    let is_attribute = line.starts_with("#[") || line.starts_with("#!");
    ["//", "/*", "*", "#", "--", ";;", "%", "'''", "\"\"\""].iter().any(|mark| line.starts_with(mark)) && !is_attribute
        || line.ends_with("*/")
}

/// Returns a line of a comment without its marks.
fn plain(line: &str) -> &str {
    let line = line.trim_end_matches("*/").trim_end_matches("\"\"\"").trim_end_matches("'''");
    line.trim_start_matches(['/', '*', '#', '-', ';', '%', '!', '"', '\'']).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_above_or_begin_the_body() {
        let rust = "use a;\n\n/// Sends it.\n/// Twice.\n#[inline]\nfn send() {}\n";
        assert_eq!(comment_on(rust, 6), "Sends it. Twice.");
        assert_eq!(comment_on("/**\n * Sends.\n */\nvoid send();\n", 4), "Sends.");
        let python = "def send(self,\n         a):\n    \"\"\"Sends it.\n\n    More.\n    \"\"\"\n    pass\n";
        assert_eq!(comment_on(python, 1), "Sends it. More.");
        assert_eq!(comment_on("def a():\n    \"\"\"One.\"\"\"\n", 1), "One.");
        assert_eq!(comment_on("x = 1\ndef a():\n    pass\n", 2), "");
        assert_eq!(comment_on("", 7), "");
    }
}

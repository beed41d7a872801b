//! Processes output for terminals: colors, cursor movements and overwritten lines.

use regex::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Control sequences of ECMA-48, and operating system commands, such as links and titles.
static CODES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]P^_X][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]|\u{9b}[0-?]*[ -/]*[@-~]",
    )
    .expect("the pattern is valid")
});

/// Removes control sequences from `text`.
pub(super) fn without_codes(text: &str) -> Cow<'_, str> {
    if text.contains(['\u{1b}', '\u{9b}']) { CODES.replace_all(text, "") } else { Cow::Borrowed(text) }
}

/// Returns the text that a terminal finally shows after printing `printed`, with the last state of each line.
pub(super) fn shown(printed: &str) -> String {
    let plain = without_codes(printed);
    let lines = plain.split_inclusive('\n').map(|line| {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        let last = line.trim_end_matches('\r').rsplit('\r').next().unwrap_or_default();
        last.chars().filter(|c| !c.is_control() || *c == '\t').chain(end.chars()).collect::<String>()
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_removed_and_the_last_state_of_a_line_stays() {
        assert_eq!(shown("\u{1b}[1;31mred\u{1b}[0m \u{1b}]8;;https://a.org\u{7}link\u{1b}]8;;\u{7}\n"), "red link\n");
        assert_eq!(shown(" 10%|#\r 50%|##\r100%|###\r\nnext"), "100%|###\nnext");
        assert_eq!(shown("plain [31m text"), "plain [31m text");
        assert_eq!(without_codes("\u{1b}(B\u{1b}[?25lx\u{1b}"), "x\u{1b}");
    }
}

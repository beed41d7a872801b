//! Evaluates conditional requests, as on a terminal.

/// Maximum number of open braces that are counted.
const MAX_BRACES: usize = 1 << 20;
/// Maximum number of nested branches. If there are more, the outer ones are forgotten.
const MAX_OPEN: usize = 64;

/// The visible part of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Shown<'a> {
    Line(&'a str),
    Nothing,
}

/// The state of the conditions at a line.
#[derive(Debug, Default)]
pub(super) struct Conditions {
    /// Number of open braces in a hidden branch.
    skipped: usize,
    /// Whether the conditions of open `.ie` requests hold, until their `.el` follows.
    held: Vec<bool>,
}

impl Conditions {
    /// Returns the visible part of `line`.
    pub(super) fn shown<'a>(&mut self, line: &'a str) -> Shown<'a> {
        if self.skipped > 0 {
            let open = line.matches("\\{").count();
            let close = line.matches("\\}").count();
            self.skipped = (self.skipped + open).saturating_sub(close).min(MAX_BRACES);
            return Shown::Nothing;
        }
        let mut line = line;
        loop {
            let Some(request) = line.strip_prefix(['.', '\'']).map(str::trim_start) else { return Shown::Line(line) };
            // This is the end of a visible branch.
            if request.starts_with("\\}") {
                return Shown::Nothing;
            }
            let (name, rest) = request.split_once([' ', '\t']).unwrap_or((request, ""));
            let (holds, rest) = match name {
                "if" | "ie" | "while" => {
                    let (holds, rest) = condition(rest.trim_start());
                    if name == "ie" {
                        if self.held.len() >= MAX_OPEN {
                            self.held.remove(0);
                        }
                        self.held.push(holds);
                    }
                    (holds && name != "while", rest)
                }
                "el" => (self.is_other_shown(), rest),
                _ if name.starts_with("el\\{") => (self.is_other_shown(), request.get(2..).unwrap_or_default()),
                _ => return Shown::Line(line),
            };
            let rest = rest.trim_start();
            if !holds {
                self.skipped = rest.matches("\\{").count().saturating_sub(rest.matches("\\}").count());
                return Shown::Nothing;
            }
            let body = rest.strip_prefix("\\{").unwrap_or(rest).trim_start();
            let body = body.strip_prefix('\\').filter(|rest| rest.is_empty()).unwrap_or(body);
            if body.is_empty() {
                return Shown::Nothing;
            }
            line = body;
        }
    }

    /// Whether the branch `.el` after the last `.ie` is visible.
    fn is_other_shown(&mut self) -> bool {
        !self.held.pop().unwrap_or_default()
    }
}

/// Returns whether the condition at the beginning of `text` holds for groff on a terminal, and the text after it.
fn condition(text: &str) -> (bool, &str) {
    let (is_not, text) = text.strip_prefix('!').map_or((false, text), |text| (true, text));
    let end = match text.chars().next() {
        // This is a comparison of two texts, as in `'text'text'`. It counts as false.
        Some(quote @ ('\'' | '"')) => {
            let mut places = text.match_indices(quote).map(|(at, _)| at + 1).skip(2);
            places.next().unwrap_or(text.len())
        }
        _ => text.find([' ', '\t']).or_else(|| text.find("\\{")).unwrap_or(text.len()),
    };
    let (condition, rest) = text.split_at(end);
    // Number registers are not evaluated, except the most common one: `.g`, which is set in groff.
    let holds = match condition {
        "n" | "1" | "o" => true,
        _ => condition.contains("\\n(.g") || condition.contains("\\n[.g]"),
    };
    (holds != is_not, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(source: &str) -> Vec<&str> {
        let mut conditions = Conditions::default();
        let lines = source.lines().filter_map(|line| match conditions.shown(line) {
            Shown::Line(line) => Some(line),
            Shown::Nothing => None,
        });
        lines.collect()
    }

    #[test]
    fn branches_are_inside_each_other() {
        let source = ".ie n \\{\\\n.ie t inner\n.el other\nyes\n.\\}\n.el no\nafter";
        assert_eq!(shown(source), ["other", "yes", "after"]);
        assert_eq!(shown(".ie t \\{\\\n.ie n a\n.el b\n.\\}\n.el c"), ["c"]);
        assert_eq!(shown(&".ie n a\n".repeat(1000)).len(), 1000);
    }

    #[test]
    fn lines_for_terminals_are_shown() {
        assert_eq!(shown(".if n text\n.if t print\n.if !t .B both\nplain"), ["text", ".B both", "plain"]);
        assert_eq!(
            shown(".ie n \\{\\\nyes\n.\\}\n.el \\{\\\nno\n.if n \\{ no\n.\\}\nno\n.\\}\nafter"),
            ["yes", "after"]
        );
        assert_eq!(shown(".ie \\n(.g .ds a b\n.el .ds a c\n.if '\\*(.T'x' no"), [".ds a b"]);
        let endless = ".if n ".repeat(100_000);
        assert!(shown(&endless).len() <= 1);
    }
}

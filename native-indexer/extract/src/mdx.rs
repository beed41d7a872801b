//! Converts MDX to Markdown. Imports, exports, expressions and component tags are removed. The text between tags is
//! kept, and so are the titles and labels of components.

use regex::Regex;
use std::sync::LazyLock;

/// A component tag, which begins with a capital letter, or a fragment tag, which has no name.
static TAG: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?s)</?(?:[A-Z][\w.]*(?:\s(?:[^<>"'{}]|"[^"]*"|'[^']*'|\{(?:[^{}]|\{[^{}]*\})*\})*)?/?)?>"#)
        .expect("the pattern is valid")
});
static SHOWN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"\s(?:title|label|header|summary)="([^"]+)""#).expect("the pattern is valid"));
static COMMENT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?s)\{/\*.*?\*/\}").expect("the pattern is valid"));
/// An expression that is alone on its line.
static EXPRESSION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^[ \t]*\{[^{}\n]*\}[ \t]*$").expect("the pattern is valid"));

/// Converts a page with its front matter to Markdown.
pub(super) fn to_markdown(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut prose = String::new();
    let mut fence: Option<&str> = None;
    let mut in_module = false;
    for line in source.split_inclusive('\n') {
        let trimmed = line.trim_start();
        let mark = &trimmed[..trimmed.bytes().take_while(|byte| matches!(byte, b'`' | b'~')).count()];
        match fence {
            Some(open) => {
                out.push_str(line);
                if mark.starts_with(open) && trimmed[mark.len()..].trim().is_empty() {
                    fence = None;
                }
            }
            None if mark.len() >= 3 => {
                out.push_str(&without_components(&std::mem::take(&mut prose)));
                out.push_str(line);
                fence = Some(mark);
                in_module = false;
            }
            None => {
                // Module statements continue up to the next empty line.
                in_module = !trimmed.is_empty() && (in_module || is_statement(line));
                if !in_module {
                    prose.push_str(line);
                }
            }
        }
    }
    out.push_str(&without_components(&prose));
    out
}

fn is_statement(line: &str) -> bool {
    let imports = line.starts_with("import ") && (line.contains(" from ") || line.contains(['"', '\'', '{']));
    let exports = ["export const ", "export default ", "export function ", "export let ", "export {", "export * "];
    imports || exports.iter().any(|start| line.starts_with(start))
}

fn without_components(prose: &str) -> String {
    let prose = COMMENT.replace_all(prose, "");
    let prose = TAG.replace_all(&prose, |found: &regex::Captures<'_>| {
        let shown = SHOWN.captures_iter(&found[0]).map(|shown| shown[1].to_owned());
        let shown: Vec<String> = shown.collect();
        if shown.is_empty() { String::new() } else { format!("{}\n\n", shown.join(" ")) }
    });
    EXPRESSION.replace_all(&prose, "").into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_removed_and_their_content_stays() {
        let source = "---\ntitle: Tabs\n---\nimport Tabs from '@theme/Tabs';\nimport {\n  A,\n} from './a';\n\nexport const x = 1;\n\n# Tabs\n\n<Tabs values={[{a: 1}]}>\n<TabItem value=\"apple\" label=\"Apple pie\">\n\nAn apple, `<Tab>` and a < b.\n\n</TabItem>\n</Tabs>\n\n{/* hidden\nwords */}\n{props.children}\n\n```jsx\nimport B from 'b';\n<B />\n```\n<>Imported goods</>\n";
        let markdown = to_markdown(source);
        for kept in
            ["# Tabs", "Apple pie", "An apple", "a < b", "import B from 'b';\n<B />", "Imported goods", "title: Tabs"]
        {
            assert!(markdown.contains(kept), "{kept}: {markdown}");
        }
        for gone in ["@theme", "./a", "export", "values", "TabItem", "hidden", "props"] {
            assert!(!markdown.contains(gone), "{gone}: {markdown}");
        }
    }

    #[test]
    fn a_sentence_that_begins_like_a_statement_stays() {
        assert_eq!(to_markdown("import duties are paid\nexport them\n"), "import duties are paid\nexport them\n");
    }
}

//! Finds definitions in the code cells of a notebook, which are fenced code blocks in the document's text.

use super::definitions::definitions;
use super::grammars::grammar_named;
use super::parse::parse;
use super::pieces::{Symbol, symbols_of};
use nearfind_core::symbols::SymbolKind;

/// A code cell as it appears in the document's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeCell {
    /// The line before the code: a fence with the language name.
    pub opening: String,
    /// The code, without the last line break.
    pub code: String,
}

/// Returns the functions and types that the `cells` of `text` define, with their lines and bytes in `text`. The cells
/// must be in the order of the text. Variables are left out, because a notebook sets one on every other line.
pub fn definitions_in_cells(text: &str, cells: &[CodeCell]) -> Vec<Symbol> {
    let mut found = Vec::new();
    let (mut from, mut line) = (0, 0u32);
    for CodeCell { opening, code } in cells {
        // Normally, the text contains every cell. If it does not, searching the whole text for each cell would take too
        // long.
        let Some(at) = text[from..].find(&format!("{opening}\n{code}")) else { break };
        let start = from + at + opening.len() + 1;
        line += text[from..start].matches('\n').count() as u32;
        from = start;
        let Some(grammar) = grammar_named(&opening.trim_start_matches('`').to_lowercase()) else { continue };
        let code = without_commands(code);
        let Some(tree) = parse(grammar, &code, &[]) else { continue };
        let (of_cell, _) = definitions(grammar, &tree, &code);
        let is_shown = |symbol: &Symbol| symbol.kind != SymbolKind::Constant && !symbol.is_detail;
        found.extend(symbols_of(&of_cell, &code).into_iter().filter(is_shown).map(|symbol| Symbol {
            signature_range: symbol.signature_range.start + start as u32..symbol.signature_range.end + start as u32,
            lines: (symbol.lines.0 + line, symbol.lines.1 + line),
            ..symbol
        }));
    }
    found
}

/// Returns the code with spaces instead of notebook commands, such as `%matplotlib inline` and `!pip install x`, which
/// are not part of the language.
fn without_commands(code: &str) -> String {
    let mut plain = String::with_capacity(code.len());
    for line in code.split_inclusive('\n') {
        let is_command = line.trim_start().starts_with(['%', '!']);
        // One space for each byte, so that positions stay the same.
        let kept = if is_command { line.len() - line.trim_end_matches('\n').len() } else { line.len() };
        plain.extend(std::iter::repeat_n(' ', line.len() - kept));
        plain.push_str(&line[line.len() - kept..]);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(language: &str, code: &str) -> CodeCell {
        CodeCell { opening: format!("```{language}"), code: code.to_owned() }
    }

    #[test]
    fn definitions_have_their_places_in_the_text() {
        let cells = [
            cell("python", "%%time\nclass Model:\n    def fit(self, é):\n        x = 1\n\nlimit = 3"),
            cell("klingon", "def no()"),
            cell("python", "!pip install x\ndef load(path):\n    return path"),
        ];
        let fenced = |cell: &CodeCell| format!("{}\n{}\n```\n\nprose\n", cell.opening, cell.code);
        let text = format!("# Title\n\n{}", cells.iter().map(fenced).collect::<String>());
        let found = definitions_in_cells(&text, &cells);
        let lines: Vec<&str> = text.lines().collect();
        let shown: Vec<String> = found
            .iter()
            .map(|symbol| {
                let range = symbol.signature_range.start as usize..symbol.signature_range.end as usize;
                let first = lines[symbol.lines.0 as usize - 1].trim();
                format!("{} in {:?}: {} | {first}", symbol.name, symbol.scope, &text[range])
            })
            .collect();
        let expected = [
            "Model in \"\": class Model | class Model:",
            "fit in \"Model\": def fit(self, é) | def fit(self, é):",
            "load in \"\": def load(path) | def load(path):",
        ];
        assert_eq!(shown, expected);
        assert!(definitions_in_cells("nothing of it", &cells).is_empty());
    }
}

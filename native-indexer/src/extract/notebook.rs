//! Jupyter notebooks (nbformat 3 and 4): Markdown cells as they stand, code cells as fenced code.

use super::{ExtractError, Extracted, markdown};
use serde::Deserialize;

#[derive(Deserialize)]
struct Notebook {
    #[serde(default)]
    cells: Vec<Cell>,
    #[serde(default)]
    worksheets: Vec<Worksheet>,
}

/// Where nbformat 3 keeps its cells.
#[derive(Deserialize)]
struct Worksheet {
    #[serde(default)]
    cells: Vec<Cell>,
}

#[derive(Deserialize)]
struct Cell {
    cell_type: String,
    #[serde(default, alias = "input")]
    source: Source,
}

/// A text, or its lines.
#[derive(Deserialize)]
#[serde(untagged)]
enum Source {
    Text(String),
    Lines(Vec<String>),
}

impl Default for Source {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

pub(super) fn extract(json: &str) -> Result<Extracted, ExtractError> {
    let notebook: Notebook =
        serde_json::from_str(json).map_err(|error| ExtractError::NotANotebook(error.to_string()))?;
    let mut text = String::new();
    for cell in notebook.cells.into_iter().chain(notebook.worksheets.into_iter().flat_map(|sheet| sheet.cells)) {
        let source = match cell.source {
            Source::Text(text) => text,
            Source::Lines(lines) => lines.concat(),
        };
        if source.trim().is_empty() {
            continue;
        }
        if cell.cell_type == "code" {
            let fence = fence(&source);
            text.push_str(&format!("{fence}python\n{}\n{fence}\n\n", source.trim_end()));
        } else {
            text.push_str(source.trim_end());
            text.push_str("\n\n");
        }
    }
    Ok(markdown::extract(&text))
}

/// A fence longer than any run of backticks in `code`.
fn fence(code: &str) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_become_markdown_with_headings_and_code() {
        let json = r##"{"cells": [
            {"cell_type": "markdown", "source": ["# Button\n", "Click it."]},
            {"cell_type": "code", "source": "pn.widgets.Button()\n```", "outputs": []},
            {"cell_type": "markdown"}
        ]}"##;
        let extracted = extract(json).unwrap();
        assert_eq!(extracted.title, "Button");
        assert!(extracted.text.contains("````python\npn.widgets.Button()\n```\n````"), "{}", extracted.text);
    }

    #[test]
    fn older_notebooks_keep_cells_in_worksheets() {
        let json = r#"{"worksheets": [{"cells": [{"cell_type": "code", "input": ["x = 1"]}]}]}"#;
        assert!(extract(json).unwrap().text.contains("x = 1"));
    }

    #[test]
    fn other_json_is_refused() {
        assert!(matches!(extract("[1]"), Err(ExtractError::NotANotebook(_))));
    }
}

//! Reads Jupyter notebooks (nbformat 3 and 4). Markdown cells are kept as they are. Code cells become fenced code
//! blocks, followed by the texts and tables that they output.

use super::{html, markdown, terminal_codes};
use crate::code::{CodeCell, definitions_in_cells};
use crate::error::ExtractError;
use crate::extraction::Extraction;
use crate::words::fence;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Notebook {
    #[serde(default)]
    cells: Vec<Cell>,
    #[serde(default)]
    worksheets: Vec<Worksheet>,
    #[serde(default)]
    metadata: Value,
}

impl Notebook {
    /// Returns the language of the notebook's code according to its kernel, or else Python.
    fn language(&self) -> &str {
        let places = ["/language_info/name", "/kernelspec/language", "/language"];
        let named = places.iter().find_map(|place| self.metadata.pointer(place)?.as_str());
        named.filter(|name| is_language(name)).unwrap_or("python")
    }
}

/// Whether `name` is a valid language name after a fence.
fn is_language(name: &str) -> bool {
    (1..=32).contains(&name.len()) && name.chars().all(|c| c.is_ascii_alphanumeric() || "+#-_.".contains(c))
}

/// A worksheet, which contains the cells in nbformat 3.
#[derive(Deserialize)]
struct Worksheet {
    #[serde(default)]
    cells: Vec<Cell>,
}

#[derive(Deserialize)]
struct Cell {
    #[serde(rename = "cell_type")]
    kind: String,
    #[serde(default, alias = "input")]
    source: Source,
    #[serde(default)]
    outputs: Vec<Output>,
    #[serde(default)]
    metadata: Value,
}

impl Cell {
    /// Whether a Jupyter Book tag removes `part` of the cell from the published page: `cell`, `input` or `output`.
    fn removes(&self, part: &str) -> bool {
        let tags = self.metadata.get("tags").and_then(Value::as_array);
        tags.into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .any(|tag| tag.strip_prefix("remove").is_some_and(|rest| rest.trim_start_matches(['-', '_']) == part))
    }

    /// Returns the language of the cell's code, if an editor or the cell's first line declares one.
    fn language<'a>(&'a self, source: &'a str) -> Option<&'a str> {
        let of_editor = self.metadata.pointer("/vscode/languageId").and_then(Value::as_str);
        let magic = || source.trim_start().strip_prefix("%%")?.split_whitespace().next();
        let languages = ["bash", "sh", "javascript", "js", "html", "sql", "ruby", "perl", "R", "julia"];
        let of_magic = || magic().filter(|name| languages.contains(name));
        of_editor.filter(|name| is_language(name)).or_else(of_magic)
    }
}

/// An output of a code cell: a stream's `text`, `data` by media type, or an error.
#[derive(Deserialize)]
struct Output {
    #[serde(default, rename = "ename")]
    error: String,
    #[serde(default, rename = "evalue")]
    error_text: String,
    #[serde(default)]
    text: Source,
    #[serde(default)]
    data: OutputData,
}

#[derive(Default, Deserialize)]
struct OutputData {
    #[serde(default, rename = "text/plain")]
    text: Source,
    #[serde(default, rename = "text/markdown")]
    markdown: Source,
    #[serde(default, rename = "text/html")]
    html: Source,
}

/// Maximum number of lines in an output. Longer outputs are logs and data, and are cut.
const OUTPUT_LINES: usize = 20;
/// Maximum number of characters in an output.
const OUTPUT_CHARS: usize = 1000;

/// Maximum length in bytes of HTML to search for a table. Longer HTML is a document with its scripts.
const MAX_HTML_BYTES: usize = 256 << 10;

/// A text, which may be stored as a list of lines.
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

impl Source {
    fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Lines(lines) => lines.concat(),
        }
    }
}

pub(super) fn extract(json: &str) -> Result<Extraction, ExtractError> {
    let notebook: Notebook =
        serde_json::from_str(json).map_err(|error| ExtractError::NotANotebook(error.to_string()))?;
    let mut text = String::new();
    let language = notebook.language().to_owned();
    let mut cells: Vec<CodeCell> = Vec::new();
    for mut cell in notebook.cells.into_iter().chain(notebook.worksheets.into_iter().flat_map(|sheet| sheet.cells)) {
        let source = std::mem::take(&mut cell.source).into_text();
        if source.trim().is_empty() || cell.removes("cell") {
            continue;
        }
        if cell.kind == "code" {
            if !cell.removes("input") {
                let fence = fence(&source);
                let language = cell.language(&source).unwrap_or(&language);
                let code = source.trim_end();
                text.push_str(&format!("{fence}{language}\n{code}\n{fence}\n\n"));
                cells.push(CodeCell { opening: format!("{fence}{language}"), code: code.to_owned() });
            }
            if !cell.removes("output") {
                cell.outputs.into_iter().for_each(|output| write_output(output, &mut text));
            }
        } else {
            text.push_str(source.trim_end());
            text.push_str("\n\n");
        }
    }
    let mut extraction = markdown::extract(&text);
    if let Extraction::Document(extracted) = &mut extraction {
        extracted.definitions = definitions_in_cells(&extracted.text, &cells);
    }
    Ok(extraction)
}

fn write_output(output: Output, text: &mut String) {
    let markdown = output.data.markdown.into_text();
    if !markdown.trim().is_empty() {
        text.push_str(&format!("{}\n\n", markdown.trim_end()));
        return;
    }
    // Only tables are read from HTML. Other HTML is usually a picture that a script draws.
    let html = output.data.html.into_text();
    if html.contains("<table")
        && html.len() <= MAX_HTML_BYTES
        && let Ok(table) = html::part(&html)
    {
        let lines: Vec<&str> = table.text.lines().take(OUTPUT_LINES).collect();
        let shown: String = lines.join("\n").chars().take(OUTPUT_CHARS).collect();
        if !shown.trim().is_empty() {
            text.push_str(&format!("{}\n\n", shown.trim_end()));
            return;
        }
    }
    let error = [output.error, output.error_text].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
    for printed in [output.text.into_text(), output.data.text.into_text(), error.join(": ")] {
        let printed = terminal_codes::shown(&printed);
        let lines: Vec<&str> = printed.lines().take(OUTPUT_LINES).collect();
        let shown: String = lines.join("\n").chars().take(OUTPUT_CHARS).collect();
        // For a picture, the text is only the name of an object, such as `<Figure size 640x480>`.
        if !shown.trim().is_empty() && !shown.trim_start().starts_with('<') {
            let fence = fence(&shown);
            text.push_str(&format!("{fence}text\n{}\n{fence}\n\n", shown.trim_end()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extracted::Extracted;

    fn extract(json: &str) -> Result<Extracted, ExtractError> {
        match super::extract(json)? {
            Extraction::Document(extracted) => Ok(*extracted),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn cells_become_markdown_with_headings_and_code() {
        let json = r##"{"cells": [
            {"cell_type": "markdown", "source": ["# Button\n", "Click it."]},
            {"cell_type": "code", "source": "pn.widgets.Button()\n```", "outputs": [{"output_type": "stream", "text": ["clicked\n"]}, {"data": {"text/plain": "<Figure size 1x1>", "image/png": "AA=="}}]},
            {"cell_type": "markdown"}
        ]}"##;
        let extracted = extract(json).unwrap();
        assert_eq!(extracted.title, "Button");
        assert!(extracted.text.contains("````python\npn.widgets.Button()\n```\n````"), "{}", extracted.text);
        assert!(
            extracted.text.contains("```text\nclicked\n```") && !extracted.text.contains("Figure"),
            "{}",
            extracted.text
        );
    }

    #[test]
    fn tables_of_html_are_tables_and_pictures_are_nothing() {
        let json = r#"{"cells": [{"cell_type": "code", "source": "df", "outputs": [
            {"data": {"text/html": ["<style>x</style><table><tr><th>city</th></tr>", "<tr><td>Oslo</td></tr></table>"], "text/plain": "   city"}},
            {"data": {"text/html": "<div id='a'></div><script>draw()</script>", "text/plain": "<Plot>"}}]}]}"#;
        let text = extract(json).unwrap().text;
        assert!(text.contains("city") && text.contains("Oslo") && !text.contains("```text"), "{text}");
        assert!(!text.contains("draw") && !text.contains('<'), "{text}");
    }

    #[test]
    fn what_a_terminal_would_show_is_read() {
        let json = r#"{"metadata": {"language_info": {"name": "julia"}}, "cells": [
            {"cell_type": "code", "source": "run()", "outputs": [
                {"output_type": "stream", "text": ["\u001b[32mgreen\u001b[0m words\n", " 10%\r100% done\n"]},
                {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "division by zero", "traceback": ["\u001b[31mno"]}]},
            {"cell_type": "code", "source": "%%bash\nls", "outputs": []},
            {"cell_type": "code", "source": "secret", "metadata": {"tags": ["remove-cell"]}},
            {"cell_type": "code", "source": "secret", "metadata": {"tags": ["remove-input"]}, "outputs": [{"text": "kept"}]}]}"#;
        let text = extract(json).unwrap().text;
        assert_eq!(
            text,
            "```julia\nrun()\n```\n\n```text\ngreen words\n100% done\n```\n\n```text\nZeroDivisionError: division by zero\n```\n\n\
             ```bash\n%%bash\nls\n```\n\n```text\nkept\n```\n\n"
        );
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

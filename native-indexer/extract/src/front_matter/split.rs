//! Finds the beginning and the end of front matter.

use serde_json::Value;

/// Maximum length of front matter in bytes. A longer block is text.
const MAX_BYTES: usize = 64 << 10;

/// The syntax of front matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    Yaml,
    Toml,
    Json,
}

/// The beginning of a file, if it looks like front matter.
#[derive(Debug)]
pub(super) struct Block<'a> {
    pub syntax: Syntax,
    /// The lines of the block, without its delimiters.
    pub lines: &'a str,
    /// Line number in the file where `lines` begins, starting at 1.
    pub first_line: usize,
    /// The file after the block.
    pub rest: &'a str,
    /// Whether the block has an end. If not, `rest` is the whole file.
    pub is_closed: bool,
}

/// Returns the front matter at the beginning of `source`.
pub(super) fn block(source: &str) -> Option<Block<'_>> {
    if source.starts_with('{') {
        return object(source);
    }
    let (first, rest) = source.split_once('\n')?;
    let (syntax, ends): (Syntax, &[&str]) = match first.trim_end() {
        "---" => (Syntax::Yaml, &["---", "..."]),
        "+++" => (Syntax::Toml, &["+++"]),
        ";;;" => (Syntax::Json, &[";;;"]),
        _ => return None,
    };
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if ends.contains(&line.trim_end()) {
            let rest_at = at + line.len();
            return Some(Block { syntax, lines: &rest[..at], first_line: 2, rest: &rest[rest_at..], is_closed: true });
        }
        at += line.len();
        if at > MAX_BYTES {
            break;
        }
    }
    // An author who forgot the end may still have marked the page as a draft.
    let end = rest.find("\n\n").or_else(|| rest.find("\r\n\r\n")).map_or(rest.len(), |end| end + 1);
    let lines = &rest[..end.min(rest.floor_char_boundary(MAX_BYTES))];
    (syntax == Syntax::Yaml).then_some(Block { syntax, lines, first_line: 2, rest: source, is_closed: false })
}

/// Returns a JSON object at the beginning of a file, as in Hugo, if nothing follows it on its last line.
fn object(source: &str) -> Option<Block<'_>> {
    let beginning = &source[..source.floor_char_boundary(MAX_BYTES)];
    let mut values = serde_json::Deserializer::from_str(beginning).into_iter::<Value>();
    let Some(Ok(Value::Object(_))) = values.next() else { return None };
    let (lines, behind) = source.split_at(values.byte_offset());
    let rest = behind.trim_start_matches([' ', '\t', '\r']);
    let rest = if rest.is_empty() { rest } else { rest.strip_prefix('\n')? };
    Some(Block { syntax: Syntax::Json, lines, first_line: 1, rest, is_closed: true })
}

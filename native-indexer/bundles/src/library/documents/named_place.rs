//! Places in documents, by the names that answers use for them: `src/a.py:12-40`, `src/a.py#Session.send`,
//! `guide.md#colours`.

use crate::library::code::symbol_candidates::ends_with_scope;
use crate::library::documents::anchor::lines_of;
use crate::library::documents::lookup::{Document, FoundPath};
use crate::library::near_names::{likeness, near_names};
use crate::library::open::view::View;
use anyhow::{Result, bail};
use nearfind_base::file_names::stem;
use nearfind_core::symbols::{Definition, SymbolKind};
use std::cmp::Reverse;

/// Minimum similarity of suggested names to the requested one. Equal names have 1.
const MIN_LIKENESS: f64 = 0.5;
/// Maximum number of names in an error or a notice.
const MAX_NAMED: usize = 8;

/// A place in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaceInFile {
    /// The first and last line, starting at 1.
    Lines(usize, usize),
    /// The place with this name: a definition in source code, a heading, or a page.
    Called(String),
    /// The anchor of an address, which may exist in the page but not in the document.
    Anchor(String),
}

/// Lines of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The first line, starting at 1.
    pub first: usize,
    /// The last line, or `None` for the end of the document.
    pub last: Option<usize>,
    /// Other definitions with the same name, with their lines.
    pub others: Vec<String>,
    /// A notice, if the definition is in a scope other than the requested one.
    pub notice: Option<String>,
}

impl View {
    /// Returns the document that `name` refers to, and the place in it. `name` contains the document's name as in
    /// [`View::find`]. Lines may follow after a colon, or a name or an anchor after a `#`.
    pub fn find_place(&self, name: &str, project: Option<&str>) -> Result<(FoundPath, Option<PlaceInFile>)> {
        // Some clients end texts with a zero byte, as in C.
        let name = name.trim_matches(|c: char| c.is_whitespace() || c.is_control());
        let paths = self.paths(None)?;
        let is_known =
            |name: &str| paths.iter().any(|path| path.names().any(|known| known == name) || path.id() == name);
        // A file name may contain these characters.
        if is_known(name) {
            return Ok((self.find(name, project)?, None));
        }
        if let Some((path, (first, last))) = lines_behind(name).filter(|(path, _)| is_known(path)) {
            return Ok((self.find(path, project)?, Some(PlaceInFile::Lines(first, last))));
        }
        if let Some((path, place)) = parts(name) {
            return Ok((self.find(path, project)?, Some(place)));
        }
        let error = match self.find(name, project) {
            Ok(found) => return Ok((found, None)),
            Err(error) => error,
        };
        match name.rsplit_once(':').filter(|_| !name.contains("://")) {
            Some((path, behind)) if self.find(path, project).is_ok() => bail!(
                "{behind:?} after {path:?} is not a valid location: give lines, as in {path}:12, {path}:12-40 or {path}:12-, \
                or a name, as in {path}#Session.send"
            ),
            _ => Err(error),
        }
    }
}

/// Splits a name into a document and a place, if it has both.
fn parts(name: &str) -> Option<(&str, PlaceInFile)> {
    let is_address = name.contains("://");
    let split = name.rsplit_once('#').map(|(path, place)| (path.trim(), place.trim()));
    if let Some((path, place)) = split.filter(|(path, place)| !path.is_empty() && !place.is_empty()) {
        // A name is more specific than the lines that an answer shows with it.
        let path = lines_behind(path).filter(|_| !is_address).map_or(path, |(path, _)| path);
        let place = match lines_of(place) {
            Some((first, last)) if first > 0 => PlaceInFile::Lines(first, last.max(first)),
            _ if is_address => PlaceInFile::Anchor(place.to_owned()),
            _ => PlaceInFile::Called(place.to_owned()),
        };
        return Some((path, place));
    }
    if is_address {
        return None;
    }
    // The form of names in test runners: `tests/test_a.py::TestA::test_b[1-2]`.
    if let Some((path, place)) = name.split_once("::").filter(|(path, place)| !path.is_empty() && !place.is_empty()) {
        let place = place.split('[').next().unwrap_or(place).trim();
        return Some((path.trim(), PlaceInFile::Called(place.to_owned())));
    }
    let (path, (first, last)) = lines_behind(name)?;
    // A column may follow the line, as in compiler output.
    let (path, (first, last)) = lines_behind(path).unwrap_or((path, (first, last)));
    Some((path, PlaceInFile::Lines(first, last)))
}

fn lines_behind(name: &str) -> Option<(&str, (usize, usize))> {
    let (path, lines) = name.rsplit_once(':').filter(|(path, _)| !path.is_empty())?;
    Some((path, line_range(lines)?))
}

/// Returns the first and the last line in a text as answers write it: `12`, `12-40`, `L12-L40`, `12-40,77-90`. `12-`
/// means everything from line 12 on, with `usize::MAX` as the last line. Line numbers start at 1, and 0 also means the
/// first one.
///
/// ```
/// use nearfind_bundles::library::line_range;
///
/// assert_eq!(line_range("L12-L40"), Some((12, 40)));
/// assert_eq!(line_range("12-"), Some((12, usize::MAX)));
/// assert_eq!(line_range("undo"), None);
/// ```
#[must_use]
pub fn line_range(text: &str) -> Option<(usize, usize)> {
    let number = |part: &str| part.trim().trim_start_matches(['L', 'l']).parse::<usize>().ok().map(|line| line.max(1));
    if let Some(first) = text.trim().strip_suffix(['-', '–']) {
        return Some((number(first)?, usize::MAX));
    }
    let numbers: Option<Vec<usize>> = text.split([',', '-', '–']).map(number).collect();
    let numbers = numbers?;
    Some((*numbers.iter().min()?, *numbers.iter().max()?))
}

impl FoundPath {
    /// Returns the lines that `place` names in `document`, which must be at this path. In source code, a name means a
    /// definition, and otherwise a heading or another place in the document. An error suggests similar names.
    pub fn span(&self, document: &Document, place: &PlaceInFile) -> Result<Span> {
        let whole = Span { first: 1, ..Span::default() };
        match place {
            PlaceInFile::Lines(first, last) => {
                Ok(Span { first: *first, last: Some(*last).filter(|last| *last < usize::MAX), ..whole })
            }
            PlaceInFile::Called(name) => self.called(document, name),
            PlaceInFile::Anchor(name) => Ok(self.called(document, name).unwrap_or(whole)),
        }
    }

    fn called(&self, document: &Document, name: &str) -> Result<Span> {
        let is_code = !document.pieces.is_empty();
        if let Some((first, last)) = lines_of(name.trim()).filter(|_| is_code).filter(|(first, _)| *first > 0) {
            // A single line is where reading begins.
            return Ok(Span { first, last: (last > first).then_some(last), ..Span::default() });
        }
        let defined = if is_code { self.defined()? } else { Vec::new() };
        if let Some(span) = defined_so(&defined, &document.path, name) {
            return Ok(span);
        }
        let text = document.text();
        match document.byte_of_code(name).map_or_else(|| document.byte_of(name), Ok) {
            Ok(byte) => Ok(Span { first: text[..byte].matches('\n').count() + 1, ..Span::default() }),
            Err(_) if is_code => {
                let last = name.rsplit(['.', ':', '#']).next().unwrap_or(name);
                let like = |known: &Definition| likeness(&known.qualified(), name).max(likeness(&known.name, last));
                let near = near_names(defined.iter().map(|known| (like(known), known.qualified())), MIN_LIKENESS);
                let (what, named) = if near.is_empty() {
                    ("it defines", defined.iter().take(MAX_NAMED).map(Definition::qualified).collect())
                } else {
                    ("did you mean", near)
                };
                bail!("{} defines nothing called {name:?}; {what} {}", document.path, named.join(", "))
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the number of the piece that contains line `line`, starting at 0. In core, each piece is a document.
    pub(crate) fn piece_at(document: &Document, line: usize) -> usize {
        let text = document.text();
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
        let byte = starts.take(line).last().unwrap_or_default();
        document.pieces.iter().filter(|(_, start)| *start <= byte).count().saturating_sub(1)
    }

    /// Returns everything that the file defines, in the order of lines.
    fn defined(&self) -> Result<Vec<Definition>> {
        self.bundle.bring_map()?;
        let numbers = self.bundle.reader().file_of_document(self.listed.number)?;
        let mut defined: Vec<Definition> =
            self.bundle.definitions(numbers)?.into_iter().map(|place| place.definition).collect();
        defined.sort_by_key(|definition| definition.lines);
        Ok(defined)
    }
}

/// Returns the lines of the definition named `name` in the file at `path`, preferring a definition with the same case
/// and a body.
fn defined_so(defined: &[Definition], path: &str, name: &str) -> Option<Span> {
    let parts = crate::library::code::symbol_lookup::parts(name);
    let (last, scope) = parts.split_last()?;
    let mut best: Vec<&Definition> = defined.iter().filter(|known| known.name.eq_ignore_ascii_case(last)).collect();
    let mut narrow = |is_meant: &dyn Fn(&Definition) -> bool| {
        if best.iter().any(|known| is_meant(known)) {
            best.retain(|known| is_meant(known));
        }
    };
    narrow(&|known| known.name == *last);
    // Languages name modules after files and folders.
    let is_in_scope = |known: &Definition| {
        let mut around = stem(path).split('/').chain(known.scope.split('.'));
        scope.iter().all(|part| around.any(|known| known.eq_ignore_ascii_case(part)))
    };
    narrow(&|known| is_in_scope(known));
    narrow(&|known| ends_with_scope(&known.scope, scope));
    narrow(&|known| known.kind != SymbolKind::Declaration);
    // A name without a scope refers to a definition without a scope.
    narrow(&|known| !scope.is_empty() || known.scope.is_empty());
    // The definition with the longest body comes before its overloads.
    best.sort_by_key(|known| (Reverse(known.lines.1 - known.lines.0), known.lines));
    let (first, others) = best.split_first()?;
    let other = |known: &&Definition| format!("{} (line {})", known.qualified(), known.lines.0);
    Some(Span {
        first: first.lines.0 as usize,
        last: Some(first.lines.1 as usize),
        others: others.iter().take(MAX_NAMED).map(other).collect(),
        notice: (!is_in_scope(first))
            .then(|| format!("{} is not defined here: this is {}", parts.join("."), first.qualified())),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_follow_a_colon_or_an_anchor() {
        let lines = |path, first, last| Some((path, PlaceInFile::Lines(first, last)));
        assert_eq!(parts("src/a.py:102-130"), lines("src/a.py", 102, 130));
        assert_eq!(parts("src/a.py:102"), lines("src/a.py", 102, 102));
        assert_eq!(parts("src/a.py:102:7"), lines("src/a.py", 102, 102));
        assert_eq!(parts("src/a.py:12-40,77-90"), lines("src/a.py", 12, 90));
        assert_eq!(parts("src/a.py#L12-L34"), lines("src/a.py", 12, 34));
        assert_eq!(parts("https://x.org/o/a.py#L12"), lines("https://x.org/o/a.py", 12, 12));
        let called = PlaceInFile::Called("Session.send".into());
        assert_eq!(parts("src/a.py#Session.send"), Some(("src/a.py", called)));
        let anchor = PlaceInFile::Anchor("colours".into());
        assert_eq!(parts("https://x.org/a.html#colours"), Some(("https://x.org/a.html", anchor)));
        assert_eq!(parts("src/a.py:0-10"), lines("src/a.py", 1, 10));
        assert_eq!(parts("src/a.py:10-"), lines("src/a.py", 10, usize::MAX));
        let called = |path, name: &str| Some((path, PlaceInFile::Called(name.to_owned())));
        assert_eq!(parts("t/a.py::TestA::test_b[1-2]"), called("t/a.py", "TestA::test_b"));
        assert_eq!(parts("src/a.py # outer"), called("src/a.py", "outer"));
        assert_eq!(parts("src/a.py:12-40#outer"), called("src/a.py", "outer"));
        for whole in ["src/a.py", "a:b.md", "https://x.org:8080/a", ":12", "a:-", "a:", "C:\\a.py", "#x", "a:1-x"] {
            assert_eq!(parts(whole), None, "{whole}");
        }
    }

    fn defined(name: &str, scope: &str, kind: SymbolKind, lines: (u32, u32)) -> Definition {
        Definition { name: name.into(), kind, scope: scope.into(), lines, signature: 0..0 }
    }

    #[test]
    fn a_definition_is_the_one_in_its_case_scope_and_with_a_body() {
        let all = [
            defined("crawl", "", SymbolKind::Declaration, (1, 1)),
            defined("Engine", "", SymbolKind::Class, (3, 40)),
            defined("crawl", "Engine", SymbolKind::Method, (5, 9)),
            defined("crawl", "Engine.Inner", SymbolKind::Method, (12, 14)),
            defined("Crawl", "", SymbolKind::Class, (50, 60)),
        ];
        let found = |name: &str| defined_so(&all, "src/engine.py", name);
        let lines = |name: &str| found(name).map(|span| (span.first, span.last.unwrap_or_default()));
        assert_eq!(lines("Engine.crawl"), Some((5, 9)));
        assert_eq!(lines("Engine::Inner::crawl()"), Some((12, 14)));
        assert_eq!(lines("Crawl"), Some((50, 60)));
        assert_eq!(lines("engine"), Some((3, 40)));
        assert_eq!(found("crawl").unwrap().others, ["Engine.Inner.crawl (line 12)"]);
        let notice = |name: &str| found(name).and_then(|span| span.notice);
        assert_eq!(notice("Wrong.crawl").as_deref(), Some("Wrong.crawl is not defined here: this is Engine.crawl"));
        assert_eq!(["src.engine.Engine.crawl", "crawl", "engine::Crawl"].map(notice), [None, None, None]);
        assert_eq!([lines("send"), lines("")], [None; 2]);
    }
}

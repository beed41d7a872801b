//! Places in documents by the names that answers give them: `src/a.py:12-40`, `src/a.py#Session.send`, `guide.md#colours`.

use crate::library::documents::anchor::lines_of;
use crate::library::documents::lookup::{Document, FoundPath};
use crate::library::near_names::{likeness, near_names};
use crate::library::open::view::View;
use anyhow::{Result, bail};
use nearfind_core::symbols::{Definition, SymbolKind};

/// Names less like than this are not offered; 1 for the same.
const MIN_LIKENESS: f64 = 0.5;
/// How many names an error or a note lists.
const MAX_NAMED: usize = 8;

/// A place in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaceInFile {
    /// The lines from the first to the last, from 1.
    Lines(usize, usize),
    /// The place that is called so: a definition of source code, a heading, a page.
    Called(String),
    /// The anchor of an address, which may be of the page and not of the document.
    Anchor(String),
}

/// Lines of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The first line, from 1.
    pub first: usize,
    /// The last one; `None` for that of the document.
    pub last: Option<usize>,
    /// Other definitions of the same name, with their lines.
    pub others: Vec<String>,
}

impl View {
    /// The document that `name` stands for, and the place in it: whatever [`View::find`] knows, with lines behind a colon, or
    /// with a name or an anchor behind a `#`.
    pub fn find_place(&self, name: &str, project: Option<&str>) -> Result<(FoundPath, Option<PlaceInFile>)> {
        let name = name.trim();
        let Some((path, place)) = parts(name) else { return Ok((self.find(name, project)?, None)) };
        // A file may have these signs in its name.
        let is_whole = |path: &FoundPath| path.names().any(|known| known == name) || path.id() == name;
        if self.paths(None)?.iter().any(is_whole) {
            return Ok((self.find(name, project)?, None));
        }
        Ok((self.find(path, project)?, Some(place)))
    }
}

/// The document and the place that a name is made of, if it is.
fn parts(name: &str) -> Option<(&str, PlaceInFile)> {
    let is_address = name.contains("://");
    if let Some((path, place)) = name.rsplit_once('#').filter(|(path, place)| !path.is_empty() && !place.is_empty()) {
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
    let (path, (first, last)) = lines_behind(name)?;
    // A column may follow the line, as compilers print it.
    let (path, (first, last)) = lines_behind(path).unwrap_or((path, (first, last)));
    Some((path, PlaceInFile::Lines(first, last)))
}

fn lines_behind(name: &str) -> Option<(&str, (usize, usize))> {
    let (path, lines) = name.rsplit_once(':').filter(|(path, _)| !path.is_empty())?;
    Some((path, line_range(lines)?))
}

/// The first and the last of lines as answers give them: `12`, `12-40`, `L12-L40`, `12-40,77-90`.
#[must_use]
pub fn line_range(text: &str) -> Option<(usize, usize)> {
    let number = |part: &str| part.trim().trim_start_matches(['L', 'l']).parse::<usize>().ok();
    let numbers: Option<Vec<usize>> = text.split([',', '-', '–']).map(number).collect();
    let numbers = numbers?;
    let (first, last) = (*numbers.iter().min()?, *numbers.iter().max()?);
    (first > 0).then_some((first, last))
}

impl FoundPath {
    /// The lines of `document`, which is at this path, that `place` stands for: of source code what is defined so, else
    /// headings and what else is in a document. An error names what comes near.
    pub fn span(&self, document: &Document, place: &PlaceInFile) -> Result<Span> {
        let whole = Span { first: 1, ..Span::default() };
        match place {
            PlaceInFile::Lines(first, last) => Ok(Span { first: *first, last: Some(*last), ..whole }),
            PlaceInFile::Called(name) => self.called(document, name),
            PlaceInFile::Anchor(name) => Ok(self.called(document, name).unwrap_or(whole)),
        }
    }

    fn called(&self, document: &Document, name: &str) -> Result<Span> {
        let is_code = !document.pieces.is_empty();
        if let Some((first, last)) = lines_of(name.trim()).filter(|_| is_code).filter(|(first, _)| *first > 0) {
            // One line is where to begin.
            return Ok(Span { first, last: (last > first).then_some(last), others: Vec::new() });
        }
        let defined = if is_code { self.defined()? } else { Vec::new() };
        if let Some(span) = defined_so(&defined, name) {
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

    /// The number of its piece on line `line`, from 0: one document of core each.
    pub(crate) fn piece_at(document: &Document, line: usize) -> usize {
        let text = document.text();
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
        let byte = starts.take(line).last().unwrap_or_default();
        document.pieces.iter().filter(|(_, start)| *start <= byte).count().saturating_sub(1)
    }

    /// All that the file defines, by place.
    fn defined(&self) -> Result<Vec<Definition>> {
        self.bundle.bring_map()?;
        let numbers = self.bundle.reader().file_of_document(self.listed.number)?;
        let mut defined: Vec<Definition> =
            self.bundle.definitions(numbers)?.into_iter().map(|place| place.definition).collect();
        defined.sort_by_key(|definition| definition.lines);
        Ok(defined)
    }
}

/// The lines of the definition that is called `name`: in its case and with a body, if there is one.
fn defined_so(defined: &[Definition], name: &str) -> Option<Span> {
    let parts = crate::library::code::symbols::parts(name);
    let (last, scope) = parts.split_last()?;
    let mut best: Vec<&Definition> = defined.iter().filter(|known| known.name.eq_ignore_ascii_case(last)).collect();
    let mut narrow = |is_meant: &dyn Fn(&Definition) -> bool| {
        if best.iter().any(|known| is_meant(known)) {
            best.retain(|known| is_meant(known));
        }
    };
    narrow(&|known| known.name == *last);
    narrow(&|known| {
        let mut around = known.scope.split('.');
        scope.iter().all(|part| around.any(|known| known.eq_ignore_ascii_case(part)))
    });
    narrow(&|known| known.kind != SymbolKind::Declaration);
    // What is in nothing is meant by a name alone.
    narrow(&|known| !scope.is_empty() || known.scope.is_empty());
    let (first, others) = best.split_first()?;
    let other = |known: &&Definition| format!("{} (line {})", known.qualified(), known.lines.0);
    Some(Span {
        first: first.lines.0 as usize,
        last: Some(first.lines.1 as usize),
        others: others.iter().take(MAX_NAMED).map(other).collect(),
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
        for whole in ["src/a.py", "a:b.md", "https://x.org:8080/a", ":12", "a:0", "a:", "C:\\a.py", "#x"] {
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
        let lines = |name: &str| defined_so(&all, name).map(|span| (span.first, span.last.unwrap_or_default()));
        assert_eq!(lines("Engine.crawl"), Some((5, 9)));
        assert_eq!(lines("Engine::Inner::crawl()"), Some((12, 14)));
        assert_eq!(lines("Crawl"), Some((50, 60)));
        assert_eq!(lines("engine"), Some((3, 40)));
        assert_eq!(defined_so(&all, "crawl").unwrap().others, ["Engine.Inner.crawl (line 12)"]);
        assert_eq!([lines("send"), lines("")], [None; 2]);
    }
}

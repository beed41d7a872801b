//! Finds the definitions of source code and their uses, over all bundles of a view. Uses are known only by name: if
//! several definitions have the same name, a use may refer to any of them.

use crate::library::code::comments;
use crate::library::code::source_file::SourceFile;
use crate::library::documents::path_filter::PathFilter;
use crate::library::near_names::{likeness, near_names};
use crate::library::open::open_bundle::OpenBundle;
use crate::library::open::view::View;
use anyhow::{Result, bail, ensure};
use nearfind_base::facets::CODE_LANGUAGE;
use nearfind_core::grep::shortened;
use nearfind_core::reader::BundleReader;
use nearfind_core::search::CLASS;
use nearfind_core::symbols::{
    DefinitionPlace, NameEntry, SymbolKind, Symbols, Variant, definitions_of, enclosing, has_definitions,
    look_up_symbol, names_near,
};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// Minimum likeness of names that are suggested. Equal names have 1.
const MIN_LIKENESS: f64 = 0.6;
/// Maximum number of files that are searched for members defined outside their class.
const MEMBER_FILES: usize = 200;
/// Maximum number of bytes of code that are returned with a single definition.
const CODE_BYTES: usize = 6_000;

/// The requested information about a symbol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Want {
    /// Its definitions.
    #[default]
    Definition,
    /// Every line that mentions it.
    References,
    /// The functions that mention it.
    Callers,
    /// The definitions of names that its own code mentions.
    Callees,
    /// The definitions inside it.
    Members,
}

/// A question about a symbol.
#[derive(Clone)]
pub struct SymbolQuestion {
    /// The name, optionally after its scope: `send`, `Session.send`, `Session::send`.
    pub name: String,
    /// The requested information.
    pub want: Want,
    /// Projects, as [`View::project`] names them. Empty for all.
    pub projects: Vec<String>,
    /// Restricts the paths of definitions and uses.
    pub path: Option<PathFilter>,
    /// Number of results to skip.
    pub offset: usize,
    /// Maximum number of results to return.
    pub limit: usize,
}

/// The reply to a question about a symbol.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SymbolReply {
    /// The definitions with this name, the most likely first. If other information was requested, only the first one.
    pub definitions: Vec<FoundSymbol>,
    /// Number of definitions with this name.
    pub total_definitions: usize,
    /// Its callees or members, as requested.
    pub symbols: Vec<FoundSymbol>,
    /// Places that mention it, by the symbol that contains them.
    pub uses: Vec<SymbolUse>,
    /// Number of all results: symbols, or places with all of their lines.
    pub total: usize,
    /// Number of lines that mention it.
    pub total_lines: usize,
    /// Notices about how the results were found.
    pub notices: Vec<String>,
}

/// What to say of source code that was indexed without grammars.
pub(crate) const NO_DEFINITIONS: &str = "this index has no definitions, because it was made by a nearfind without grammars: build nearfind with the feature `full`, which is on by default, and index again";

/// A definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FoundSymbol {
    /// Its name with its scope: `Session.send`.
    pub symbol: String,
    /// Its kind.
    pub kind: SymbolKind,
    /// Name of its project.
    pub project: String,
    /// Path inside its project.
    pub path: String,
    /// Its first and last line, from 1.
    pub lines: (u32, u32),
    /// Its signature, on one line.
    pub signature: String,
    /// The comment on it. May be empty.
    pub comment: String,
    /// The purpose of its file: `source`, `test` …
    pub class: String,
    /// Its programming language.
    pub language: String,
    /// Its code, if it is the only definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Its address for readers.
    pub url: Option<String>,
    /// Whether its file has changed since it was indexed, as far as that is known.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_stale: bool,
    /// The commit that last changed it, if requested.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub last_change: String,
}

/// The lines that mention a name inside a symbol, or outside all symbols in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SymbolUse {
    /// The symbol that contains the lines. Empty if there is none.
    pub symbol: String,
    /// The kind of that symbol.
    pub kind: Option<SymbolKind>,
    /// Name of the project.
    pub project: String,
    /// Path inside the project.
    pub path: String,
    /// The lines, from 1.
    pub lines: Vec<u32>,
    /// The text of the first line.
    pub text: String,
    /// The purpose of the file.
    pub class: String,
    /// Whether the file has changed since it was indexed, as far as that is known.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_stale: bool,
}

/// A definition with its place.
#[derive(Clone)]
struct Candidate {
    bundle: Arc<OpenBundle>,
    place: DefinitionPlace,
    variant: Variant,
    project: String,
    path: String,
    class: String,
    weight: i8,
}

/// Lines that mention a name, with the definition that contains them, before their texts are read.
struct UsePlace {
    bundle: Arc<OpenBundle>,
    /// The file's first document.
    file: u32,
    around: Option<DefinitionPlace>,
    lines: Vec<u32>,
    project: String,
    path: String,
    class: String,
}

impl OpenBundle {
    /// Returns the definitions of documents in a range.
    pub(crate) fn definitions(&self, documents: Range<u32>) -> Result<Vec<DefinitionPlace>> {
        self.ask(|reader| definitions_of(reader, documents.clone()))
    }

    /// Whether it knows any definition.
    pub(crate) fn has_definitions(&self) -> Result<bool> {
        self.ask(has_definitions)
    }

    /// How `word` is written where source code defines it, most often.
    pub(crate) fn name_in_case(&self, word: &str) -> Option<String> {
        if !self.reader().root().has_code() {
            return None;
        }
        // Without the names the question is asked as it is.
        let variants = self.name(word).ok()??.variants;
        let defined = variants.into_iter().filter(|variant| !variant.definitions.is_empty());
        defined.max_by_key(|variant| (variant.definitions.len(), variant.name.clone())).map(|variant| variant.name)
    }

    fn name(&self, name: &str) -> Result<Option<NameEntry>> {
        self.ask(|reader| look_up_symbol(reader, name))
    }

    fn ask<T>(
        &self,
        ask: impl Fn(&BundleReader) -> Result<Symbols<T>, nearfind_core::format::FormatError>,
    ) -> Result<T> {
        self.bring_map()?;
        loop {
            let answer = ask(&self.reader())?;
            match answer {
                Symbols::Found(found) => return Ok(found),
                Symbols::Need(blocks) => self.bring(blocks)?,
            }
        }
    }

    /// Returns the purpose of a file, whatever its first lines are.
    pub(crate) fn class_of_file(&self, documents: Range<u32>) -> Result<String> {
        for document in documents {
            let class = self.class_of(document)?;
            if !class.is_empty() && !PARTS.contains(&class.as_str()) {
                return Ok(class);
            }
        }
        Ok(SOURCE.to_owned())
    }

    pub(crate) fn class_of(&self, document: u32) -> Result<String> {
        Ok(self.reader().facet_of(CLASS, document)?.unwrap_or_default().to_owned())
    }
}

/// Splits a name at the signs with which languages join names: the scope, and the name itself.
pub(crate) fn parts(name: &str) -> Vec<String> {
    if let Some(at) = place_of_operator(name) {
        return parts(&name[..at]).into_iter().chain([name[at..].trim_end().to_owned()]).collect();
    }
    let name = name.trim().trim_end_matches("()").trim_start_matches(['#', '@', '&', '*']);
    let name = name.split(['(', '<', ' ']).find(|part| !part.is_empty()).unwrap_or_default();
    name.replace("::", ".")
        .replace("->", ".")
        .split(['.', '#', '/', '\\', ':'])
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Where the name of an operator begins, which has signs or a type after it: `operator()`, `Order::operator bool`.
fn place_of_operator(name: &str) -> Option<usize> {
    let at = name.find("operator")?;
    let signs = &name[at + "operator".len()..];
    let is_whole = !name[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let is_operator = signs.starts_with("()")
        || signs.starts_with(|c: char| !c.is_alphanumeric() && !"_.:/\\#(".contains(c)) && !signs.trim().is_empty();
    (is_whole && is_operator).then_some(at)
}

impl View {
    /// Answers a question about a symbol.
    pub fn symbol(&self, question: &SymbolQuestion) -> Result<SymbolReply> {
        let parts = parts(&question.name);
        let Some((name, scope)) = parts.split_last() else {
            bail!("argument `name` is empty: name a function, a class or another definition")
        };
        let has_code = self.bundles.iter().any(|bundle| bundle.reader().root().has_code());
        ensure!(has_code, "no source code is indexed here: index it with --code, or with code = \"…\" in a project");
        let mut found = self.candidates(name, scope, question)?;
        let mut reply = SymbolReply { notices: self.problems.clone(), ..SymbolReply::default() };
        reply.total_definitions = found.len();
        if found.is_empty() {
            bail!("{}", self.no_such_symbol(name, question)?);
        }
        if let Some(first) = found.first().filter(|first| !scope.is_empty() && !is_in_scope(first, scope)) {
            let qualified = first.place.definition.qualified();
            reply.notices.push(format!("{} defines no {name}: this is {qualified}", scope.join(".")));
        }
        let others =
            found.iter().skip(1).filter(|other| other.place.definition.kind != SymbolKind::Declaration).count();
        if question.want == Want::Definition {
            reply.total = found.len();
            let wanted = found.iter().skip(question.offset).take(question.limit);
            let wanted: Vec<&Candidate> = wanted.collect();
            let is_only = reply.total == 1;
            reply.definitions = wanted.into_iter().map(|found| described(found, is_only)).collect::<Result<_>>()?;
            return Ok(reply);
        }
        let first = found.swap_remove(0);
        reply.definitions = vec![described(&first, false)?];
        match question.want {
            Want::Definition => {}
            Want::References | Want::Callers => {
                if others > 0 {
                    reply.notices.push(format!(
                        "uses are found by name: {} definitions are called {name}, and a use may refer to any of them",
                        others + 1
                    ));
                }
                self.uses(&first, question, &mut reply)?;
            }
            Want::Callees | Want::Members => {
                let all = if question.want == Want::Callees { self.callees(&first)? } else { members(&first)? };
                reply.total = all.len();
                let wanted = all.iter().skip(question.offset).take(question.limit);
                reply.symbols = wanted.map(|found| described(found, false)).collect::<Result<_>>()?;
            }
        }
        Ok(reply)
    }

    /// Returns the definitions of `name` in `scope`, the most likely first: with the same case, with a body, in source
    /// code rather than tests, and in much used code.
    fn candidates(&self, name: &str, scope: &[String], question: &SymbolQuestion) -> Result<Vec<Candidate>> {
        let mut found = Vec::new();
        for bundle in &self.bundles {
            let Some(entry) = bundle.name(name)? else { continue };
            for variant in &entry.variants {
                for &(document, number) in &variant.definitions {
                    let candidate = candidate(bundle, document, number, variant)?;
                    found.extend(candidate.filter(|candidate| question.admits(&candidate.project, &candidate.path)));
                }
            }
        }
        let is_in_case = |candidate: &Candidate| candidate.variant.name == name;
        if found.iter().any(is_in_case) {
            found.retain(is_in_case);
        }
        // A scope that fits no definition is ignored, because languages name modules in many ways.
        let in_scope = |candidate: &Candidate| !scope.is_empty() && is_in_scope(candidate, scope);
        if found.iter().any(in_scope) {
            found.retain(in_scope);
        }
        found.sort_by_cached_key(order);
        Ok(found)
    }

    /// Whether no bundle with source code contains definitions, because all of them were made without grammars.
    pub(crate) fn lacks_definitions(&self) -> Result<bool> {
        let mut with_code = self.bundles.iter().filter(|bundle| bundle.reader().root().has_code()).peekable();
        if with_code.peek().is_none() {
            return Ok(false);
        }
        for bundle in with_code {
            if bundle.has_definitions()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns a message that there is no such symbol, with similar names.
    fn no_such_symbol(&self, name: &str, question: &SymbolQuestion) -> Result<String> {
        if self.lacks_definitions()? {
            return Ok(NO_DEFINITIONS.to_owned());
        }
        let mut near: BTreeSet<String> = BTreeSet::new();
        for bundle in &self.bundles {
            near.extend(bundle.ask(|reader| names_near(reader, name))?);
        }
        let wanted = name.to_lowercase();
        // A name that begins with the requested one counts as much as one with a wrong letter.
        let likeness_of = |other: &str| {
            let likeness = likeness(name, other);
            if other.to_lowercase().starts_with(&wanted) { likeness.max(MIN_LIKENESS) } else { likeness }
        };
        let near = near_names(near.into_iter().map(|other| (likeness_of(&other), other)), MIN_LIKENESS);
        let limits =
            if question.projects.is_empty() && question.path.is_none() { "" } else { " in this project or path" };
        Ok(if near.is_empty() {
            format!("nothing called {name:?} is defined{limits}: grep finds the exact text, search finds what is meant")
        } else {
            format!("nothing called {name:?} is defined{limits}; did you mean {}?", near.join(", "))
        })
    }

    /// Finds the places that mention the name of `first`.
    fn uses(&self, first: &Candidate, question: &SymbolQuestion, reply: &mut SymbolReply) -> Result<()> {
        let mut places: Vec<UsePlace> = Vec::new();
        let name = &first.variant.name;
        for bundle in &self.bundles {
            let Some(entry) = bundle.name(name)? else { continue };
            for variant in entry.variants.iter().filter(|variant| variant.name == *name) {
                for (file, lines) in &variant.mentions {
                    add_uses(bundle, *file, lines, question, &mut places)?;
                }
            }
        }
        if question.want == Want::Callers {
            let is_itself = |place: &UsePlace| {
                place.around.as_ref() == Some(&first.place) && Arc::ptr_eq(&place.bundle, &first.bundle)
            };
            let calls =
                |place: &UsePlace| place.around.as_ref().is_some_and(|around| around.definition.kind.is_callable());
            places.retain(|place| calls(place) && !is_itself(place));
        }
        let is_other = |place: &UsePlace| (place.class != SOURCE, place.project.clone(), place.path.clone());
        places.sort_by_cached_key(is_other);
        reply.total = places.len();
        reply.total_lines = places.iter().map(|place| place.lines.len()).sum();
        // Uses of one file follow each other, so that it is read only once.
        let mut last_file: Option<(String, String, bool)> = None;
        for place in places.into_iter().skip(question.offset).take(question.limit) {
            let file = place.bundle.file(place.file)?;
            let text = file.document.text();
            let line = text.lines().nth(place.lines[0].saturating_sub(1) as usize).unwrap_or_default();
            let known =
                last_file.as_ref().filter(|(project, path, _)| *project == place.project && *path == place.path);
            let is_stale = match known {
                Some((.., is_stale)) => *is_stale,
                None => place.bundle.changed_file(&place.project, &place.path).is_some(),
            };
            last_file = Some((place.project.clone(), place.path.clone(), is_stale));
            reply.uses.push(SymbolUse {
                is_stale,
                symbol: place.around.as_ref().map(|around| around.definition.qualified()).unwrap_or_default(),
                kind: place.around.map(|around| around.definition.kind),
                project: place.project,
                path: place.path,
                lines: place.lines,
                text: shortened(line.trim(), 0),
                class: place.class,
            });
        }
        Ok(())
    }

    /// Returns the definitions in any bundle of names that the code of `of` mentions, in the order of their first
    /// mention.
    fn callees(&self, of: &Candidate) -> Result<Vec<Candidate>> {
        let file = of.bundle.file(of.place.document)?;
        let file_number = of.bundle.reader().file_number(of.place.document)?;
        let code = code_of(&file, of.place.definition.lines);
        let calls_without_signs = {
            let reader = of.bundle.reader();
            let language = reader.facet_of(CODE_LANGUAGE, of.place.document)?.unwrap_or_default();
            WITHOUT_SIGNS.contains(&language)
        };
        let mut known = BTreeSet::new();
        let names = code.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|name| name.len() > 1);
        let mut callees: Vec<Candidate> = Vec::new();
        for name in names.filter(|name| known.insert(*name)) {
            let is_mentioned = |variant: &Variant| {
                let (first, last) = of.place.definition.lines;
                let mut here = variant.mentions.iter().filter(|(known, _)| *known == file_number);
                variant.name == name && here.any(|(_, lines)| lines.iter().any(|line| (first..=last).contains(line)))
            };
            if !of.bundle.name(name)?.is_some_and(|entry| entry.variants.iter().any(is_mentioned)) {
                continue;
            }
            let question = SymbolQuestion {
                name: name.to_owned(),
                want: Want::Definition,
                projects: Vec::new(),
                path: None,
                offset: 0,
                limit: 1,
            };
            let mut found = self.candidates(name, &[], &question)?;
            let is_call = |kind: SymbolKind| !kind.is_callable() || calls_without_signs || has_call(&code, name);
            found.retain(|found| {
                let kind = found.place.definition.kind;
                is_called(kind) && is_call(kind) && found.place != of.place
            });
            // If several definitions have the name, take the nearest: in the same file, or else in the same folder.
            let distance =
                |found: &Candidate| (found.project != of.project, Reverse(shared_folders(&found.path, &of.path)));
            callees.extend(found.into_iter().min_by_key(distance));
        }
        Ok(callees)
    }
}

/// The class of code without a special purpose.
const SOURCE: &str = "source";
/// Languages in which a call needs no sign after the name.
const WITHOUT_SIGNS: [&str; 11] =
    ["bash", "elixir", "groovy", "haskell", "hcl", "make", "powershell", "ruby", "scala", "sql", "yaml"];
/// Classes of pieces that occur in files of any class.
const PARTS: [&str; 2] = ["preamble", "reexport"];

impl SymbolQuestion {
    fn admits(&self, project: &String, path: &str) -> bool {
        (self.projects.is_empty() || self.projects.contains(project))
            && self.path.as_ref().is_none_or(|wanted| wanted.admits(project, path))
    }
}

impl std::fmt::Debug for SymbolQuestion {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("SymbolQuestion").field("name", &self.name).field("want", &self.want).finish_non_exhaustive()
    }
}

/// Whether `name` is followed by the sign of a call somewhere in `code`.
fn has_call(code: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(name).any(|(at, _)| {
        let behind = &code[at + name.len()..];
        !code[..at].ends_with(is_part) && behind.trim_start_matches([' ', ':']).starts_with(['(', '!', '<', '{'])
    })
}

fn is_called(kind: SymbolKind) -> bool {
    !matches!(kind, SymbolKind::Field | SymbolKind::Constant | SymbolKind::Section | SymbolKind::Module)
}

/// Returns the number of leading folders that both paths share. For equal paths, the file counts as one more.
fn shared_folders(a: &str, b: &str) -> usize {
    a.split('/').zip(b.split('/')).take_while(|(a, b)| a == b).count()
}

fn candidate(bundle: &Arc<OpenBundle>, document: u32, number: u32, variant: &Variant) -> Result<Option<Candidate>> {
    let place = bundle.definitions(document..document + 1)?.into_iter().find(|place| place.number == number);
    let Some(place) = place else { return Ok(None) };
    let first = bundle.reader().chunks_of(document)?.start;
    let (project, path) = bundle.place_of(first)?;
    let (class, weight) = (bundle.class_of(document)?, bundle.reader().weight_of(document)?);
    Ok(Some(Candidate { bundle: Arc::clone(bundle), place, variant: variant.clone(), project, path, class, weight }))
}

/// Whether the scope of `candidate`, or its file or a folder of it, has the names of `scope`.
fn is_in_scope(candidate: &Candidate, scope: &[String]) -> bool {
    let plain = |text: &str| text.to_lowercase();
    let stem = candidate.path.rsplit_once('.').map_or(candidate.path.as_str(), |(stem, _)| stem);
    let around = stem.split('/').chain(candidate.place.definition.scope.split('.')).map(plain).collect::<Vec<_>>();
    let mut rest = around.iter();
    scope.iter().all(|part| rest.any(|known| *known == plain(part)))
}

/// The sort key of definitions with the same name.
fn order(candidate: &Candidate) -> (bool, bool, Reverse<i8>, String, (u32, u32)) {
    let definition = &candidate.place.definition;
    (
        candidate.class != SOURCE,
        definition.kind == SymbolKind::Declaration,
        Reverse(candidate.weight),
        format!("{}/{}", candidate.project, candidate.path),
        definition.lines,
    )
}

fn add_uses(
    bundle: &Arc<OpenBundle>,
    file: u32,
    lines: &[u32],
    question: &SymbolQuestion,
    places: &mut Vec<UsePlace>,
) -> Result<()> {
    let Some(numbers) = bundle.reader().documents_of_file(file)? else { return Ok(()) };
    let first = bundle.reader().chunks_of(numbers.start)?.start;
    let (project, path) = bundle.place_of(first)?;
    if !question.admits(&project, &path) {
        return Ok(());
    }
    let definitions = bundle.definitions(numbers.clone())?;
    for &line in lines {
        let around = enclosing(&definitions, line).cloned();
        let same = places
            .iter_mut()
            .rev()
            .take_while(|place| place.file == numbers.start && Arc::ptr_eq(&place.bundle, bundle))
            .find(|place| place.around == around);
        match same {
            Some(place) => place.lines.push(line),
            None => places.push(UsePlace {
                bundle: Arc::clone(bundle),
                file: numbers.start,
                around,
                lines: vec![line],
                project: project.clone(),
                path: path.clone(),
                class: bundle.class_of_file(numbers.clone())?,
            }),
        }
    }
    Ok(())
}

/// Returns the definitions inside `of`. They may be in its file or in files that mention it, because some languages
/// define methods elsewhere.
fn members(of: &Candidate) -> Result<Vec<Candidate>> {
    let bundle = &of.bundle;
    let definition = &of.place.definition;
    let mut files = vec![bundle.reader().file_of_document(of.place.document)?];
    for (file, _) in &of.variant.mentions {
        let file = bundle.reader().documents_of_file(*file)?;
        files.extend(file.filter(|file| files.len() < MEMBER_FILES && !files.contains(file)));
    }
    let mut members = Vec::new();
    for (number, file) in files.into_iter().enumerate() {
        for place in bundle.definitions(file)? {
            let scope = &place.definition.scope;
            let is_in = if number == 0 {
                *scope == definition.qualified()
            } else {
                scope.rsplit('.').next() == Some(definition.name.as_str())
            };
            if is_in {
                let first = bundle.reader().chunks_of(place.document)?.start;
                let (project, path) = bundle.place_of(first)?;
                let class = bundle.class_of(place.document)?;
                members.push(Candidate { place, project, path, class, variant: Variant::default(), ..of.clone() });
            }
        }
    }
    members.retain(|member| member.path == of.path || member.class == of.class);
    Ok(members)
}

/// Returns lines of a file.
fn code_of(file: &SourceFile, (first, last): (u32, u32)) -> String {
    let text = file.document.text();
    let lines = text.split_inclusive('\n').skip(first.saturating_sub(1) as usize);
    lines.take((last + 1).saturating_sub(first) as usize).collect()
}

fn described(found: &Candidate, with_code: bool) -> Result<FoundSymbol> {
    let file = found.bundle.file(found.place.document)?;
    let (piece, _) = found.bundle.document(found.place.document)?;
    let definition = &found.place.definition;
    let at = found.place.document.saturating_sub(file.numbers.start) as usize;
    let text = file.document.text();
    let start = file.document.pieces.get(at).map_or(0, |(_, start)| *start);
    let code = code_of(&file, definition.lines);
    let url = Some(piece.url)
        .filter(|url| !url.is_empty())
        .map(|url| format!("{}#L{}-L{}", found.bundle.origin().address(&url), definition.lines.0, definition.lines.1));
    Ok(FoundSymbol {
        symbol: definition.qualified(),
        kind: definition.kind,
        project: found.project.clone(),
        path: found.path.clone(),
        lines: definition.lines,
        signature: definition.signature_in(text.get(start..).unwrap_or_default()),
        comment: comments::comment_on(&text, definition.lines.0),
        class: found.class.clone(),
        language: found.bundle.reader().facet_of(CODE_LANGUAGE, found.place.document)?.unwrap_or_default().to_owned(),
        is_stale: found.bundle.changed_file(&found.project, &found.path).is_some(),
        last_change: String::new(),
        code: (with_code && code.len() <= CODE_BYTES).then_some(code),
        url,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart_as_languages_join_them() {
        for name in ["Session.send", "Session::send", "Session#send()", "Session->send(a, b)", " Session.send() "] {
            assert_eq!(parts(name), ["Session", "send"], "{name}");
        }
        assert_eq!(parts("std::vec::Vec<T>"), ["std", "vec", "Vec"]);
        assert_eq!(parts("Order::operator bool"), ["Order", "operator bool"]);
        assert_eq!(parts("operator()"), ["operator()"]);
        assert_eq!(parts("operator.itemgetter"), ["operator", "itemgetter"]);
        assert_eq!(parts("fn"), ["fn"]);
        assert!(parts(" ()").is_empty());
    }

    #[test]
    fn a_call_has_its_sign_behind_the_name() {
        let code = "let loop = count;\nrun(loop); debug!(x); Vec::<u8>::new (1); recount(2)";
        assert_eq!(["run", "debug", "Vec", "new"].map(|name| has_call(code, name)), [true; 4]);
        assert_eq!(["loop", "count", "let"].map(|name| has_call(code, name)), [false; 3]);
    }
}

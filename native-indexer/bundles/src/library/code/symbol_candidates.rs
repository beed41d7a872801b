//! Finds the definitions that a name may mean, most likely first.

use crate::library::code::comments;
use crate::library::code::source_file::SourceFile;
use crate::library::code::symbol_lookup::SOURCE;
use crate::library::code::symbol_question::{FoundSymbol, SymbolQuestion};
use crate::library::open::open_bundle::OpenBundle;
use crate::library::open::view::View;
use anyhow::Result;
use nearfind_base::facets::CODE_LANGUAGE;
use nearfind_core::symbols::{DefinitionPlace, SymbolKind, Variant};
use std::cmp::Reverse;
use std::sync::Arc;

/// Maximum number of files that are searched for members defined outside their class.
const MEMBER_FILES: usize = 200;
/// Maximum number of bytes of code that are returned with a single definition.
const CODE_BYTES: usize = 6_000;

/// A definition with its place.
#[derive(Clone)]
pub(super) struct Candidate {
    pub(super) bundle: Arc<OpenBundle>,
    pub(super) place: DefinitionPlace,
    pub(super) variant: Variant,
    pub(super) project: String,
    pub(super) path: String,
    pub(super) class: String,
    pub(super) weight: i8,
}

impl View {
    /// Returns the definitions of `name` in `scope`, most likely first: definitions with the same case, with a body, in
    /// source code rather than tests, and in much used code.
    pub(super) fn candidates(&self, name: &str, scope: &[String], question: &SymbolQuestion) -> Result<Vec<Candidate>> {
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
        // A scope that no definition has is ignored, because languages name modules in many ways.
        let in_scope = |candidate: &Candidate| !scope.is_empty() && is_in_scope(candidate, scope);
        if found.iter().any(in_scope) {
            found.retain(in_scope);
        }
        // A file may also have the name of the scope: `Range.send` is not `IfRange.send` of `range.py`.
        let is_exact = |candidate: &Candidate| ends_with_scope(&candidate.place.definition.scope, scope);
        if found.iter().any(is_exact) {
            found.retain(is_exact);
        }
        found.sort_by_cached_key(order);
        Ok(found)
    }
}

fn candidate(bundle: &Arc<OpenBundle>, document: u32, number: u32, variant: &Variant) -> Result<Option<Candidate>> {
    let place = bundle.definitions(document..document + 1)?.into_iter().find(|place| place.number == number);
    let Some(place) = place else { return Ok(None) };
    let first = bundle.reader().chunks_of(document)?.start;
    let (project, path) = bundle.place_of(first)?;
    let (class, weight) = (bundle.class_of(document)?, bundle.reader().weight_of(document)?);
    Ok(Some(Candidate { bundle: Arc::clone(bundle), place, variant: variant.clone(), project, path, class, weight }))
}

/// Whether the scope of `candidate`, its file, or a folder in the file's path has the names in `scope`.
pub(super) fn is_in_scope(candidate: &Candidate, scope: &[String]) -> bool {
    let plain = |text: &str| text.to_lowercase();
    let stem = candidate.path.rsplit_once('.').map_or(candidate.path.as_str(), |(stem, _)| stem);
    let around = stem.split('/').chain(candidate.place.definition.scope.split('.')).map(plain).collect::<Vec<_>>();
    let mut rest = around.iter();
    scope.iter().all(|part| rest.any(|known| *known == plain(part)))
}

/// Whether the innermost parts of the scope `known` equal `scope`.
pub(crate) fn ends_with_scope(known: &str, scope: &[String]) -> bool {
    let mut known = known.rsplit('.');
    scope.iter().rev().all(|part| known.next() == Some(part))
}

/// The sort key of definitions with the same name. In a file, the definition with the longest body comes before its
/// overloads.
fn order(candidate: &Candidate) -> (bool, bool, Reverse<i8>, String, Reverse<u32>, (u32, u32)) {
    let definition = &candidate.place.definition;
    (
        candidate.class != SOURCE,
        definition.kind == SymbolKind::Declaration,
        Reverse(candidate.weight),
        format!("{}/{}", candidate.project, candidate.path),
        Reverse(definition.lines.1 - definition.lines.0),
        definition.lines,
    )
}

/// Returns the definitions inside `of`. They may be in the same file or in files that mention `of`, because in some
/// languages a method may be defined outside its class.
pub(super) fn members(of: &Candidate) -> Result<Vec<Candidate>> {
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
pub(super) fn code_of(file: &SourceFile, (first, last): (u32, u32)) -> String {
    let text = file.document.text();
    let lines = text.split_inclusive('\n').skip(first.saturating_sub(1) as usize);
    lines.take((last + 1).saturating_sub(first) as usize).collect()
}

pub(super) fn described(found: &Candidate, with_code: bool) -> Result<FoundSymbol> {
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

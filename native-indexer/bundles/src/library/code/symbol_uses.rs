//! Finds the lines that mention a symbol, and the definitions that its own code mentions.

use crate::library::code::symbol_candidates::{Candidate, code_of};
use crate::library::code::symbol_lookup::SOURCE;
use crate::library::code::symbol_question::{SymbolQuestion, SymbolReply, SymbolUse, Want};
use crate::library::open::open_bundle::OpenBundle;
use crate::library::open::view::View;
use anyhow::Result;
use nearfind_base::facets::CODE_LANGUAGE;
use nearfind_core::grep::shortened;
use nearfind_core::symbols::{DefinitionPlace, SymbolKind, Variant, enclosing};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Languages where a call needs no punctuation after the name.
const WITHOUT_SIGNS: [&str; 11] =
    ["bash", "elixir", "groovy", "haskell", "hcl", "make", "powershell", "ruby", "scala", "sql", "yaml"];

/// Lines that mention a name, and the definition that contains them. The text of the lines is not read yet.
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

impl View {
    /// Finds the places that mention the name of `first`.
    pub(super) fn uses(&self, first: &Candidate, question: &SymbolQuestion, reply: &mut SymbolReply) -> Result<()> {
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
        // The uses in a file follow each other, so that the file is read only once.
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

    /// Returns the definitions, in any bundle, of the names that the code of `of` mentions, in the order of their first
    /// mention.
    pub(super) fn callees(&self, of: &Candidate) -> Result<Vec<Candidate>> {
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

/// Whether the punctuation of a call follows `name` anywhere in `code`.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_has_its_sign_behind_the_name() {
        let code = "let loop = count;\nrun(loop); debug!(x); Vec::<u8>::new (1); recount(2)";
        assert_eq!(["run", "debug", "Vec", "new"].map(|name| has_call(code, name)), [true; 4]);
        assert_eq!(["loop", "count", "let"].map(|name| has_call(code, name)), [false; 3]);
    }
}

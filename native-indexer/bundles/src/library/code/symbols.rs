//! Finds the definitions in source code and their uses, in all bundles of a view. Uses are known only by name: if
//! several definitions have the same name, a use may refer to any of them.

use crate::library::code::symbol_candidates::{Candidate, described, is_in_scope, members};
use crate::library::code::symbol_lookup::parts;
use crate::library::code::symbol_question::{SymbolQuestion, SymbolReply, Want};
use crate::library::near_names::{likeness, near_names};
use crate::library::open::view::View;
use anyhow::{Result, bail, ensure};
use nearfind_core::symbols::{SymbolKind, names_near};
use std::collections::BTreeSet;

/// Minimum similarity of suggested names to the requested one. Equal names have 1.
const MIN_LIKENESS: f64 = 0.6;

/// Maximum number of places in an error.
const MAX_NAMED: usize = 8;

/// The message about source code that was indexed without grammars.
pub(crate) const NO_DEFINITIONS: &str = "this index has no definitions, because it was made by a nearfind without grammars: build nearfind with the `full` feature, which is on by default, and index again";

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
        let everywhere = SymbolQuestion { path: None, ..question.clone() };
        let (mut of_uses, mut others_outside) = (question, 0);
        if matches!(question.want, Want::References | Want::Callers) && question.path.is_some() {
            if found.is_empty() {
                found = self.candidates(name, scope, &everywhere)?;
            } else {
                // The answer must not suggest that there are no uses outside the path.
                of_uses = &everywhere;
                // Uses are found by name, so they may also belong to definitions outside the path.
                others_outside = self.candidates(name, scope, &everywhere)?.len().saturating_sub(found.len());
                reply.notices.push("the path chose the definition: uses are listed wherever they are".to_owned());
            }
        }
        reply.total_definitions = found.len();
        if found.is_empty() {
            bail!("{}", self.no_such_symbol(name, scope, question)?);
        }
        if let Some(first) = found.first().filter(|first| !scope.is_empty() && !is_in_scope(first, scope)) {
            let qualified = first.place.definition.qualified();
            reply.notices.push(format!("{} defines no {name}: this is {qualified}", scope.join(".")));
        }
        let others =
            found.iter().skip(1).filter(|other| other.place.definition.kind != SymbolKind::Declaration).count()
                + others_outside;
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
                        "uses are found by name: {} definitions are called {name}, and each use may refer to any of them",
                        others + 1
                    ));
                }
                self.uses(&first, of_uses, &mut reply)?;
            }
            Want::Callees | Want::Members => {
                if others > 0 {
                    let (path, line) = (&first.path, first.place.definition.lines.0);
                    reply.notices.push(format!(
                        "{} definitions are called {name}: this answer is about the one at {path}:{line}; for another one, name a scope or a path",
                        others + 1
                    ));
                }
                let all = if question.want == Want::Callees { self.callees(&first)? } else { members(&first)? };
                reply.total = all.len();
                let wanted = all.iter().skip(question.offset).take(question.limit);
                reply.symbols = wanted.map(|found| described(found, false)).collect::<Result<_>>()?;
            }
        }
        Ok(reply)
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
    fn no_such_symbol(&self, name: &str, scope: &[String], question: &SymbolQuestion) -> Result<String> {
        if self.lacks_definitions()? {
            return Ok(NO_DEFINITIONS.to_owned());
        }
        let everywhere = SymbolQuestion { projects: Vec::new(), path: None, ..question.clone() };
        let elsewhere = self.candidates(name, scope, &everywhere)?;
        if !elsewhere.is_empty() {
            let at = |found: &Candidate| format!("{}:{}", found.path, found.place.definition.lines.0);
            let places: Vec<String> = elsewhere.iter().take(MAX_NAMED).map(at).collect();
            return Ok(format!("{name:?} is not defined in this project or path, but at {}", places.join(", ")));
        }
        let mut near: BTreeSet<String> = BTreeSet::new();
        for bundle in &self.bundles {
            near.extend(bundle.ask(|reader| names_near(reader, name))?);
        }
        let wanted = name.to_lowercase();
        // A name that begins with the requested name counts as much as a name with one wrong letter.
        let likeness_of = |other: &str| {
            let likeness = likeness(name, other);
            if other.to_lowercase().starts_with(&wanted) { likeness.max(MIN_LIKENESS) } else { likeness }
        };
        let near = near_names(near.into_iter().map(|other| (likeness_of(&other), other)), MIN_LIKENESS);
        Ok(if near.is_empty() {
            format!("nothing called {name:?} is defined: grep finds exact text, search finds what is meant")
        } else {
            format!("nothing called {name:?} is defined; did you mean {}?", near.join(", "))
        })
    }
}

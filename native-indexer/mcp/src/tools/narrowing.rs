//! Selects the files that a tool considers, by project, path, kind and programming language. All tools share these
//! rules.

use anyhow::{Result, ensure};
use nearfind_base::facets::{CODE_LANGUAGE, HISTORY, KIND};
use nearfind_bundles::library::{FilesInScope, FoundPath, PathFilter, Scope, View};
use nearfind_core::search::CODE;
use std::collections::BTreeSet;

/// Language names that are neither names in the index nor file extensions, with the corresponding names in the index.
const LANGUAGES: [(&str, &str); 6] = [
    ("c++", "cpp"),
    ("c#", "csharp"),
    ("golang", "go"),
    ("shell", "bash"),
    ("objective-c", "objc"),
    ("node", "javascript"),
];

/// The arguments that select files.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Narrowing<'a> {
    pub(super) project: &'a [String],
    pub(super) path: &'a [String],
    pub(super) path_regex: &'a [String],
    pub(super) kind: Option<&'a str>,
    pub(super) language: &'a [String],
}

/// The files that a question to the index considers.
#[derive(Default)]
pub(super) struct Narrowed {
    pub(super) projects: Vec<String>,
    pub(super) path: Option<PathFilter>,
    /// Notes about how the paths were interpreted, if this matters.
    pub(super) notices: Vec<String>,
}

impl Narrowing<'_> {
    /// Returns the projects, paths and path expressions. Fails for an unknown project.
    pub(super) fn scope(&self, view: &View) -> Result<Scope> {
        let given = |texts: &[String]| texts.iter().filter(|text| !text.trim().is_empty()).cloned().collect();
        Ok(Scope {
            projects: self.project.iter().map(|name| view.project(name)).collect::<Result<_>>()?,
            paths: given(self.path),
            regexes: given(self.path_regex),
        })
    }

    /// Returns the files. Fails for an unknown kind or language.
    pub(super) fn files(&self, view: &View) -> Result<FilesInScope> {
        let mut found = view.files_in(&self.scope(view)?)?;
        let kinds = self.kind.map_or_else(|| Ok(Vec::new()), |kind| kinds(view, kind))?;
        let languages = languages(view, self.language)?;
        for (name, values) in [(KIND, kinds), (CODE_LANGUAGE, languages)] {
            if !values.is_empty() {
                found.files.retain(|file| facet(file, name).is_some_and(|value| values.contains(&value)));
            }
        }
        Ok(found)
    }

    /// Returns the scope of a question. Reads the catalog only if a path, kind or language is set.
    pub(super) fn narrowed(&self, view: &View) -> Result<Narrowed> {
        let scope = self.scope(view)?;
        if scope.has_all_paths() && self.language.is_empty() && self.kind.is_none() {
            return Ok(Narrowed { projects: scope.projects, ..Narrowed::default() });
        }
        let found = self.files(view)?;
        Ok(Narrowed { projects: found.projects(), path: Some(found.path_filter()), notices: found.notices })
    }
}

fn facet(file: &FoundPath, name: &str) -> Option<String> {
    file.bundle.reader().facet_of(name, file.listed.number).ok().flatten().map(str::to_owned)
}

/// Returns the programming language of a file, or `markdown` for a document.
pub(super) fn language_of(file: &FoundPath) -> String {
    facet(file, CODE_LANGUAGE).unwrap_or_else(|| "markdown".to_owned())
}

/// Returns the kinds of documents that `kind` means. An empty list means all kinds.
pub(super) fn kinds(view: &View, kind: &str) -> Result<Vec<String>> {
    let known = view.values_of(KIND);
    Ok(match kind.trim().to_lowercase().as_str() {
        "all" | "any" | "both" | "" => Vec::new(),
        // Without code and history, all documents are documentation.
        "docs" | "doc" | "documentation" => {
            let docs = known.iter().filter(|kind| *kind != CODE && *kind != HISTORY).cloned().collect();
            if known.contains(CODE) || known.contains(HISTORY) { docs } else { Vec::new() }
        }
        CODE => {
            ensure!(
                known.contains(CODE),
                "no source code is indexed here: search the documentation with kind=\"docs\""
            );
            vec![CODE.to_owned()]
        }
        HISTORY | "commit" | "commits" | "git" => {
            ensure!(
                known.contains(HISTORY),
                "no history is indexed here: `nearfind index --history 200` adds the newest commits"
            );
            vec![HISTORY.to_owned()]
        }
        other => {
            let has = known.iter().any(|kind| kind == other);
            ensure!(
                has,
                "no document has kind `{other}`: use one of {}",
                known.iter().cloned().collect::<Vec<_>>().join(", ")
            );
            vec![other.to_owned()]
        }
    })
}

/// Returns the index's names for languages. A call may write a language in any case, by another name or by file
/// extension. Fails for a language that is not in the index.
pub(super) fn languages(view: &View, asked: &[String]) -> Result<Vec<String>> {
    let known = view.values_of(CODE_LANGUAGE);
    let mut found = Vec::new();
    for name in asked {
        let plain = name.trim().trim_start_matches("*.").trim_start_matches('.').to_lowercase();
        let plain = LANGUAGES.iter().find(|(other, _)| *other == plain).map_or(plain, |(_, ours)| (*ours).to_owned());
        if known.contains(&plain) {
            found.push(plain);
            continue;
        }
        let ending = format!(".{plain}");
        let files = view.paths(None)?;
        let of_ending = files.iter().filter(|file| file.listed.path.to_lowercase().ends_with(&ending));
        let by_ending: BTreeSet<String> = of_ending.filter_map(|file| facet(file, CODE_LANGUAGE)).collect();
        ensure!(
            !by_ending.is_empty(),
            "no document has {CODE_LANGUAGE} `{}`: use one of {}",
            name.trim(),
            known.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
        );
        found.extend(by_ending);
    }
    Ok(found)
}

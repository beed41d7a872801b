//! Decides which tools the server offers, and in what form. This depends on the index, and on what the server may do.

use anyhow::Result;
use nearfind_base::facets::{CODE_LANGUAGE, FORMAT, HISTORY, KIND, PageKind};
use nearfind_bundles::library::{OpenBundle, View};
use nearfind_core::search::{CLASS, CODE};

/// The argument that names another repository.
pub(crate) const REPOSITORY: &str = "repository";

/// The content that an index needs for a tool to be useful.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Anything.
    Any,
    /// Source code whose definitions are known.
    Definitions,
    /// Vectors of passages, or source code whose definitions are known.
    Relations,
    /// Documents that are not source code.
    Documents,
    /// Reference pages.
    References,
    /// Several projects, or facets to filter by.
    Choices,
}

/// The contents of a server's index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Has {
    pub(crate) code: bool,
    /// Definitions in source code. There are none if the index was made without grammars.
    pub(crate) definitions: bool,
    /// Vectors of passages. A quick index has none.
    pub(crate) vectors: bool,
    pub(crate) documents: bool,
    pub(crate) references: bool,
    pub(crate) choices: bool,
}

impl Has {
    /// Everything. Also assumed if no index can be opened.
    pub(crate) const ALL: Self =
        Self { code: true, definitions: true, vectors: true, documents: true, references: true, choices: true };

    /// Returns what an index contains, as far as this is known without fetching more of it. `grows` means that the
    /// server also builds the index, which may therefore get content that it does not have yet.
    pub(crate) fn of(view: &View, grows: bool) -> Self {
        if view.bundles.is_empty() {
            return Self::ALL;
        }
        let kinds = view.values_of(KIND);
        let of_code = [KIND, CODE_LANGUAGE, CLASS, FORMAT];
        let has_facets = view
            .bundles
            .iter()
            .any(|bundle| bundle.reader().root().facets.iter().any(|facet| !of_code.contains(&facet.name.as_str())));
        // In an index without kinds of pages, reference pages are recognized by their folders.
        let by_path = || {
            let here = view.bundles.iter().filter(|bundle| bundle.is_in_a_folder());
            here.filter_map(|bundle| bundle.files().ok()).any(|files| files.iter().any(|file| file.is_reference))
        };
        let has_code = view.bundles.iter().any(|bundle| bundle.reader().root().has_code());
        // If the index cannot be read, the tools say so.
        let is_any = |has: fn(&OpenBundle) -> Result<bool>| {
            grows || view.bundles.iter().any(|bundle| !bundle.is_in_a_folder() || has(bundle).unwrap_or(true))
        };
        Self {
            code: has_code,
            definitions: has_code && is_any(OpenBundle::has_definitions),
            vectors: is_any(OpenBundle::has_vectors),
            documents: kinds.is_empty() || kinds.iter().any(|kind| kind != CODE && kind != HISTORY),
            references: kinds.contains(PageKind::Reference.name()) || kinds.is_empty() && by_path(),
            choices: view.projects().len() > 1 || has_facets,
        }
    }

    pub(crate) const fn meets(self, needs: Needs) -> bool {
        match needs {
            Needs::Any => true,
            Needs::Definitions => self.definitions,
            Needs::Relations => self.definitions || self.vectors,
            Needs::Documents => self.documents,
            Needs::References => self.references,
            Needs::Choices => self.choices,
        }
    }
}

/// The tools that a server offers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolSet {
    /// All tools that the server's index has content for.
    #[default]
    All,
    /// Among these tools, only `search`, `get_document`, `grep` and `symbol`. The others can still be called.
    Lean,
    /// Only `search` and `fetch`, in the form that ChatGPT's connectors expect.
    Connector,
}

/// Decides which tools to offer, and in what form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offer {
    /// Whether clients may call `update_index`.
    pub(crate) may_update: bool,
    /// Whether a language model is configured to write reports.
    pub(crate) may_write: bool,
    /// Whether questions are sent to third-party servers.
    pub(crate) sends_questions: bool,
    /// Whether results are also sent as JSON, with its schema.
    pub(crate) structured: bool,
    /// Whether calls may name other repositories.
    pub(crate) has_others: bool,
    /// The tools to choose from.
    pub(crate) tools: ToolSet,
    pub(crate) has: Has,
}

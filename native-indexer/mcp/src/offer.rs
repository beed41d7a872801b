//! Which tools are offered, and how: by what the index has, and what the server may do.

use nearfind_base::facets::{CODE_LANGUAGE, FORMAT, HISTORY, KIND, PageKind};
use nearfind_bundles::library::View;
use nearfind_core::search::{CLASS, CODE};

/// What an index must have for a tool to be of use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Anything.
    Any,
    /// Source code.
    Code,
    /// Documents that are no source code.
    Documents,
    /// Reference pages.
    References,
    /// More than one project, or facets to filter by.
    Choices,
}

/// What the index of a server has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Has {
    pub(crate) code: bool,
    pub(crate) documents: bool,
    pub(crate) references: bool,
    pub(crate) choices: bool,
}

impl Has {
    /// All of it, as where no index could be opened yet.
    pub(crate) const ALL: Self = Self { code: true, documents: true, references: true, choices: true };

    /// What an index has, as far as it is known without reading more of it.
    pub(crate) fn of(view: &View) -> Self {
        if view.bundles.is_empty() {
            return Self::ALL;
        }
        let kinds = view.values_of(KIND);
        let of_code = [KIND, CODE_LANGUAGE, CLASS, FORMAT];
        let has_facets = view
            .bundles
            .iter()
            .any(|bundle| bundle.reader().root().facets.iter().any(|facet| !of_code.contains(&facet.name.as_str())));
        // Without kinds reference pages are told by their folders.
        let by_path = || {
            let here = view.bundles.iter().filter(|bundle| bundle.is_in_a_folder());
            here.filter_map(|bundle| bundle.files().ok()).any(|files| files.iter().any(|file| file.is_reference))
        };
        Self {
            code: view.bundles.iter().any(|bundle| bundle.reader().root().has_code()),
            documents: kinds.is_empty() || kinds.iter().any(|kind| kind != CODE && kind != HISTORY),
            references: kinds.contains(PageKind::Reference.name()) || kinds.is_empty() && by_path(),
            choices: view.projects().len() > 1 || has_facets,
        }
    }

    pub(crate) const fn meets(self, needs: Needs) -> bool {
        match needs {
            Needs::Any => true,
            Needs::Code => self.code,
            Needs::Documents => self.documents,
            Needs::References => self.references,
            Needs::Choices => self.choices,
        }
    }
}

/// How tools are offered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offer {
    /// Whether update_index is allowed.
    pub(crate) may_update: bool,
    /// Whether there is a language model to write reports.
    pub(crate) may_write: bool,
    /// Whether questions go to third-party servers.
    pub(crate) sends_questions: bool,
    /// Whether outcomes are sent as JSON too, with its schema.
    pub(crate) structured: bool,
    /// Whether there are the two tools alone that connectors know.
    pub(crate) is_connector: bool,
    pub(crate) has: Has,
}

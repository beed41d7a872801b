//! The reasons why a readable file is left out.

use serde::{Deserialize, Serialize};

/// The reason why a file is left out although it is not damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeftOut {
    /// Its head asks robots not to index it.
    Unlisted,
    /// Its front matter or an attribute excludes it from search.
    Unsearchable,
    /// Its front matter marks it as a draft.
    Draft,
    /// The page that a server shows for missing pages.
    ErrorPage,
    /// A whole book on one page, for printing.
    PrintPage,
    /// A generated page of links, such as a table of contents, an index of names or a search form.
    Listing,
    /// A page that shows source code.
    SourceCode,
    /// HTML that is not a whole page, such as a template.
    Fragment,
    /// The source of a built page that is next to it.
    Twin,
    /// It does not mark its content, but other pages of its site do.
    Unmarked,
    /// The configuration excludes it.
    Excluded,
    /// A text for programs, such as `requirements.txt`.
    ForPrograms,
    /// A text next to the pages of a built site.
    BesidePages,
    /// Rows of values that `include` does not name.
    Data,
    /// It does not contain text.
    Empty,
    /// A file with the name of a manual page that is not one.
    NoManual,
    /// A merge commit without its own changes.
    Merge,
    /// A commit that does not change the folder that is indexed.
    Elsewhere,
    /// An archive next to the pages of a site that `include` does not name.
    Archive,
}

impl LeftOut {
    /// Returns a description of such files for a report that counts them.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Unlisted => "marked `noindex`",
            Self::Unsearchable => "kept out of searches by their front matter or attributes",
            Self::Draft => "drafts",
            Self::ErrorPage => "error pages",
            Self::PrintPage => "print pages",
            Self::Listing => "generated tables of contents, indexes and search pages",
            Self::SourceCode => "source code listings",
            Self::Fragment => "HTML without <html>, such as templates",
            Self::Twin => "sources next to their built page",
            Self::Unmarked => "without data-pagefind-body, which marks the content of other pages",
            Self::Excluded => "left out by the configuration",
            Self::ForPrograms => "text files for programs, such as requirements.txt",
            Self::BesidePages => "text files next to the pages of a built site (.txt)",
            Self::Data => "data, read if `include` names it (.csv, .tsv)",
            Self::Empty => "without text in their content",
            Self::NoManual => "numbered files that are not manual pages (.1 to .9)",
            Self::Merge => "merges without changes of their own",
            Self::Elsewhere => "commits that change nothing in the folder",
            Self::Archive => "archives next to the pages of a site, read if `include` names them",
        }
    }
}

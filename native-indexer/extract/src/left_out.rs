//! Why a file that could be read is not a document.

use serde::{Deserialize, Serialize};

/// Why a page is left out, though nothing is wrong with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeftOut {
    /// Its head asks robots not to index it.
    Unlisted,
    /// Its front matter or an attribute keeps it out of searches.
    Unsearchable,
    /// Its front matter calls it a draft.
    Draft,
    /// What a server shows in place of a missing page.
    ErrorPage,
    /// A whole book on one page, for printing.
    PrintPage,
    /// A page of links that a generator makes: a table of contents, an index of names, a form for searching.
    Listing,
    /// Source code with marks.
    SourceCode,
    /// HTML without a page around it, such as a template.
    Fragment,
    /// The source of a built page that is beside it.
    Twin,
    /// Other pages of its site mark their content, it does not.
    Unmarked,
    /// The configuration leaves it out.
    Excluded,
    /// A text that is there for programs.
    ForPrograms,
    /// A text of a built site.
    BesidePages,
    /// Rows of values that nobody asked for.
    Data,
    /// No text was found in it.
    Empty,
    /// A file that is called like a page of a manual.
    NoManual,
    /// A commit that joins others and changes nothing by itself.
    Merge,
    /// A commit that changes nothing in the folder that is read.
    Elsewhere,
    /// An archive of a site.
    Archive,
}

impl LeftOut {
    /// What such pages are, for a report that counts them.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Unlisted => "marked `noindex`",
            Self::Unsearchable => "kept out of searches by their front matter or attributes",
            Self::Draft => "drafts",
            Self::ErrorPage => "error pages",
            Self::PrintPage => "print pages",
            Self::Listing => "tables of contents, indexes and search pages of a generator",
            Self::SourceCode => "listings of source code",
            Self::Fragment => "HTML without <html>, such as templates",
            Self::Twin => "sources next to their built page",
            Self::Unmarked => "without the mark that the content of other pages has (data-pagefind-body)",
            Self::Excluded => "left out by the configuration",
            Self::ForPrograms => "text files for programs, such as requirements.txt",
            Self::BesidePages => "text files next to the pages of a built site (.txt)",
            Self::Data => "data, read if `include` names it (.csv, .tsv)",
            Self::Empty => "without text in their content",
            Self::NoManual => "numbered files that are not manual pages (.1 to .9)",
            Self::Merge => "merges without a change of their own",
            Self::Elsewhere => "commits that change nothing in the folder",
            Self::Archive => "archives next to the pages of a site, read if `include` names them",
        }
    }
}

//! Bundles that are queried as one while a process runs. They may be in folders, on web servers or in buckets, and may
//! be made with different models. Many threads may use them, and they may be replaced meanwhile.

mod ask;
mod code;
mod documents;
mod near_names;
mod open;
mod open_library;

pub use ask::question::{About, FoundHit, Question, QuestionEncoder, Reply, Rerank};
pub use ask::related::{RelatedDocument, RelatedReply};
pub use code::about_code::AboutCode;
pub use code::exact_pattern::ExactPattern;
pub use code::exact_text::{ExactQuestion, ExactReply};
pub use code::last_change::{FindLastChanges, LastChange, LinesOfFile};
pub use code::outline::{FileOutline, Outline, OutlineEntry};
pub use code::piece::Piece;
pub use code::symbol_question::{FoundSymbol, SymbolQuestion, SymbolReply, SymbolUse, Want};
pub use documents::lookup::{Document, FoundPath, ProjectCounts};
pub use documents::named_place::{PlaceInFile, Span, line_range};
pub use documents::path_filter::{PathFilter, path_filter, path_regex};
pub use documents::place_names::PlaceNames;
pub use documents::scope::{FilesInScope, Scope};
pub use near_names::{likeness, near_names};
pub use open::content::Content;
pub use open::discovery::{WELL_KNOWN, discover};
pub use open::open_bundle::{Listed, OpenBundle};
pub use open::published::{Published, Traffic};
pub use open::published_cache::{FetchedManifest, PublishedCache};
pub use open::view::View;
pub use open_library::{Library, LibraryOptions, LocationStatus, age, hours};

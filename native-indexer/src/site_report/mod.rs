//! The report for a site's owner: pages that are hard to find, and dead links.

mod as_page;
mod dead_links;
mod headings;
mod overview;
mod page;
mod questions;
mod report;

pub use as_page::as_page;
pub use dead_links::{DeadLink, dead_links};
pub use headings::{ByHeadings, Elsewhere};
pub use overview::{Folder, LongPage, Overview, SameTitle};
pub use page::Page;
pub use questions::{AskedQuestion, answers, read_questions};
pub use report::{SiteReport, report};

//! The base of all of nearfind's native crates. It does not depend on indexing, models or bundles.

pub mod cache_folder;
pub mod facets;
pub mod file_names;
pub mod http_client;
pub mod installed_files;
pub mod location;
pub mod progress;
pub mod readable_file;
pub mod real_path;
pub mod record_log;
pub mod root_folder;
pub mod run_state;
mod shared_lock;
pub mod terminal;

//! Represents an open bundle. The host provides blocks, and this module reads their content by part and number.
//! [`crate::search`] uses it to answer queries.

mod block_request;
mod bundle_reader;

pub use block_request::BlockRequest;
pub use bundle_reader::BundleReader;

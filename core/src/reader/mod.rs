//! An open bundle: a host brings blocks, and what they hold is read from here, by number and by part. What a query does with it is
//! in [`crate::search`].

mod block_request;
mod bundle_reader;

pub use block_request::BlockRequest;
pub use bundle_reader::BundleReader;

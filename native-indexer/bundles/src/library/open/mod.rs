//! Open bundles, wherever they are: in folders, on web servers or in buckets.

pub(crate) mod content;
pub(crate) mod discovery;
pub(crate) mod meter;
pub(crate) mod open_bundle;
pub(crate) mod origin;
pub(crate) mod public_addresses;
pub(crate) mod published;
pub(crate) mod published_cache;
pub(crate) mod view;
pub(crate) mod web_server;

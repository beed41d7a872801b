//! Documents by name, and places in them.

pub(crate) mod anchor;
pub(crate) mod lookup;
pub(crate) mod path_filter;
pub(crate) mod places;
pub(crate) mod verify;

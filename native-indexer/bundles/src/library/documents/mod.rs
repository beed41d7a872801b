//! Documents by name, and places in them.

pub(crate) mod anchor;
pub(crate) mod lookup;
pub(crate) mod named_place;
pub(crate) mod path_filter;
pub(crate) mod place_names;
pub(crate) mod places;
pub(crate) mod scope;
pub(crate) mod verify;

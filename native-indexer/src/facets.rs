//! The facets that nearfind itself gives to documents.

/// The facet that tells guides from reference pages.
pub const KIND: &str = "kind";

/// What a page is for: a value of [`KIND`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageKind {
    /// It explains.
    Guide,
    /// It is looked up.
    Reference,
}

impl PageKind {
    /// Its name, as filters know it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Guide => "guide",
            Self::Reference => "reference",
        }
    }
}

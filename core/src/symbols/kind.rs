use serde::{Deserialize, Serialize};

/// The kind of a definition.
///
/// ```
/// use nearfind_core::symbols::SymbolKind;
///
/// assert_eq!(SymbolKind::Method.name(), "method");
/// assert!(SymbolKind::Method.is_callable() && !SymbolKind::Class.is_callable());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SymbolKind {
    /// A class, a trait with code, or an object.
    Class,
    /// A structure, a union, or a table.
    Struct,
    /// An interface, a protocol, or a trait.
    Interface,
    /// An enumeration.
    Enum,
    /// A function outside a class.
    Function,
    /// A function of a class.
    Method,
    /// A module or namespace.
    Module,
    /// A name for a type.
    Type,
    /// A constant or variable of the file, or a case of an enumeration.
    Constant,
    /// A field or property of a class.
    Field,
    /// A macro.
    Macro,
    /// A part of a configuration or a page.
    Section,
    /// A declaration of a function whose body is elsewhere.
    Declaration,
}

impl SymbolKind {
    /// Every kind, in the order of their numbers in a bundle.
    pub const ALL: [Self; 13] = [
        Self::Class,
        Self::Struct,
        Self::Interface,
        Self::Enum,
        Self::Function,
        Self::Method,
        Self::Module,
        Self::Type,
        Self::Constant,
        Self::Field,
        Self::Macro,
        Self::Section,
        Self::Declaration,
    ];

    /// Returns the name of the kind, as used in answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Class => "class",
            Self::Struct => "struct",
            Self::Interface => "interface",
            Self::Enum => "enum",
            Self::Function => "function",
            Self::Method => "method",
            Self::Module => "module",
            Self::Type => "type",
            Self::Constant => "constant",
            Self::Field => "field",
            Self::Macro => "macro",
            Self::Section => "section",
            Self::Declaration => "declaration",
        }
    }

    /// Whether definitions of this kind have code that can call other definitions.
    pub const fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Macro)
    }
}

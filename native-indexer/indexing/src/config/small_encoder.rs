//! When pages load the small encoder.

use nearfind_core::format::manifest::Loading;
use schemars::JsonSchema;
use serde::Deserialize;
use std::str::FromStr;

/// When pages load the small encoder, if the model has one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LoadSmallEncoder {
    /// By themselves, after a question that the small encoder may answer better.
    #[default]
    Auto,
    /// When the reader asks for it.
    Ask,
    /// Never. The small encoder is not in the index.
    Never,
}

impl LoadSmallEncoder {
    /// All names, as [`FromStr`] parses them.
    pub const NAMES: [&str; 3] = ["auto", "ask", "never"];

    /// Returns the value for the manifest, or `None` if the bundle does not contain the small encoder.
    pub const fn loading(self) -> Option<Loading> {
        match self {
            Self::Auto => Some(Loading::Auto),
            Self::Ask => Some(Loading::Ask),
            Self::Never => None,
        }
    }
}

impl FromStr for LoadSmallEncoder {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "auto" => Ok(Self::Auto),
            "ask" => Ok(Self::Ask),
            "never" => Ok(Self::Never),
            _ => Err(format!("{name:?} is not one of {}", Self::NAMES.join(", "))),
        }
    }
}

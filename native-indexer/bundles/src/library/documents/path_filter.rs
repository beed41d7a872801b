//! Which paths are wanted, by a regular expression.

use anyhow::{Context as _, Result};
use regex::{Regex, RegexBuilder};
use std::sync::Arc;

/// Whether a path is wanted.
pub type PathFilter = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// Bytes that a regular expression may take when compiled.
const MAX_REGEX_BYTES: usize = 1 << 20;

/// A regular expression over paths; matching takes time in proportion to the text, whatever it says.
pub fn path_regex(pattern: &str) -> Result<Regex> {
    let built = RegexBuilder::new(pattern).size_limit(MAX_REGEX_BYTES).build();
    built.with_context(|| format!("{pattern:?} is not a valid regular expression"))
}

/// The paths that match a regular expression somewhere; `None` for all.
pub fn path_filter(pattern: Option<&str>) -> Result<Option<PathFilter>> {
    let regex = pattern.map(path_regex).transpose()?;
    Ok(regex.map(|regex| Arc::new(move |path: &str| regex.is_match(path)) as _))
}

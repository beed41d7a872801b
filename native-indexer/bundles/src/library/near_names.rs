//! Suggests names for a name that does not exist.

/// Maximum number of suggested names.
const MAX_NAMED: usize = 8;

/// Returns how similar two names are, from 0 to 1, ignoring case.
///
/// ```
/// use nearfind_bundles::library::likeness;
///
/// assert!(likeness("Session", "session") > 0.99);
/// assert!(likeness("Session", "Sesion") > likeness("Session", "Branch"));
/// ```
#[must_use]
pub fn likeness(a: &str, b: &str) -> f64 {
    strsim::normalized_damerau_levenshtein(&a.to_lowercase(), &b.to_lowercase())
}

/// Picks the names to suggest, closest first, from names with their [`likeness`] to the requested one.
#[must_use]
pub fn near_names(names: impl IntoIterator<Item = (f64, String)>, min_likeness: f64) -> Vec<String> {
    let mut near: Vec<(f64, String)> = names.into_iter().filter(|(likeness, _)| *likeness >= min_likeness).collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    near.into_iter().take(MAX_NAMED).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likest_names_come_first() {
        let names = ["Guides", "other", "guide"].map(|name| (likeness("GUIDE", name), name.to_owned()));
        assert_eq!(near_names(names, 0.5), ["guide", "Guides"]);
    }
}

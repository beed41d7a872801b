//! Rules for pages by path: the site owner's rules, and rules that names imply.

use super::globs;
use anyhow::{Context as _, Result, ensure};
use globset::GlobSet;
use nearfind_base::facets::PageKind;
use nearfind_base::file_names::stem;
use nearfind_extract::{MAX_WEIGHT, MIN_WEIGHT};
use schemars::JsonSchema;
use serde::Deserialize;

/// Weight of change logs. They mention everything and explain nothing, so other pages come first.
const LOG_WEIGHT: f32 = 0.5;
/// Names of pages and folders with change logs, reduced to lowercase letters and digits.
const LOGS: [&str; 9] =
    ["changelog", "changelogs", "changes", "history", "news", "releasenotes", "releases", "whatsnew", "releasehistory"];

/// A `[[rule]]` table.
///
/// ```
/// use nearfind_indexing::source::PathRule;
///
/// let rule = PathRule { paths: vec!["internal/**".into()], exclude: true, ..PathRule::default() };
/// rule.check()?;
/// let invalid = PathRule { paths: vec!["internal/[".into()], exclude: true, ..PathRule::default() };
/// assert!(invalid.check().is_err());
/// # Ok::<(), anyhow::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
// The schema has no examples.
#[schemars(description = "A `[[rule]]` table.")]
pub struct PathRule {
    /// Globs for paths in the project. `*` matches within a folder, and `**` across folders.
    pub paths: Vec<String>,
    /// Name of the project that the rule applies to. Default: all projects.
    pub project: Option<String>,
    /// Weight of pages that match `paths`. 1 is the usual weight, and 2 counts twice as much.
    pub weight: Option<f32>,
    /// Whether pages that match `paths` are left out.
    #[serde(default)]
    pub exclude: bool,
    /// The kind of pages that match `paths`.
    pub kind: Option<PageKind>,
}

impl PathRule {
    /// Returns an error if the rule is invalid or has no effect.
    pub fn check(&self) -> Result<()> {
        ensure!(!self.paths.is_empty(), "set `paths`, such as [\"blog/**\"]");
        globs(&self.paths)?;
        let weight = self.weight.unwrap_or(1.0);
        ensure!(
            (MIN_WEIGHT..=MAX_WEIGHT).contains(&weight),
            "weight {weight}: use {MIN_WEIGHT} to {MAX_WEIGHT}; other pages have 1"
        );
        let says = self.weight.is_some() || self.exclude || self.kind.is_some();
        ensure!(says, "set `weight`, `kind` or `exclude = true`");
        Ok(())
    }
}

/// The rules of one project.
#[derive(Debug, Default)]
pub(super) struct Rules(Vec<(GlobSet, PathRule)>);

/// The result of the rules for one page.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Said {
    pub weight: Option<f32>,
    pub exclude: bool,
    pub kind: Option<PageKind>,
}

impl Rules {
    pub(super) fn new(rules: &[PathRule]) -> Result<Self> {
        let compiled = rules.iter().map(|rule| Ok((globs(&rule.paths).context("[[rule]]")?, rule.clone())));
        compiled.collect::<Result<_>>().map(Self)
    }

    /// Returns the values that the rules set for the page at `path`. If several rules set a value, the last rule
    /// counts.
    pub(super) fn of(&self, path: &str) -> Said {
        let mut said = Said::default();
        for (_, rule) in self.0.iter().filter(|(globs, _)| globs.is_match(path)) {
            said.weight = rule.weight.or(said.weight);
            said.kind = rule.kind.or(said.kind);
            said.exclude |= rule.exclude;
        }
        said
    }
}

/// Returns the weight of a page according to the names in its path. It counts if no rule sets a weight.
pub(super) fn usual_weight(path: &str) -> f32 {
    let plain =
        |part: &str| part.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    let is_log = |part: &str| LOGS.contains(&plain(part).as_str());
    if stem(path).split('/').any(is_log) { LOG_WEIGHT } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_rule_that_says_something_counts() {
        let rule = |paths: &str, weight, exclude| PathRule {
            paths: vec![paths.to_owned()],
            weight,
            exclude,
            ..PathRule::default()
        };
        let rules = Rules::new(&[
            rule("blog/**", Some(0.2), false),
            rule("blog/new/*", Some(2.0), false),
            rule("**/x.html", None, true),
        ])
        .unwrap();
        assert_eq!(rules.of("blog/a/b.html").weight, Some(0.2));
        assert_eq!(rules.of("blog/new/b.html").weight, Some(2.0));
        let said = rules.of("blog/new/x.html");
        assert_eq!((said.weight, said.exclude), (Some(2.0), true));
        assert_eq!(rules.of("guide.html"), Said::default());
    }

    #[test]
    fn rules_that_say_nothing_are_refused() {
        let refused = |rule: PathRule| rule.check().unwrap_err().to_string();
        assert!(refused(PathRule::default()).contains("set `paths`"));
        let rule = PathRule { paths: vec!["a/**".into()], ..PathRule::default() };
        assert!(refused(rule.clone()).contains("`exclude = true`"));
        assert!(refused(PathRule { weight: Some(0.0), ..rule.clone() }).contains("weight 0: use 0.01 to 100"));
        assert!(refused(PathRule { weight: Some(f32::NAN), ..rule }).contains("weight NaN: use"));
    }

    #[test]
    fn logs_of_changes_count_less() {
        for path in
            ["release-notes/index.html", "Release Notes.md", "docs/whats_new.html", "CHANGELOG.md", "news/a.html"]
        {
            assert!(usual_weight(path) < 1.0, "{path}");
        }
        assert!((usual_weight("guide/changing-colors.html") - 1.0).abs() < f32::EPSILON);
    }
}

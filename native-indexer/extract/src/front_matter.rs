//! What a Markdown page says of itself between `---` lines at its beginning.

use crate::date::Date;
use crate::extracted::{MAX_WEIGHT, MIN_WEIGHT, Metadata};
use crate::left_out::LeftOut;
use crate::words::language_tag;
use serde::Deserialize;
use serde_json::Value;

/// What is longer between two rules is text.
const MAX_BYTES: usize = 64 << 10;

/// The fields that are read, as the generators of sites call them; others are allowed and ignored.
#[derive(Debug, Default, Deserialize)]
pub(super) struct FrontMatter {
    pub title: Option<String>,
    pub description: Option<String>,
    #[serde(alias = "last_updated", alias = "lastUpdated", alias = "last_modified", alias = "lastmod")]
    updated: Option<Value>,
    date: Option<Value>,
    #[serde(alias = "language")]
    lang: Option<Value>,
    draft: Option<Value>,
    /// `false`, or a table with `exclude` and `boost`.
    search: Option<Value>,
    search_exclude: Option<Value>,
    pagefind: Option<Value>,
    boost: Option<Value>,
    /// Where the page is among its neighbours, in Hugo and others: not how much it counts.
    weight: Option<Value>,
    tags: Option<Value>,
}

impl FrontMatter {
    /// Takes it off the start of a file, where it is a mapping in YAML; else the text stays whole.
    pub(super) fn split(source: &str) -> (Self, &str) {
        let source = source.strip_prefix('\u{feff}').unwrap_or(source);
        let whole = (Self::default(), source);
        let Some(rest) = source.strip_prefix("---\n").or_else(|| source.strip_prefix("---\r\n")) else { return whole };
        let mut at = 0;
        for line in rest.split_inclusive('\n') {
            if matches!(line.trim_end(), "---" | "...") {
                return match serde_saphyr::from_str_with_options(&rest[..at], limits()) {
                    Ok(front_matter) => (front_matter, &rest[at + line.len()..]),
                    Err(_) => whole,
                };
            }
            at += line.len();
            if at > MAX_BYTES {
                return whole;
            }
        }
        whole
    }

    /// The latest of the dates that the page gives.
    pub(super) fn date(&self) -> Option<Date> {
        let said = [&self.updated, &self.date].into_iter().flatten();
        said.filter_map(|value| Date::parse(text(value).trim())).max()
    }

    /// The page's language, in lower case; empty if it names none.
    pub(super) fn language(&self) -> String {
        self.lang.as_ref().map(|lang| language_tag(&text(lang))).unwrap_or_default()
    }

    /// Why the page is not to be found, if it is not.
    pub(super) fn left_out(&self) -> Option<LeftOut> {
        let is = |value: Option<&Value>, wanted: bool| value == Some(&Value::Bool(wanted));
        if is(self.draft.as_ref(), true) {
            return Some(LeftOut::Draft);
        }
        let excluded = is(self.search.as_ref(), false)
            || is(self.search.as_ref().and_then(|search| search.get("exclude")), true)
            || is(self.search_exclude.as_ref(), true)
            || is(self.pagefind.as_ref(), false);
        excluded.then_some(LeftOut::Unsearchable)
    }

    /// How much the page counts, its tags and its place among its neighbours.
    pub(super) fn metadata(&self) -> Metadata {
        let mut metadata = Metadata::default();
        let boost = self.boost.as_ref().or_else(|| self.search.as_ref()?.get("boost"));
        let weight = boost.and_then(|boost| boost.as_f64().or_else(|| text(boost).trim().parse().ok()));
        metadata.weight = weight
            .map(|weight| weight as f32)
            .filter(|weight| weight.is_finite() && *weight > 0.0)
            .map(|weight| weight.clamp(MIN_WEIGHT, MAX_WEIGHT));
        if let Some(place) = &self.weight {
            metadata.sort.insert("weight".to_owned(), text(place));
        }
        let tags: Vec<String> = match &self.tags {
            Some(Value::Array(tags)) => tags.iter().map(text).collect(),
            Some(Value::String(tags)) => tags.split(',').map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        let tags = tags.into_iter().map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty());
        let tags: std::collections::BTreeSet<String> = tags.collect();
        if !tags.is_empty() {
            metadata.filters.insert("tag".to_owned(), tags);
        }
        metadata
    }
}

/// What of YAML nobody writes into front matter, and parsers take long over.
fn limits() -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: 16,
            flow_nesting_limit: 16,
            max_events: 20_000,
            max_nodes: 10_000,
            max_aliases: 100,
            max_anchors: 100,
            max_recorded_anchor_events: 10_000,
            max_merge_keys: 100,
        },
    }
}

/// A scalar as text; empty for what is none.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &str) -> FrontMatter {
        let source = format!("---\n{lines}\n---\nBody\n");
        let (front_matter, rest) = FrontMatter::split(&source);
        assert_eq!(rest, "Body\n");
        front_matter
    }

    #[test]
    fn generators_keep_pages_out_each_in_its_way() {
        assert_eq!(read("draft: true").left_out(), Some(LeftOut::Draft));
        for lines in ["search: false", "search:\n  exclude: true", "search_exclude: true", "pagefind: false"] {
            assert_eq!(read(lines).left_out(), Some(LeftOut::Unsearchable), "{lines}");
        }
        assert_eq!(read("draft: false\nsearch:\n  boost: 2").left_out(), None);
    }

    #[test]
    fn a_boost_is_a_weight_and_a_weight_is_a_place() {
        assert_eq!(read("boost: 2").metadata().weight, Some(2.0));
        assert_eq!(read("search:\n  boost: 0.5").metadata().weight, Some(0.5));
        assert_eq!(read("search:\n  boost: -1").metadata().weight, None);
        let metadata = read("weight: 10").metadata();
        assert_eq!((metadata.weight, metadata.sort["weight"].as_str()), (None, "10"));
    }

    #[test]
    fn tags_are_a_list_or_a_line() {
        let tags = |lines: &str| read(lines).metadata().filters["tag"].iter().cloned().collect::<Vec<_>>();
        assert_eq!(tags("tags: [b, a, 3]"), ["3", "a", "b"]);
        assert_eq!(tags("tags: a, b"), ["a", "b"]);
        assert!(read("tags: {a: b}").metadata().filters.is_empty());
    }

    #[test]
    fn languages_are_tags() {
        assert_eq!(read("lang: pt-BR").language(), "pt-br");
        assert_eq!(read("lang: [x]").language(), "");
        assert_eq!(read("lang: 'a b'").language(), "");
    }
}

//! Reads the front matter of Markdown pages: YAML between `---` lines, TOML between `+++` lines, or a JSON object.

mod fields;
mod split;

use crate::date::Date;
use crate::extracted::{MAX_WEIGHT, MIN_WEIGHT, Metadata};
use crate::left_out::LeftOut;
use crate::words::language_tag;
use fields::{Fields, is_no, is_yes, text};
use serde_json::Value;

/// The fields of a page. Only fields that site generators know are read.
#[derive(Debug, Default)]
pub(super) struct FrontMatter {
    fields: Fields,
    /// Problems with the front matter, each as a phrase for a report.
    pub notes: Vec<String>,
}

impl FrontMatter {
    /// Splits front matter off the beginning of a file. Text that is not front matter stays complete.
    pub(super) fn split(source: &str) -> (Self, &str) {
        let source = source.strip_prefix('\u{feff}').unwrap_or(source);
        match split::block(source) {
            Some(block) => {
                let mut notes = Vec::new();
                let Some(fields) = fields::read(&block, &mut notes) else {
                    return (Self { fields: Fields::new(), notes }, source);
                };
                (Self { fields, notes }, block.rest)
            }
            None => (Self::default(), source),
        }
    }

    fn first(&self, names: &[&str]) -> Option<&Value> {
        names.iter().find_map(|name| self.fields.get(*name))
    }

    fn line(&self, name: &str) -> Option<String> {
        self.fields.get(name).map(text).filter(|text| !text.is_empty())
    }

    /// Returns the title of the page, if it has one.
    pub(super) fn title(&self) -> Option<String> {
        self.line("title")
    }

    /// Returns the description of the page.
    pub(super) fn description(&self) -> Option<String> {
        self.line("description")
    }

    /// Returns the latest date of the page.
    pub(super) fn date(&self) -> Option<Date> {
        let updated = self.first(&["updated", "last_updated", "lastUpdated", "last_modified", "lastmod"]);
        let given = [updated, self.first(&["date"])].into_iter().flatten();
        given.filter_map(|value| Date::parse(text(value).trim())).max()
    }

    /// Returns the language of the page in lower case, or an empty text.
    pub(super) fn language(&self) -> String {
        self.first(&["lang", "language"]).map(|lang| language_tag(&text(lang))).unwrap_or_default()
    }

    /// Returns the reason to leave the page out, if there is one.
    pub(super) fn left_out(&self) -> Option<LeftOut> {
        let is = |name: &str, test: fn(&Value) -> bool| self.fields.get(name).is_some_and(test);
        if is("draft", is_yes) || is("published", is_no) {
            return Some(LeftOut::Draft);
        }
        let search = self.fields.get("search");
        let excluded = search.is_some_and(|search| is_no(search) || search.get("exclude").is_some_and(is_yes))
            || is("search_exclude", is_yes)
            || is("pagefind", is_no)
            || is("unlisted", is_yes);
        excluded.then_some(LeftOut::Unsearchable)
    }

    /// Returns the weight of the page, its tags, and its position among its neighbors.
    pub(super) fn metadata(&self) -> Metadata {
        let mut metadata = Metadata::default();
        let boost = self.fields.get("boost").or_else(|| self.fields.get("search")?.get("boost"));
        let weight = boost.and_then(|boost| boost.as_f64().or_else(|| text(boost).trim().parse().ok()));
        metadata.weight = weight
            .map(|weight| weight as f32)
            .filter(|weight| weight.is_finite() && *weight > 0.0)
            .map(|weight| weight.clamp(MIN_WEIGHT, MAX_WEIGHT));
        // In Hugo and other generators, `weight` is the position among neighbors, not the importance.
        if let Some(place) = self.fields.get("weight") {
            metadata.sort.insert("weight".to_owned(), text(place));
        }
        let tags: Vec<String> = match self.fields.get("tags") {
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
    fn pages_are_left_out_by_fields_of_any_generator() {
        for lines in ["draft: true", "draft: 'true'", "draft: Yes", "published: false"] {
            assert_eq!(read(lines).left_out(), Some(LeftOut::Draft), "{lines}");
        }
        for lines in
            ["search: false", "search:\n  exclude: true", "search_exclude: true", "pagefind: false", "unlisted: true"]
        {
            assert_eq!(read(lines).left_out(), Some(LeftOut::Unsearchable), "{lines}");
        }
        assert_eq!(read("draft: false\nsearch:\n  boost: 2").left_out(), None);
    }

    #[test]
    fn an_invalid_line_does_not_affect_others() {
        let front_matter = read("title: Secret plan\ndraft: true\nsummary: it is: broken\ntags: [a, b]");
        assert_eq!(front_matter.left_out(), Some(LeftOut::Draft));
        assert_eq!(front_matter.title().as_deref(), Some("Secret plan"));
        assert_eq!(front_matter.metadata().filters["tag"].len(), 2);
        assert_eq!(front_matter.notes, ["line 4 of its front matter is not YAML"]);
        // An unquoted colon in a title is the most frequent mistake, and its meaning is clear.
        assert_eq!(read("title: Rust: a guide\ndraft: false").title().as_deref(), Some("Rust: a guide"));
        for lines in [
            "title: [a\ndraft: true",
            "draft: true\ntitle: \"never closed",
            "draft: true\n  indented: wrong\nx: @y",
            "title: a\ntitle: b\ndraft: true",
            "\ttabs: bad\ndraft: true\nother: 1\nmore: 2",
        ] {
            assert_eq!(read(lines).left_out(), Some(LeftOut::Draft), "{lines}");
        }
    }

    #[test]
    fn a_field_of_another_type_does_not_affect_others() {
        let front_matter = read("title: [a, b]\ndescription: {x: 1}\ndraft: true");
        assert_eq!((front_matter.title(), front_matter.left_out()), (None, Some(LeftOut::Draft)));
        assert_eq!(read("title: 2024").title().as_deref(), Some("2024"));
    }

    #[test]
    fn toml_and_json_are_read_like_yaml() {
        for source in [
            "+++\ntitle = \"T\"\ndraft = true\ntags = [\"a\"]\ndate = 2024-05-01\n+++\nBody\n",
            "+++\r\ntitle = 'T'\r\ndraft = true\r\ntags = [\"a\"]\r\ndate = 2024-05-01T10:00:00Z\r\n+++\r\nBody\n",
            "+++\ntitle = \"T\"\nbad = = 1\ndraft = true\ntags = [\n  \"a\",\n]\ndate = 2024-05-01\n+++\nBody\n",
            "{\n \"title\": \"T\", \"draft\": true, \"tags\": [\"a\"], \"date\": \"2024-05-01\"\n}\n\nBody\n",
            ";;;\n{\"title\": \"T\", \"draft\": true, \"tags\": [\"a\"], \"date\": \"2024-05-01\"}\n;;;\nBody\n",
        ] {
            let (front_matter, rest) = FrontMatter::split(source);
            assert_eq!(rest.trim(), "Body", "{source}");
            assert_eq!(front_matter.title().as_deref(), Some("T"), "{source}");
            assert_eq!(front_matter.left_out(), Some(LeftOut::Draft), "{source}");
            assert_eq!(front_matter.date().unwrap().to_string(), "2024-05-01", "{source}");
            assert_eq!(front_matter.metadata().filters["tag"].len(), 1, "{source}");
        }
        let (front_matter, rest) = FrontMatter::split("+++  \n\n+++\n# Empty\n");
        assert_eq!((rest, front_matter.notes.len()), ("# Empty\n", 0));
    }

    #[test]
    fn text_that_is_not_front_matter_stays() {
        for source in [
            "---\n\nJust text, and a rule.\n\n---\n\nMore\n",
            "---\n- a list\n- of two\n---\nBody\n",
            "---\nNote: this is prose.\nIt goes on.\n---\nBody\n",
            "{% include x %}\n\nBody\n",
            "{ braces } in prose\n",
            "{\"a\": 1} in prose\n",
            "{\"never\": \"closed\"\n\nBody\n",
            "+++ a line of a patch\nBody\n",
            "---\ntitle: never closed\n\nBody\n",
        ] {
            assert_eq!(FrontMatter::split(source).1, source);
        }
        let (list, _) = FrontMatter::split("---\n- a list\n- of two\n---\nBody\n");
        assert_eq!(list.notes, ["the block between its first two `---` lines has no keys, so it is read as text"]);
    }

    #[test]
    fn a_draft_with_unclosed_front_matter_is_a_draft() {
        let (front_matter, _) = FrontMatter::split("---\ntitle: Plan\ndraft: true\n\n# Plan\n\nBody\n");
        assert_eq!(front_matter.left_out(), Some(LeftOut::Draft));
    }

    #[test]
    fn boost_is_the_weight_and_weight_is_the_position() {
        assert_eq!(read("boost: 2").metadata().weight, Some(2.0));
        assert_eq!(read("search:\n  boost: 0.5").metadata().weight, Some(0.5));
        assert_eq!(read("search:\n  boost: -1").metadata().weight, None);
        let metadata = read("weight: 10").metadata();
        assert_eq!((metadata.weight, metadata.sort["weight"].as_str()), (None, "10"));
    }

    #[test]
    fn tags_may_be_a_list_or_a_line() {
        let tags = |lines: &str| read(lines).metadata().filters["tag"].iter().cloned().collect::<Vec<_>>();
        assert_eq!(tags("tags: [b, a, 3]"), ["3", "a", "b"]);
        assert_eq!(tags("tags: a, b"), ["a", "b"]);
        assert!(read("tags: {a: b}").metadata().filters.is_empty());
    }

    #[test]
    fn languages_are_normalized() {
        assert_eq!(read("lang: pt-BR").language(), "pt-br");
        assert_eq!(read("lang: [x]").language(), "");
        assert_eq!(read("lang: 'a b'").language(), "");
    }
}

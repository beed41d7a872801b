//! Reads tool arguments as models write them: common invented names are accepted, and numbers and flags may be text. An
//! error explains what is wrong, so that the next call can be right.

use anyhow::{Result, anyhow, bail, ensure};
use rmcp::model::JsonObject;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Pairs of names: a name that models invent for an argument, and the argument that it means.
pub(super) type Aliases = &'static [(&'static str, &'static str)];

/// Maximum length of a text in characters. It is longer than any real question, and short enough for an error to repeat
/// the text.
pub(super) const MOST_CHARS: usize = 2_000;
/// Maximum length of an argument's name in bytes.
const MOST_NAME_CHARS: usize = 100;

/// Refuses a value that is too long to be a real argument.
fn check_length(name: &str, value: &Value) -> Result<()> {
    match value {
        Value::String(text) => {
            let is_json = text.trim_start().starts_with(['[', '{']);
            if let Some(Value::Array(_) | Value::Object(_)) = is_json.then(|| serde_json::from_str(text).ok()).flatten()
            {
                // The text may be a list of questions. Each question has its own limit where it is read.
                ensure!(text.len() <= 10 * MOST_CHARS, "argument `{name}` is too long: shorten it");
                return Ok(());
            }
            let chars = text.chars().count();
            ensure!(
                chars <= MOST_CHARS,
                "argument `{name}` has {chars} characters: shorten it to {MOST_CHARS} at most"
            );
        }
        Value::Array(values) => values.iter().try_for_each(|value| check_length(name, value))?,
        Value::Object(values) => values.values().try_for_each(|value| check_length(name, value))?,
        _ => {}
    }
    Ok(())
}

/// Whether the argument `name` is set, in any spelling, and is not null.
pub(super) fn is_given(arguments: &JsonObject, name: &str) -> bool {
    arguments.iter().any(|(given, value)| snake_case(given) == name && !value.is_null())
}

/// Removes the argument `name`, in any spelling, and returns its value unless it is null.
pub(super) fn take(arguments: &mut JsonObject, name: &str) -> Option<Value> {
    let given = arguments.keys().find(|given| snake_case(given) == name)?.clone();
    arguments.remove(&given).filter(|value| !value.is_null())
}

/// Reads the arguments of a tool. Fails if an argument is unknown, missing, set twice, too long or of the wrong type.
pub(super) fn read<T: DeserializeOwned>(arguments: JsonObject, aliases: Aliases) -> Result<T> {
    let mut named = JsonObject::new();
    for (name, value) in arguments {
        let plain = snake_case(&name);
        let ours = aliases.iter().find(|(invented, _)| *invented == plain).map_or(plain.as_str(), |(_, ours)| ours);
        // Some clients leave out an argument without a value, and others send null.
        if value.is_null() {
            continue;
        }
        ensure!(name.len() <= MOST_NAME_CHARS, "the name of an argument has {} characters: shorten it", name.len());
        check_length(ours, &value)?;
        ensure!(!named.contains_key(ours), "argument `{ours}` is given twice, once as `{name}`");
        named.insert(ours.to_owned(), as_text(value));
    }
    serde_path_to_error::deserialize(Value::Object(named)).map_err(|error| match error.path().to_string().as_str() {
        "." => anyhow!("{}", error.inner()),
        path => anyhow!("argument `{path}`: {}", error.inner()),
    })
}

/// Converts numbers and flags to text, because every argument may be text: some clients write `3.2` instead of "3.2".
fn as_text(value: Value) -> Value {
    match value {
        Value::Number(_) | Value::Bool(_) => Value::String(value.to_string()),
        other => other,
    }
}

/// Parses `text` as JSON if it begins with `opening`. Some clients send a list or an object as a JSON string.
fn from_json<T: DeserializeOwned>(text: &str, opening: char) -> Option<T> {
    text.trim_start().starts_with(opening).then(|| serde_json::from_str(text).ok()).flatten()
}

/// Converts `maxResults` and `max-results` to `max_results`.
fn snake_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut after_lower = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && after_lower {
            out.push('_');
        }
        after_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
        out.push(if c == '-' || c == ' ' { '_' } else { c.to_ascii_lowercase() });
    }
    out
}

/// A whole number, which clients may also send as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Whole(i64);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let whole = |number: f64| (number.fract() == 0.0).then_some(number as i64);
        let number = text.trim().parse().ok().or_else(|| text.trim().parse().ok().and_then(whole));
        number.map(Self).ok_or_else(|| D::Error::custom(format!("{text:?} is not a whole number")))
    }
}

impl Whole {
    /// The last line, in arguments where negative numbers count from the end.
    pub(super) const LAST: Self = Self(-1);

    /// Returns `given`, which must be within `range`, or `default` if there is no value. The error contains `name`.
    pub(super) fn within(
        given: Option<Self>,
        name: &str,
        range: &RangeInclusive<usize>,
        default: usize,
    ) -> Result<usize> {
        let Some(Self(number)) = given else { return Ok(default) };
        match usize::try_from(number) {
            Ok(number) if range.contains(&number) => Ok(number),
            _ => bail!("argument `{name}` is {number}: use {} to {}", range.start(), range.end()),
        }
    }
}

/// A flag, which clients may also send as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Flag(pub bool);

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match String::deserialize(deserializer)?.trim() {
            text if text.eq_ignore_ascii_case("true") => Ok(Self(true)),
            text if text.eq_ignore_ascii_case("false") => Ok(Self(false)),
            other => Err(D::Error::custom(format!("{other:?} is neither true nor false"))),
        }
    }
}

/// One or more texts. Clients may also send numbers, or a JSON list as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Texts(pub Vec<String>);

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = |value: Value| match as_text(value) {
            Value::String(text) => Ok(text),
            other => Err(D::Error::custom(format!("{other} is not text"))),
        };
        match as_text(Value::deserialize(deserializer)?) {
            Value::Array(values) => Ok(Self(values.into_iter().map(text).collect::<Result<_, _>>()?)),
            Value::String(one) => Ok(Self(from_json(&one, '[').map_or_else(|| vec![one], |Self(several)| several))),
            other => Err(D::Error::custom(format!("{other} is not text"))),
        }
    }
}

/// Names with one or more texts each. Clients may also send a JSON object as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NamedTexts(pub BTreeMap<String, Texts>);

impl<'de> Deserialize<'de> for NamedTexts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) if text.trim().is_empty() => Ok(Self::default()),
            Value::String(text) => from_json(&text, '{').map(Self).ok_or_else(|| {
                D::Error::custom(format!("{text:?} is not an object: give each name a value or a list of values"))
            }),
            value => BTreeMap::deserialize(value).map(Self).map_err(D::Error::custom),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Arguments {
        query: String,
        #[serde(default)]
        max_results: Option<Whole>,
        #[serde(default)]
        content: Option<Flag>,
        #[serde(default)]
        project: Texts,
        #[serde(default)]
        filters: NamedTexts,
    }

    const ALIASES: Aliases = &[("question", "query"), ("limit", "max_results")];

    fn parsed(value: Value) -> Result<Arguments, String> {
        let Value::Object(object) = value else { unreachable!() };
        read(object, ALIASES).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn invented_names_and_texts_are_understood() {
        let read = parsed(json!({"question": "a", "limit": "7", "content": "False", "project": "p"})).unwrap();
        assert_eq!((read.query.as_str(), read.max_results, read.content), ("a", Some(Whole(7)), Some(Flag(false))));
        assert_eq!(read.project.0, ["p"]);
        assert_eq!(parsed(json!({"query": "a", "maxResults": 3.0})).unwrap().max_results, Some(Whole(3)));
        assert_eq!(parsed(json!({"query": "a", "limit": null})).unwrap().max_results, None);
    }

    #[test]
    fn lists_and_objects_may_be_strings_of_json_and_numbers_are_texts() {
        let read = parsed(
            json!({"query": 3.2, "project": "[\"a\", 2]", "filters": "{\"version\": [1, \"2\"], \"kind\": \"x\"}"}),
        );
        let read = read.unwrap();
        assert_eq!((read.query.as_str(), read.project.0), ("3.2", vec!["a".to_owned(), "2".to_owned()]));
        let filter = |name: &str| read.filters.0[name].0.clone();
        assert_eq!((filter("version"), filter("kind")), (vec!["1".to_owned(), "2".to_owned()], vec!["x".to_owned()]));
        assert_eq!(
            parsed(json!({"query": true, "limit": " 3.0 ", "filters": ""})).unwrap().max_results,
            Some(Whole(3))
        );
        // A name may begin with `[` and still not be a list.
        assert_eq!(parsed(json!({"query": "a", "project": "[id].md"})).unwrap().project.0, ["[id].md"]);
        // A list within a list is not a list of names.
        let nested = parsed(json!({"query": "a", "project": [["a"]]})).unwrap_err();
        assert_eq!(nested, "argument `project`: [\"a\"] is not text");
    }

    #[test]
    fn what_is_wrong_is_said() {
        let error = |value| parsed(value).unwrap_err();
        assert_eq!(error(json!({})), "missing field `query`");
        assert!(error(json!({"query": ["a"]})).starts_with("argument `query`: invalid type: sequence"));
        assert!(error(json!({"query": "a", "filters": "version=2"})).contains("is not an object: give each name"));
        assert_eq!(
            error(json!({"query": "a", "limit": "many"})),
            "argument `max_results`: \"many\" is not a whole number"
        );
        assert!(error(json!({"query": "a", "limit": 1.5})).contains("1.5\" is not a whole number"));
        assert_eq!(
            error(json!({"query": "a", "question": "b"})),
            "argument `query` is given twice, once as `question`"
        );
        let unknown = error(json!({"query": "a", "colour": 1}));
        assert!(unknown.contains("unknown field `colour`, expected one of `query`, `max_results`"), "{unknown}");
    }

    #[test]
    fn what_is_too_long_is_refused_and_not_said_again() {
        let long = "x".repeat(100_000);
        let error = |value| parsed(value).unwrap_err();
        let said = "argument `query` has 100000 characters: shorten it to 2000 at most";
        assert_eq!(error(json!({ "question": long })), said);
        assert!(error(json!({ "query": "a", "filters": { "kind": [long] } })).len() < 100);
        assert!(error(json!({ "query": "a", long.as_str(): 1 })).len() < 100);
        assert!(error(json!({ "query": format!("[\"{long}\"]") })).len() < 100);
    }

    #[test]
    fn numbers_stay_within_their_range() {
        let within =
            |number| Whole::within(Some(Whole(number)), "max_results", &(1..=50), 5).map_err(|error| error.to_string());
        assert_eq!(within(50), Ok(50));
        for number in [0, -1, 51, 1_000_000_000, i64::MIN] {
            assert_eq!(within(number), Err(format!("argument `max_results` is {number}: use 1 to 50")));
        }
        assert_eq!(Whole::within(None, "max_results", &(1..=50), 5).unwrap(), 5);
    }
}

//! Converts schemas to the form that most clients accept. Clients that translate schemas for their models expect one
//! type in each place.

use rmcp::model::JsonObject;
use serde_json::Value;

/// Removes `null` from the types of optional values, because they may be left out. Also removes titles, formats and
/// line breaks, which are useless to a model.
pub(super) fn portable(schema: &mut JsonObject) {
    for keyword in ["title", "format", "$schema"] {
        // A property may also have this name. Its value is then a schema, and not text.
        if schema.get(keyword).is_some_and(Value::is_string) {
            schema.remove(keyword);
        }
    }
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
    if let Some(Value::String(description)) = schema.get_mut("description") {
        *description = description.replace('\n', " ");
    }
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [one] = &types[..] {
            let one = one.clone();
            schema.insert("type".to_owned(), one);
        }
    }
    if let Some(Value::Array(branches)) = schema.get_mut("anyOf") {
        branches.retain(|branch| branch["type"] != "null");
        if let [Value::Object(one)] = &mut branches[..] {
            let one = std::mem::take(one);
            schema.remove("anyOf");
            for (keyword, value) in one {
                schema.entry(keyword).or_insert(value);
            }
        }
    }
    schema.values_mut().for_each(portable_within);
}

fn portable_within(value: &mut Value) {
    match value {
        Value::Object(schema) => portable(schema),
        Value::Array(values) => values.iter_mut().for_each(portable_within),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_place_has_one_type() {
        let Value::Object(mut schema) = json!({
            "title": "Arguments",
            "type": "object",
            "properties": {
                "title": { "type": ["string", "null"], "default": null, "description": "in\ntwo lines" },
                "format": { "anyOf": [{ "$ref": "#/$defs/Format" }, { "type": "null" }], "description": "x" },
                "either": { "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "integer", "format": "int64" } }] },
            },
        }) else {
            unreachable!()
        };
        portable(&mut schema);
        assert_eq!(
            Value::Object(schema),
            json!({
                "type": "object",
                "properties": {
                    "title": { "type": "string", "description": "in two lines" },
                    "format": { "$ref": "#/$defs/Format", "description": "x" },
                    "either": { "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "integer" } }] },
                },
            })
        );
    }
}

//! Defects of the systems that this server replaces, with one test each.

use super::client::{Client, documents, shared_site, site, update};
use serde_json::json;

#[test]
fn documents_with_the_same_path_in_two_projects_are_distinct() {
    let place = shared_site();
    let mut client = Client::start(&place, &[]);
    let found = client.call("search", json!({ "query": "data", "max_results": 5 })).unwrap();
    let ids = documents(&found);
    assert!(ids.contains(&"alpha/doc/index.md") && ids.contains(&"beta-docs/doc/index.md"), "{ids:?}");
}

#[test]
fn small_sections_are_found_as_part_of_their_document() {
    let place = shared_site();
    let mut client = Client::start(&place, &[]);
    let document = client.call("get_document", json!({ "path": "guide.md", "project": "alpha" })).unwrap();
    assert!(document["content"].as_str().unwrap().contains("## Tiny\n\n--zap"));
    let found = client.call("search", json!({ "query": "--zap", "mode": "words" })).unwrap();
    assert_eq!(documents(&found)[0], "alpha/doc/guide.md");
}

#[test]
fn a_project_with_a_dash_is_found_in_any_spelling() {
    let place = shared_site();
    let mut client = Client::start(&place, &[]);
    for name in ["beta-docs", "beta_docs", "Beta Docs"] {
        assert_eq!(client.call("list_documents", json!({ "project": name })).unwrap()["total"], 3, "{name}");
    }
}

#[test]
fn an_unknown_project_is_an_error_that_lists_the_projects() {
    let place = shared_site();
    let mut client = Client::start(&place, &[]);
    for (tool, arguments) in [
        ("search", json!({ "query": "a", "project": "zzz" })),
        ("list_documents", json!({ "project": "zzz" })),
        ("pages", json!({ "package": "zzz" })),
        ("get_document", json!({ "path": "a", "project": "zzz" })),
        ("get_reference_guide", json!({ "component": "a", "project": "zzz" })),
    ] {
        let error = client.call(tool, arguments).unwrap_err();
        assert_eq!(error, "there is no project \"zzz\": use one of alpha, beta-docs", "{tool}");
    }
}

#[test]
fn unknown_content_and_empty_queries_are_errors() {
    let place = shared_site();
    let mut client = Client::start(&place, &[]);
    let bogus = client.call("search", json!({ "query": "a", "content": "bogus" })).unwrap_err();
    assert_eq!(bogus, "argument `content`: \"bogus\" is not truncated, chunk, full or none");
    for empty in ["", "  \n"] {
        let error = client.call("search", json!({ "query": empty })).unwrap_err();
        assert_eq!(error, "argument `query` is empty: say what to search for");
    }
}

#[test]
fn a_limit_of_zero_results_is_an_explained_error() {
    let place = shared_site();
    let mut client = Client::start(&place, &[]);
    let error = client.call("search", json!({ "query": "a", "max_results": 0 })).unwrap_err();
    assert_eq!(error, "argument `max_results` is 0: use 1 to 50");
}

#[test]
fn excluded_files_are_not_indexed() {
    let place = site();
    let config = std::fs::read_to_string(place.path("nearfind.toml")).unwrap();
    place.write(
        "nearfind.toml",
        &config.replacen("path = \"alpha\"", "path = \"alpha\"\nexclude = [\"**/guide.md\"]", 1),
    );
    update(&place);
    let mut client = Client::start(&place, &[]);
    assert_eq!(client.call("list_documents", json!({ "project": "alpha" })).unwrap()["total"], 2);
    assert!(client.call("get_document", json!({ "path": "guide.md", "project": "alpha" })).is_err());
}

#[test]
fn standard_output_contains_only_messages() {
    let place = shared_site();
    let mut client = Client::spawn(&place, &["--bundle", "search", "--bundle", "nowhere"]);
    // The client parses every line, and fails if it is not a message.
    client.initialize("2025-11-25");
    client.notify("notifications/initialized", json!({}));
    client.call("search", json!({ "query": "data" })).unwrap();
    client.send("this is not a message");
    client.call("index_status", json!({})).unwrap();
    let (rest, _) = client.finish();
    assert_eq!(rest, "");
}

#[test]
fn fences_of_any_type_contain_no_headings() {
    let place = shared_site();
    let mut client = Client::start(&place, &[]);
    let found = client.call("search", json!({ "query": "\"no heading\"", "mode": "words" })).unwrap();
    assert_eq!(found["results"][0]["section"], "Fences");
    let found = client.call("search", json!({ "query": "\"nor this\"", "mode": "words" })).unwrap();
    assert_eq!(found["results"][0]["section"], "Fences");
}

#[test]
fn a_project_without_a_known_host_is_indexed() {
    let place = site();
    place.write("gamma/notes.md", "# Notes\n\nNobody publishes these notes.\n");
    let config = std::fs::read_to_string(place.path("nearfind.toml")).unwrap();
    place.write("nearfind.toml", &format!("{config}\n[[project]]\nname = \"gamma\"\npath = \"gamma\"\n"));
    update(&place);
    let mut client = Client::start(&place, &[]);
    let document = client.call("get_document", json!({ "path": "notes.md", "project": "gamma" })).unwrap();
    assert!(document["content"].as_str().unwrap().contains("Nobody publishes"));
}

#[test]
fn a_name_in_many_pages_does_not_push_out_the_page_that_answers() {
    let place = site();
    for number in 0..12 {
        place.write(
            &format!("alpha/doc/uses/{number}.md"),
            &format!("# Use {number}\n\nCheckbox. {}\n", "Other words follow here. ".repeat(20)),
        );
    }
    place.write(
        "alpha/doc/keyboard.md",
        "# Keyboard\n\nShortcuts move the focus: the focus moves by shortcuts, and a shortcut moves it back.\n",
    );
    update(&place);
    let mut client = Client::start(&place, &[]);
    // The name is on twelve pages and not specific. The other words are on one page, and identify it.
    let found = client
        .call("search", json!({ "query": "Checkbox shortcuts move the focus", "max_results": 3, "mode": "words" }))
        .unwrap();
    assert_eq!(documents(&found)[0], "alpha/doc/keyboard.md");
}

#[test]
fn totals_and_order_are_the_same_each_time() {
    let place = shared_site();
    let mut client = Client::start(&place, &[]);
    for (tool, arguments) in [
        ("search", json!({ "query": "button table data", "max_results": 3 })),
        ("pages", json!({ "query": "table", "max_results": 2 })),
        ("list_documents", json!({ "limit": 2 })),
    ] {
        let first = client.call(tool, arguments.clone()).unwrap();
        for _ in 0..5 {
            assert_eq!(client.call(tool, arguments.clone()).unwrap(), first);
        }
        let mut other = Client::start(&place, &[]);
        assert_eq!(other.call(tool, arguments).unwrap(), first);
    }
}

#[test]
fn invalid_expressions_are_errors_and_hostile_ones_terminate() {
    let place = site();
    place.write(&format!("alpha/doc/{}.md", "a".repeat(120)), "# Long name\n\nText.\n");
    update(&place);
    let mut client = Client::start(&place, &[]);
    for (tool, arguments) in [
        ("pages", json!({ "path": "(unclosed" })),
        ("list_documents", json!({ "path": "(unclosed" })),
        ("search", json!({ "query": "a", "filters": { "path_regex": "(unclosed" } })),
    ] {
        let error = client.call(tool, arguments).unwrap_err();
        assert!(
            error.contains("is not a valid regular expression") && error.contains("unclosed group"),
            "{tool}: {error}"
        );
    }
    let too_large = client.call("pages", json!({ "path": "(?:a{1000}){1000}" })).unwrap_err();
    assert!(too_large.contains("is not a valid regular expression"), "{too_large}");
    assert_eq!(client.call("pages", json!({ "path": r"(a+)+\.md$" })).unwrap()["total"], 1);
}

#[test]
fn a_folder_filter_does_not_match_longer_names() {
    let place = site();
    place.write("alpha/doc/src/a.md", "# Source\n\nZebra.\n");
    place.write("alpha/doc/src_utils/b.md", "# Other\n\nZebra.\n");
    update(&place);
    let mut client = Client::start(&place, &[]);
    for folder in ["doc/src", "doc/src/"] {
        let found = client.call("search", json!({ "query": "zebra", "filters": { "path": folder } })).unwrap();
        assert_eq!(documents(&found), ["alpha/doc/src/a.md"]);
    }
    let outside = client.call("search", json!({ "query": "zebra", "filters": { "path": "../.." } })).unwrap_err();
    assert!(outside.contains("no path is \"../..\" or below it"), "{outside}");
}

#[test]
fn an_unknown_mode_is_an_error_that_lists_the_modes() {
    let place = shared_site();
    let mut client = Client::start(&place, &[]);
    let error = client.call("search", json!({ "query": "a", "type": "fuzzy" })).unwrap_err();
    assert!(error.contains("`mode`") && error.contains("is not hybrid, words or meaning"), "{error}");
    // The names of modes in other systems are accepted.
    for (name, mode) in [("semantic", "meaning"), ("keyword", "words"), ("Hybrid", "hybrid")] {
        let found = client.call("search", json!({ "query": "button", "mode": name })).unwrap();
        assert_eq!(found["mode"], mode);
    }
}

#[test]
fn names_in_results_are_those_of_the_documents() {
    let place = site();
    let mut client = Client::start(&place, &[]);
    let long = "One paragraph of many. ".repeat(400);
    place.write(
        "alpha/doc/parts.md",
        &format!("# Parts\n\n{long}\n\n{long}\n\nThe last paragraph is about giraffes.\n"),
    );
    update(&place);
    let found = client.call("search", json!({ "query": "giraffes", "content": "chunk", "mode": "words" })).unwrap();
    let hit = &found["results"][0];
    assert_eq!((&hit["title"], &hit["path"]), (&json!("Parts"), &json!("doc/parts.md")));
    assert!(hit.get("section").is_none(), "the passage is under no heading below the title");
    assert!(!found.to_string().contains("chunk_") && !found.to_string().contains("_part"));
}

#[test]
fn several_servers_read_one_bundle_while_it_is_written() {
    let place = site();
    let mut clients: Vec<Client> = (0..3).map(|_| Client::start(&place, &[])).collect();
    for edition in 0..3 {
        place.write("alpha/doc/edition.md", &format!("# Edition\n\nThis is edition number{edition}.\n"));
        update(&place);
        for client in &mut clients {
            let found = client.call("search", json!({ "query": format!("number{edition}"), "mode": "words" })).unwrap();
            assert_eq!(documents(&found)[0], "alpha/doc/edition.md");
            let lines = client.call("grep", json!({ "pattern": "edition number" })).unwrap();
            assert_eq!(
                (&lines["total_lines"], &lines["lines"][0]["text"]),
                (&1.into(), &format!("This is edition number{edition}.").into())
            );
        }
    }
}

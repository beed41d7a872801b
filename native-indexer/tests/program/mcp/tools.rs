//! Tests the outcomes of each tool.

use super::client::{Client, documents, shared_site, site};
use serde_json::{Value, json};

#[test]
fn search_gives_documents_with_their_passages() {
    let place = shared_site();
    let mut client = Client::start(&place, &[]);
    let found = client.call("search", json!({ "query": "colour map", "max_results": 6 })).unwrap();
    let hit = found["results"].as_array().unwrap().iter().find(|hit| hit["document"] == "alpha/doc/guide.md").unwrap();
    assert_eq!(
        (&hit["section"], &hit["url"]),
        (&json!("Colours"), &json!("https://alpha.example.org/guide.html#colours"))
    );
    assert_eq!(hit["uri"], "nearfind://documents/alpha/doc/guide.md");
    assert!(hit["content"].as_str().unwrap().starts_with("# Guide"), "a document that fits is whole");
    assert!(hit.get("excerpt").is_none() && hit.get("bundle").is_none());
    let relevance = hit["relevance_score"].as_f64().unwrap();
    assert!((0.0..=1.0).contains(&relevance));
    // The line belongs to the document, and reading can continue from there.
    let line = hit["line"].as_u64().unwrap();
    let on = client
        .call("get_document", json!({ "path": hit["path"], "project": hit["project"], "from_line": line }))
        .unwrap();
    assert!(on["content"].as_str().unwrap().contains("colour map"));
}

#[test]
fn if_no_document_fits_the_nearest_are_listed() {
    let place = shared_site();
    let mut client = Client::start(&place, &[]);
    let query = "which colour of woollen jumper suits an elderly grandmother best";
    let arguments = json!({ "query": query, "mode": "words" });
    let answer = client.request("tools/call", json!({ "name": "search", "arguments": arguments }));
    let (text, structure) = (&answer["result"]["content"][0]["text"], &answer["result"]["structuredContent"]);
    assert_eq!(structure["results"], json!([]));
    let nearest = structure["nearest"].as_array().unwrap();
    // They are short, with one excerpt each.
    assert!(!nearest.is_empty() && nearest.len() <= 5 && nearest.iter().all(|hit| hit.get("content").is_none()));
    assert!(nearest.iter().all(|hit| hit["relevance_score"].as_f64() < Some(0.5)), "{nearest:?}");
    let text = text.as_str().unwrap();
    assert!(text.contains("nothing found that fits") && text.contains("\n## 1. "), "{text}");
    let none = client.call("search", json!({ "query": "grandmother", "mode": "words" })).unwrap();
    assert!(none["results"] == json!([]) && none.get("nearest").is_none(), "{none}");
    let answered = client.call("search", json!({ "query": "colour map", "mode": "words" })).unwrap();
    assert!(answered.get("nearest").is_none(), "{answered}");
}

#[test]
fn search_returns_the_requested_amount_of_content() {
    let place = site();
    let long: String = (0..400).map(|number| format!("Sentence {number} says nothing of interest.\n\n")).collect();
    place.write("alpha/doc/long.md", &format!("# Long\n\n{long}## Zebra\n\nThe zebra is striped.\n\n{long}"));
    super::client::update(&place);
    let mut client = Client::start(&place, &["--max-response-tokens", "5000"]);
    let mut ask = |more: Value| {
        let mut arguments = json!({ "query": "striped zebra", "max_results": 1, "mode": "words" });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        client.call("search", arguments).unwrap()["results"][0].clone()
    };
    let shortened = ask(json!({ "max_content_chars": 2000 }));
    let text = shortened["content"].as_str().unwrap();
    assert!(text.contains("The zebra is striped") && text.contains("[...]") && text.chars().count() <= 2000);
    assert!(text.ends_with("use content='full' for complete content]"), "{text}");
    assert_eq!(ask(json!({ "content": true, "max_content_chars": 2000 })), shortened);
    let chunk = ask(json!({ "content": "chunk" }));
    assert!(chunk["content"].as_str().unwrap().contains("The zebra is striped"));
    assert!(chunk["content"].as_str().unwrap().len() < 5000);
    for none in [json!("none"), json!(false)] {
        let none = ask(json!({ "content": none }));
        assert!(none.get("content").is_none() && none["excerpt"].as_str().unwrap().contains("zebra"), "{none}");
    }
    // A response cannot contain the whole text. It says where the text continues, and nothing is lost.
    let full = ask(json!({ "content": "full" }));
    let shown = full["content"].as_str().unwrap();
    assert!(shown.starts_with("# Long\n") && shown.contains("[... there is more: get_document("), "{shown}");
    let mut whole = shown.split("\n\n[... there is more").next().unwrap().to_owned();
    let mut next = full["content_next_offset"].as_u64();
    while let Some(offset) = next {
        let on = client.call("get_document", json!({ "path": "doc/long.md", "offset": offset })).unwrap();
        whole += on["content"].as_str().unwrap();
        next = on["next_offset"].as_u64();
    }
    assert_eq!(whole, format!("# Long\n\n{long}## Zebra\n\nThe zebra is striped.\n\n{long}"));
}

#[test]
fn answers_are_short_and_both_forms_contain_the_same_passages() {
    let place = site();
    let long: String = (0..400).map(|number| format!("Sentence {number} says nothing of zebras.\n\n")).collect();
    for page in 0..8 {
        place.write(&format!("alpha/doc/long{page}.md"), &format!("# Long {page}\n\n{long}"));
    }
    super::client::update(&place);
    let mut client = Client::start(&place, &[]);
    let answer =
        client.request("tools/call", json!({ "name": "search", "arguments": { "query": "zebras", "mode": "words" } }));
    let (text, structure) = (&answer["result"]["content"][0]["text"], &answer["result"]["structuredContent"]);
    assert_eq!(structure["results"].as_array().unwrap().len(), 5);
    let all = text.as_str().unwrap().len() + structure.to_string().len();
    assert!(all < 20_000, "{all} characters are more than 5,000 tokens");
    for hit in structure["results"].as_array().unwrap() {
        let content = hit["content"].as_str().unwrap();
        assert!(content.contains("zebras"));
        assert_eq!(text.as_str().unwrap().matches(content).count(), 1, "clients show their model one of both forms");
    }
    let (in_text, in_structure) = (text.as_str().unwrap().len(), structure.to_string().len());
    assert!(in_structure * 2 < in_text * 3, "{in_structure} characters of JSON for {in_text} of text");
    // If contents are requested, they are in both forms.
    let arguments = json!({ "query": "zebras", "content": "chunk", "max_results": 1 });
    let asked = client.request("tools/call", json!({ "name": "search", "arguments": arguments }));
    let content = asked["result"]["structuredContent"]["results"][0]["content"].as_str().unwrap();
    assert!(asked["result"]["content"][0]["text"].as_str().unwrap().contains(content));
}

#[test]
fn grep_finds_lines_literally() {
    let place = site();
    place.write("alpha/doc/exact.md", "# Exact\n\nCall add_filter(x) here.\n\n## Again\n\nOr Add_Filter(y).\n");
    super::client::update(&place);
    let mut client = Client::start(&place, &[]);
    let mut grep = |arguments: Value| client.call("grep", arguments);
    let found = grep(json!({ "pattern": "add_filter(", "ignore_case": true })).unwrap();
    assert_eq!((&found["total_lines"], &found["total_documents"]), (&json!(2), &json!(1)));
    let second = &found["lines"][1];
    assert_eq!((&second["document"], &second["line"]), (&json!("alpha/doc/exact.md"), &json!(7)));
    assert_eq!((&second["section"], &second["text"]), (&json!("Again"), &json!("Or Add_Filter(y).")));
    assert_eq!(second["url"], "https://alpha.example.org/exact.html#again");
    assert_eq!(grep(json!({ "pattern": "Add_Filter(", "case_sensitive": true })).unwrap()["total_lines"], 1);
    let around = grep(json!({ "pattern": "^Or ", "regex": true, "context_lines": 2 })).unwrap();
    assert_eq!(around["lines"][0]["text"], "## Again\n\nOr Add_Filter(y).");
    // Page by page, with exact totals.
    let first = grep(json!({ "pattern": "add_filter(", "max_results": 1, "ignore_case": true })).unwrap();
    assert_eq!((&first["total_lines"], &first["next_offset"]), (&json!(2), &json!(1)));
    let rest = grep(json!({ "pattern": "add_filter(", "max_results": 1, "offset": 1, "ignore_case": true })).unwrap();
    assert_eq!((&rest["lines"][0]["line"], rest.get("next_offset")), (&json!(7), None));
    assert_eq!(grep(json!({ "pattern": "add_filter(", "project": "beta_docs" })).unwrap()["total_lines"], 0);
    assert_eq!(grep(json!({ "pattern": "add_filter(", "path": "doc/guide.md" })).unwrap()["total_lines"], 0);
    let literal = grep(json!({ "pattern": "add_.*r" })).unwrap();
    assert!(literal["notices"][0].as_str().unwrap().contains("treated as a regular expression"), "{literal}");
    assert!(grep(json!({ "pattern": "(", "regex": true })).unwrap_err().contains("not a valid regular expression"));
}

#[test]
fn search_can_be_filtered_and_paged() {
    let place = shared_site();
    let mut client = Client::start(&place, &[]);
    let narrowed = client.call("search", json!({ "query": "button", "project": "alpha" })).unwrap();
    assert!(documents(&narrowed).iter().all(|id| id.starts_with("alpha/")));
    let references = client.call("search", json!({ "query": "button", "filters": { "kind": "reference" } })).unwrap();
    assert_eq!(documents(&references).len(), 2);
    let by_path =
        client.call("search", json!({ "query": "button", "filters": { "path_regex": r"\.ipynb$" } })).unwrap();
    assert_eq!(documents(&by_path), ["alpha/examples/reference/widgets/Button.ipynb"]);
    let both = client.call("search", json!({ "query": "button", "project": ["alpha", "beta-docs"] })).unwrap();
    let all: Vec<String> = documents(&both).into_iter().map(str::to_owned).collect();
    // Page by page, the list is the same.
    let (mut offset, mut paged) = (0, Vec::new());
    loop {
        let page = client.call("search", json!({ "query": "button", "max_results": 2, "offset": offset })).unwrap();
        paged.extend(documents(&page).into_iter().map(str::to_owned));
        match page["next_offset"].as_u64() {
            Some(next) => offset = next,
            None => break,
        }
    }
    let whole = client.call("search", json!({ "query": "button", "max_results": 50 })).unwrap();
    assert_eq!(paged, documents(&whole));
    assert_eq!(all, documents(&whole)[..all.len()]);
    assert!(whole.get("next_offset").is_none());
}

#[test]
fn responses_fit_their_budget_and_can_be_continued() {
    let place = site();
    for number in 0..30 {
        let text = format!("word{number} and more ").repeat(60);
        place.write(&format!("alpha/doc/many/{number:02}.md"), &format!("# Page {number}\n\n{text}\n"));
    }
    super::client::update(&place);
    let mut client = Client::start(&place, &["--max-response-tokens", "1000"]);
    let mut call = |tool: &str, arguments: Value| {
        let response = client.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        let result = &response["result"];
        assert!(result["content"][0]["text"].as_str().unwrap().chars().count() <= 3000);
        assert!(result["structuredContent"].to_string().chars().count() <= 3600, "{}", result["structuredContent"]);
        result["structuredContent"].clone()
    };
    for (tool, list, arguments) in [
        ("search", "results", json!({ "query": "more", "max_results": 50, "mode": "words" })),
        ("pages", "pages", json!({ "path": "many/", "max_results": 50 })),
        ("list_documents", "documents", json!({ "path": "many/" })),
    ] {
        let (mut offset, mut paths) = (0, Vec::new());
        loop {
            let mut arguments = arguments.clone();
            arguments["offset"] = json!(offset);
            let page = call(tool, arguments);
            paths.extend(page[list].as_array().unwrap().iter().map(|row| row["path"].as_str().unwrap().to_owned()));
            match page["next_offset"].as_u64() {
                Some(next) => offset = next,
                None => break,
            }
        }
        let unique: std::collections::BTreeSet<&String> = paths.iter().collect();
        assert_eq!((paths.len(), unique.len()), (30, 30), "{tool}");
    }
}

#[test]
fn get_document_returns_the_whole_original_text() {
    let place = site();
    let mut client = Client::start(&place, &[]);
    let written = std::fs::read_to_string(place.path("alpha/doc/guide.md")).unwrap();
    let document = client.call("get_document", json!({ "path": "doc/guide.md", "project": "alpha" })).unwrap();
    assert_eq!(document["content"], written);
    assert_eq!((&document["title"], &document["total_lines"]), (&json!("Guide"), &json!(written.lines().count())));
    let middle = client
        .call("get_document", json!({ "path": "doc/guide.md", "project": "alpha", "from_line": 5, "lines": 3 }))
        .unwrap();
    assert_eq!(middle["content"], "## Tiny\n\n--zap\n");
    let behind = client
        .call("get_document", json!({ "path": "doc/guide.md", "project": "alpha", "from_line": 500 }))
        .unwrap_err();
    assert!(behind.contains("has 19 lines"), "{behind}");
}

#[test]
fn a_long_document_is_returned_in_parts_even_if_it_is_one_line() {
    let place = site();
    let written = format!("# Long\n\n{}\n", "é word".repeat(3000));
    place.write("alpha/doc/long.md", &written);
    super::client::update(&place);
    let mut client = Client::start(&place, &["--max-response-tokens", "1000"]);
    let (mut joined, mut offset) = (String::new(), 0);
    loop {
        let part = client.call("get_document", json!({ "path": "long.md", "offset": offset })).unwrap();
        joined.push_str(part["content"].as_str().unwrap());
        match part["next_offset"].as_u64() {
            Some(next) => offset = next,
            None => break,
        }
    }
    assert_eq!(joined, written);
    let behind = client.call("get_document", json!({ "path": "long.md", "offset": 999_999 })).unwrap_err();
    assert!(behind.contains("past the end"), "{behind}");
}

#[test]
fn documents_are_found_by_name() {
    let place = shared_site();
    let mut client = Client::start(&place, &[]);
    let mut id = |arguments: Value| {
        client.call("get_document", arguments).map(|found| found["document"].as_str().unwrap().to_owned())
    };
    let button = "alpha/examples/reference/widgets/Button.ipynb";
    for path in [
        "examples/reference/widgets/Button.ipynb",
        "alpha/examples/reference/widgets/Button.ipynb",
        "reference/widgets/Button.md",
        "widgets/Button.ipynb",
        "https://alpha.example.org/reference/widgets/Button.html#x",
    ] {
        assert_eq!(id(json!({ "path": path })).as_deref(), Ok(button), "{path}");
    }
    let several = id(json!({ "path": "doc/index.md" })).unwrap_err();
    assert!(several.contains("alpha/doc/index.md, beta-docs/doc/index.md"), "{several}");
    assert_eq!(id(json!({ "path": "doc/index.md", "project": "Beta_Docs" })).as_deref(), Ok("beta-docs/doc/index.md"));
    let near = id(json!({ "path": "doc/giude.md", "project": "alpha" })).unwrap_err();
    assert!(near.contains("did you mean alpha/doc/guide.md"), "{near}");
}

#[test]
fn reference_guides_are_found_by_name() {
    let place = shared_site();
    let mut client = Client::start(&place, &[]);
    let guides = client.call("get_reference_guide", json!({ "component": "Button" })).unwrap();
    let paths: Vec<&str> =
        guides["guides"].as_array().unwrap().iter().map(|guide| guide["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["examples/reference/widgets/Button.ipynb", "examples/reference/Button.md"]);
    assert_eq!(guides["guides"][0]["relevance_score"], 1.0);
    assert!(guides["guides"][0]["content"].as_str().unwrap().contains("import alpha"));
    let one = client
        .call(
            "get_reference_guide",
            json!({ "component": "alpha.widgets.button", "project": "alpha", "content": false }),
        )
        .unwrap();
    assert_eq!(one["guides"].as_array().unwrap().len(), 1);
    assert!(one["guides"][0].get("content").is_none());
    // A guide is not a reference page.
    assert!(client.call("get_reference_guide", json!({ "component": "guide" })).is_err());
    let near = client.call("get_reference_guide", json!({ "component": "Buton" })).unwrap_err();
    assert!(near.contains("alpha/examples/reference/widgets/Button.ipynb"), "{near}");
}

#[test]
fn pages_are_found_by_name_path_and_query() {
    let place = shared_site();
    let mut client = Client::start(&place, &[]);
    let mut paths = |arguments: Value| -> Vec<String> {
        let found = client.call("pages", arguments).unwrap();
        found["pages"].as_array().unwrap().iter().map(|page| page["path"].as_str().unwrap().to_owned()).collect()
    };
    let notebook = "examples/reference/widgets/Button.ipynb";
    assert_eq!(paths(json!({ "name": "Button.md", "package": "alpha" })), [notebook]);
    assert_eq!(paths(json!({ "name": "Button.ipynb" })), [notebook]);
    assert_eq!(paths(json!({ "name": notebook })), [notebook], "a name with folders is a path");
    assert_eq!(paths(json!({ "path": r"reference/.*\.md$" })), [notebook, "examples/reference/Button.md"]);
    assert_eq!(paths(json!({ "path": ".*/index.*" })), ["doc/index.md", "doc/index.md"]);
    assert_eq!(paths(json!({ "name": "utton.md" })), Vec::<String>::new());
    let wrong = client.call("pages", json!({ "path": "docs/guide/.*" })).unwrap_err();
    assert!(wrong.contains("doc/guide.md"), "{wrong}");
    let mut paths = |arguments: Value| -> Vec<String> {
        let found = client.call("pages", arguments).unwrap();
        found["pages"].as_array().unwrap().iter().map(|page| page["path"].as_str().unwrap().to_owned()).collect()
    };
    // The page has this name.
    let ranked = paths(json!({ "path": "^doc/", "query": "tables" }));
    assert_eq!(ranked[0], "doc/tables.md");
    assert!(ranked.iter().all(|path| path.starts_with("doc/")));
    let described = client.call("pages", json!({ "name": "guide.md", "content": false })).unwrap();
    let page = &described["pages"][0];
    assert!(
        page.get("content").is_none() && page["content_preview"].is_string() && page.get("relevance_score").is_none()
    );
    let with_query = client.call("pages", json!({ "name": "guide.md", "query": "colour" })).unwrap();
    assert!(with_query["pages"][0]["content"].is_string());
    assert_eq!(
        (&with_query["pages"][0]["package"], &with_query["pages"][0]["url"]),
        (&json!("alpha"), &json!("https://alpha.example.org/guide.html"))
    );
    assert_eq!(client.call("pages", json!({})).unwrap()["total"], 6);
}

#[test]
fn projects_and_documents_are_listed() {
    let place = shared_site();
    let mut client = Client::start(&place, &[]);
    let projects = client.call("list_projects", json!({})).unwrap();
    let root = place.path("beta-docs");
    assert_eq!(
        projects["projects"][1],
        json!({ "name": "beta-docs", "documents": 3, "root": root, "bundles": ["search"] })
    );
    assert_eq!(projects["filters"]["kind"], json!(["guide", "reference"]));
    let listed = client.call("list_documents", json!({ "project": "alpha" })).unwrap();
    assert_eq!(listed["total"], 3);
    assert_eq!(listed["documents"][0]["title"], "Guide");
    let references = client.call("list_documents", json!({ "is_reference": true })).unwrap();
    assert_eq!(references["total"], 2);
    let status = client.call("index_status", json!({})).unwrap();
    assert_eq!((&status["documents"], &status["can_update"]), (&json!(6), &json!(false)));
    assert_eq!(status["bundles"][0]["model"], "tiny");
}

#[test]
fn resources_are_projects_and_documents() {
    let place = site();
    place.write("alpha/doc/ein blatt #1.md", "# Ein Blatt\n\nText.\n");
    super::client::update(&place);
    let mut client = Client::start(&place, &[]);
    let listed = client.request("resources/list", json!({}));
    let uris: Vec<&str> = listed["result"]["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|resource| resource["uri"].as_str().unwrap())
        .collect();
    assert_eq!(
        uris,
        [
            "nearfind://projects",
            "nearfind://projects/alpha",
            "nearfind://projects/beta%2Ddocs".replace("%2D", "-").as_str()
        ]
    );
    let templates = client.request("resources/templates/list", json!({}));
    assert_eq!(templates["result"]["resourceTemplates"][0]["uriTemplate"], "nearfind://documents/{project}/{+path}");
    let mut text = |uri: &str| {
        client.request("resources/read", json!({ "uri": uri }))["result"]["contents"][0]["text"]
            .as_str()
            .map(str::to_owned)
    };
    assert_eq!(
        text("nearfind://documents/alpha/doc/index.md").as_deref(),
        Some("# Alpha\n\nAlpha draws plots of large data.\n")
    );
    assert!(text("nearfind://projects/alpha").unwrap().contains("- doc/guide.md"));
    assert!(text("nearfind://projects").unwrap().contains("- beta-docs: 3 documents"));
    // The address in a result is that of a resource, whatever characters the path contains.
    let found = client.call("search", json!({ "query": "blatt" })).unwrap();
    let uri = found["results"][0]["uri"].as_str().unwrap().to_owned();
    let read = client.request("resources/read", json!({ "uri": uri }));
    assert_eq!(read["result"]["contents"][0]["text"], "# Ein Blatt\n\nText.\n", "{uri}");
    assert_eq!(read["result"]["contents"][0]["mimeType"], "text/markdown");
    for uri in [
        "nearfind://documents/alpha/../../../etc/passwd",
        "nearfind://documents/alpha/%2e%2e/%2e%2e/etc/passwd",
        "nearfind://documents/alpha",
        "nearfind://projects/gamma",
        "file:///etc/passwd",
        "",
    ] {
        let missing = client.request("resources/read", json!({ "uri": uri }));
        assert_eq!(missing["error"]["code"], -32002, "{missing}");
    }
}

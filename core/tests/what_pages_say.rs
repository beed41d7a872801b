//! Pages describe themselves. This decides which pages are found, their order, and where a hit leads.

mod support;

use nearfind_core::bundle::{
    Bundle, BundleChunk, BundleDocument, BundleOptions, BundleVectors, one_by_one, write_bundle, write_text,
};
use nearfind_core::format::manifest::{ModelModule, ModelReference};
use nearfind_core::records::{DocumentRecord, SectionStart};
use nearfind_core::search::{Answer, Filter, Mode, Query, QueryError, Session, Sort};
use nearfind_core::vector::graph::Graph;
use nearfind_core::vector::rotation::Rotation;
use support::{open, titles};

fn page(title: &str, text: &str) -> BundleDocument {
    BundleDocument {
        record: DocumentRecord {
            id: format!("docs/{}", title.to_lowercase()),
            path: format!("{}.md", title.to_lowercase()),
            title: title.to_owned(),
            ..DocumentRecord::default()
        },
        text: text.to_owned(),
        chunks: vec![BundleChunk {
            range: 0..text.len(),
            sections: vec![SectionStart::default()],
            ..BundleChunk::default()
        }],
        ..BundleDocument::default()
    }
}

fn bundle(documents: &[BundleDocument]) -> Bundle {
    let rows = documents.iter().map(|document| document.chunks.len()).sum::<usize>();
    let rotation = Rotation::new(vec![1.0, 0.0, 0.0, 1.0], 2);
    let graph = Graph::new((0..rows as u32).map(|row| vec![(row + 1) % rows as u32]).collect());
    let rotated: Vec<f32> = [1.0, 0.0].repeat(rows);
    let vectors = BundleVectors {
        rotated: &rotated,
        rotation: &rotation,
        graph: &graph,
        graph_entry: 0,
        encoder: None,
        knows_latin_alone: false,
    };
    let model = ModelReference {
        name: "toy".into(),
        hash: "0".repeat(64),
        module: ModelModule::Embed,
        probe: None,
        file: None,
        small: None,
    };
    let options = BundleOptions::default();
    let text = write_text(&["docs".into()], documents, &options, &one_by_one);
    write_bundle(text, documents, &vectors, model, &options, &one_by_one)
}

fn ask(documents: &[BundleDocument], query: Query) -> Answer {
    let bundle = bundle(documents);
    support::ask(&mut open(&bundle), &bundle, query).unwrap()
}

fn words(text: &str) -> Query {
    Query { text: text.into(), mode: Mode::Words, limit: 10, ..Query::default() }
}

fn in_language(title: &str, text: &str, language: &str) -> BundleDocument {
    BundleDocument { facets: [("language".to_owned(), [language.to_owned()].into())].into(), ..page(title, text) }
}

#[test]
fn answers_keep_to_the_readers_language() {
    let pages = [
        in_language("English", "a plugin", "en"),
        in_language("French", "un plugin", "fr"),
        in_language("Brazilian", "um plugin", "pt-br"),
        page("Nothing", "plugin of no language"),
    ];
    let found = |language: &str| {
        let answer = ask(&pages, Query { language: Some(language.into()), ..words("plugin") });
        let mut found: Vec<String> = answer.hits.iter().map(|hit| hit.title.clone()).collect();
        found.sort();
        (answer.language, found)
    };
    // A page that does not say is in any language.
    assert_eq!(found("fr"), (Some("fr".into()), vec!["French".into(), "Nothing".into()]));
    assert_eq!(found("fr-CA").0, Some("fr".into()), "a region of a language that is there");
    assert_eq!(found("PT").0, Some("pt-br".into()), "the only region there is");
    assert_eq!(found("ja"), (None, ["Brazilian", "English", "French", "Nothing"].map(String::from).to_vec()));
    let filters = vec![Filter { name: "language".into(), values: vec!["en".into()] }];
    let answer = ask(&pages, Query { language: Some("fr".into()), filters, counts: true, ..words("plugin") });
    assert_eq!(titles(&answer), ["English"], "what was chosen beats what is preferred");
    // Other languages are counted, so that a reader sees that they are there.
    let answer = ask(&pages, Query { language: Some("fr".into()), counts: true, ..words("plugin") });
    let counted = &answer.filters.iter().find(|filter| filter.name == "language").unwrap().values;
    assert!(counted.iter().all(|value| value.documents == 1), "{counted:?}");
}

#[test]
fn a_page_may_have_several_values_of_a_filter() {
    let tagged = |title: &str, tags: &[&str]| BundleDocument {
        facets: [("tag".to_owned(), tags.iter().map(|tag| (*tag).to_owned()).collect())].into(),
        ..page(title, "text")
    };
    let pages = [tagged("Both", &["a", "b"]), tagged("One", &["b"])];
    let by = |tag: &str| vec![Filter { name: "tag".into(), values: vec![tag.into()] }];
    assert_eq!(titles(&ask(&pages, Query { filters: by("a"), ..words("text") })), ["Both"]);
    assert_eq!(ask(&pages, Query { filters: by("b"), ..words("text") }).hits.len(), 2);
}

#[test]
fn weights_move_pages() {
    let weighted = |title: &str, weight: f32| BundleDocument { weight, ..page(title, "the same text") };
    let pages = [weighted("Log", 0.5), weighted("Usual", 0.0), weighted("Main", 2.0)];
    assert_eq!(titles(&ask(&pages, words("same text"))), ["Main", "Usual", "Log"]);
}

#[test]
fn answers_are_sorted_by_numbers_as_numbers() {
    let dated = |title: &str, date: Option<&str>| BundleDocument {
        sort: date.map(|date| ("date".to_owned(), date.to_owned())).into_iter().collect(),
        ..page(title, "news")
    };
    let pages = [dated("Nine", Some("9")), dated("Undated", None), dated("Ten", Some("10")), page("Other", "nothing")];
    let by = |descending| Some(Sort { by: "date".into(), descending });
    assert_eq!(titles(&ask(&pages, Query { sort: by(false), ..words("news") })), ["Nine", "Ten", "Undated"]);
    assert_eq!(titles(&ask(&pages, Query { sort: by(true), ..words("news") })), ["Ten", "Nine", "Undated"]);
    let reader = open(&bundle(&pages));
    let unknown = Query { sort: Some(Sort { by: "price".into(), descending: false }), ..words("news") };
    assert_eq!(Session::new(&[&reader], unknown).unwrap_err(), QueryError::UnknownOrder("price".into()));
}

#[test]
fn what_authors_say_comes_with_hits() {
    let mut with_picture = page("Picture", "text");
    with_picture.record.meta = vec![("image".into(), "a.png".into())];
    let answer = ask(&[with_picture], words("text"));
    assert_eq!(answer.hits[0].meta, [("image".to_owned(), "a.png".to_owned())]);
    assert_eq!(serde_json::to_value(&answer.hits[0]).unwrap()["meta"]["image"], "a.png");
}

#[test]
fn a_question_that_is_a_title_leads_to_the_top_and_one_that_is_a_heading_to_it() {
    let text = "# Progress bar\n\nShows how far something is.\n\n## Length\n\nA progress bar has a length, and a progress bar may have none; a bar is drawn.\n\n## Colors\n\nAny.\n";
    let at = |heading: &str| text.find(heading).unwrap();
    let section = |heading: &str, from: usize| SectionStart {
        at: (at(&format!("## {heading}")) - from) as u32,
        title: heading.to_owned(),
        anchor: heading.to_lowercase(),
    };
    let cut = at("## Length");
    let first = SectionStart { at: 0, title: String::new(), anchor: "progress-bar".into() };
    let document = BundleDocument {
        chunks: vec![
            BundleChunk { range: 0..cut, sections: vec![first], ..BundleChunk::default() },
            BundleChunk {
                range: cut..text.len(),
                sections: vec![section("Length", cut), section("Colors", cut)],
                ..BundleChunk::default()
            },
        ],
        ..page("Progress bar", text)
    };
    let pages = [document, page("Other", "a bar")];
    let hit = ask(&pages, words("progress bars")).hits.remove(0);
    assert_eq!((hit.anchor.as_str(), hit.excerpt.text.as_str()), ("", "Shows how far something is."));
    let hit = ask(&pages, words("colors")).hits.remove(0);
    assert_eq!((hit.anchor.as_str(), hit.excerpt.text.as_str()), ("colors", "Any."));
    let hit = ask(&pages, words("length of a progress bar")).hits.remove(0);
    assert_eq!(hit.anchor, "length", "a question that is more than the title leads to the passage");
}

/// A bundle with a query encoder whose floor is `floor`.
fn with_floor(floor: f32) -> Bundle {
    let mut encoder = support::encoder();
    encoder.floors = [floor; 2];
    support::build(Some(&encoder), 0)
}

#[test]
fn an_answer_is_empty_if_nothing_fits() {
    let found = |bundle: &Bundle, text: &str, unfit: bool| {
        let query = Query { unfit, ..support::query(text, Mode::Hybrid, None) };
        let answer = support::ask(&mut open(bundle), bundle, query).unwrap();
        assert_eq!(answer.found == 0, answer.hits.is_empty());
        answer.found
    };
    let bundle = with_floor(0.9);
    assert!(found(&bundle, "who owns a value", false) > 0, "a question that is answered");
    assert_eq!(found(&bundle, "zxqwv kjhgf", false), 0, "gibberish");
    // Near to nothing, and one word of four.
    assert_eq!(found(&with_floor(9.0), "own xqzz vkjw hgfq", false), 0, "something else");
    assert!(found(&with_floor(9.0), "own xqzz vkjw hgfq", true) > 0, "asked for all the same");
    assert!(found(&with_floor(0.0), "own xqzz vkjw hgfq", false) > 0, "nothing is known of what is near");
}

#[test]
fn words_of_long_questions_are_not_respelled() {
    let bundle = support::bundle();
    let corrections = |text: &str| support::ask(&mut open(&bundle), &bundle, words(text)).unwrap().corrections.len();
    assert_eq!(corrections("borrow valeu"), 1);
    assert_eq!(corrections("borrow valeu somewhere beneath seven crooked bridges near quiet villages"), 0);
}

fn named(path: &str, title: &str, text: &str) -> BundleDocument {
    let page = page(title, text);
    BundleDocument {
        record: DocumentRecord { path: path.to_owned(), id: format!("docs/{path}"), ..page.record },
        ..page
    }
}

#[test]
fn a_page_that_is_called_what_is_asked_for_comes_first() {
    let repeated = "Scatter and scatter: a Scatter beside a Scatter is a scatter of Scatter. ".repeat(3);
    let documents = [
        // Says the word far more often than its own page does.
        named("plots.md", "Plots with Scatter", &repeated),
        named("reference/Scatter.md", "Scatter", "Points with values."),
        // Its file alone has this name, so it comes after the document that has it twice.
        named("gallery/02-scatter.ipynb", "A gallery", "Pictures of points."),
        named("reference/DatePicker.md", "Date picker", "Picks a day."),
        named("guide/overview/index.md", "What there is", "All of it."),
    ];
    let found = |text: &str| {
        let answer = ask(&documents, words(text));
        answer.hits.iter().map(|hit| hit.path.clone()).collect::<Vec<_>>()
    };
    assert_eq!(found("Scatter"), ["reference/Scatter.md", "gallery/02-scatter.ipynb", "plots.md"]);
    // However it is written.
    for text in ["DatePicker", "date_picker", "datepicker", "Date Picker"] {
        assert_eq!(found(text)[0], "reference/DatePicker.md", "{text}");
    }
    // A leading page is called as its folder is.
    assert_eq!(found("overview")[0], "guide/overview/index.md");
    let answer = ask(&documents, words("scatter"));
    assert!(answer.hits[0].why.named && !answer.hits[2].why.named);
    // A name is no word that a longer one may be the beginning of.
    assert_eq!(found("scatter plots")[0], "plots.md");
}

#[test]
fn a_name_counts_within_what_is_filtered_and_not_by_meaning_alone() {
    let documents =
        [in_language("Scatter", "Points with values.", "en"), in_language("Plots", "A scatter plot has points.", "fr")];
    let answer = ask(&documents, Query { language: Some("fr".into()), ..words("scatter") });
    assert_eq!(titles(&answer), ["Plots"]);
    let by_meaning = Query { mode: Mode::Meaning, vector: Some(vec![1.0, 0.0]), unfit: true, ..words("scatter") };
    assert!(ask(&documents, by_meaning).hits.iter().all(|hit| !hit.why.named));
}

#[test]
fn what_was_written_for_a_page_finds_it_and_is_not_shown() {
    let mut threads = page("Threads", "A thread waits for others.");
    threads.chunks[0].written = "How do programs do several things at once?\nParallel work".to_owned();
    let pages = [threads, page("Things", "Several things are parallel."), page("Other", "a bar")];
    // Alone it has a word of it, if not in its text.
    let answer = ask(&pages, words("at once"));
    assert_eq!(titles(&answer), ["Threads"]);
    assert_eq!(answer.hits[0].excerpt.text, "A thread waits for others.");
    // A word that readers see says more than one that they do not.
    assert_eq!(titles(&ask(&pages, words("parallel"))), ["Things", "Threads"]);
    // It is no phrase of the page.
    assert_eq!(ask(&pages, words("\"parallel work\"")).missing_phrases, ["parallel work"]);
}

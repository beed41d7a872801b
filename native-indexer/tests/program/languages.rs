//! Sites in languages other than English: their words, and the language of answers.

use crate::support::{Workplace, stderr, stdout, tiny_onnx_model};
use serde_json::{Value, json};

const GERMAN: [(&str, &str); 3] = [
    (
        "zertifikate",
        "# Zertifikate\n\nDas Zertifikat wird erneuert, bevor es abläuft. Die Verlängerung geschieht von selbst, sobald der Dienst läuft.",
    ),
    (
        "haeuser",
        "# Häuser\n\nWie man ein Haus baut: Zuerst kommen die Wände, danach kommt das Dach, und am Ende werden die Fenster eingesetzt.",
    ),
    (
        "strassen",
        "# Straßen\n\nDie Straße wird im Sommer gesperrt. Wer dort wohnt, muss einen anderen Weg nehmen und soll die Schilder beachten.",
    ),
];
const ENGLISH: [(&str, &str); 2] = [
    (
        "certificates",
        "# Certificates\n\nThe certificate is renewed before it expires. The renewal happens by itself as soon as the service is running.",
    ),
    (
        "houses",
        "# Houses\n\nHow to build a house: the walls come first, then the roof follows, and the windows are put into their places at the end.",
    ),
];
const RUSSIAN: [(&str, &str); 2] = [
    (
        "сертификаты",
        "# Сертификаты\n\nСертификат обновляется до того, как истечёт его срок. Продление происходит само собой, пока работает служба.",
    ),
    (
        "дома",
        "# Дома\n\nКак построить дом: сначала возводят стены, затем крышу, а в самом конце вставляют окна и двери во всех комнатах.",
    ),
];

struct Site(Workplace);

impl Site {
    fn new(folders: &[(&str, &[(&str, &str)])]) -> Self {
        let place = Workplace::new();
        for (folder, pages) in folders {
            for (name, text) in *pages {
                place.write(&format!("docs/{folder}/{name}.md"), text);
            }
        }

        let output = place.run(&["index", "docs=docs", "-o", "search", "--model", "tiny", "--no-box"]);
        assert!(output.status.success(), "{}", stderr(&output));
        Self(place)
    }

    fn answer(&self, question: &str, arguments: &[&str]) -> Value {
        let all = [&["search", "search", question, "--mode", "words", "--unfit", "--json"], arguments].concat();
        let output = self.0.run(&all);
        assert!(output.status.success(), "{}", stderr(&output));
        serde_json::from_str(&stdout(&output)).unwrap()
    }

    fn found(&self, question: &str, arguments: &[&str]) -> Vec<String> {
        let answer = self.answer(question, arguments);
        let hits = answer["hits"].as_array().unwrap().iter();
        hits.map(|hit| hit["path"].as_str().unwrap().trim_end_matches(".md").to_owned()).collect()
    }

    fn first(&self, question: &str, arguments: &[&str]) -> String {
        self.found(question, arguments).first().cloned().unwrap_or_default()
    }
}

#[test]
fn german_words_are_found_in_every_form() {
    let site = Site::new(&[("de", &GERMAN)]);
    for (question, page) in [
        // Another number or case, a missing umlaut, ss for ß.
        ("des Hauses", "haeuser"),
        ("hauser", "haeuser"),
        ("haeuser", "haeuser"),
        ("strasse", "strassen"),
        ("STRASSEN", "strassen"),
        ("Zertifikaten", "zertifikate"),
        // In a phrase, and as the beginning of a word.
        ("\"wird erneuert\"", "zertifikate"),
        ("Fenst", "haeuser"),
        // Function words are ignored in both languages.
        ("wie wird die Wand gebaut", "haeuser"),
        ("how is the Zertifikat", "zertifikate"),
    ] {
        assert_eq!(site.first(question, &[]), format!("de/{page}"), "{question}");
    }
    let hits = &site.answer("Häusern", &[])["hits"];
    let text = hits[0]["excerpt"]["text"].as_str().unwrap();
    assert!(text.contains("Haus"), "{text}");
    assert!(!hits[0]["excerpt"]["highlights"].as_array().unwrap().is_empty(), "{text}");
}

#[test]
fn unknown_compounds_are_split() {
    let site = Site::new(&[("de", &GERMAN)]);
    // With and without a linking letter between the parts.
    assert_eq!(site.first("Zertifikatsverlängerung", &[]), "de/zertifikate");
    assert_eq!(site.first("Straßenschilder", &[]), "de/strassen");
    // In English, long words are not split.
    let english = Site::new(&[("en", &ENGLISH)]);
    assert!(english.found("certificaterenewal", &[]).is_empty());
}

#[test]
fn pages_in_the_language_of_the_question_come_first() {
    let site = Site::new(&[("de", &GERMAN), ("en", &ENGLISH), ("ru", &RUSSIAN)]);
    for (question, page) in [
        ("wie baut man Häuser", "de/haeuser"),
        ("how do I build houses", "en/houses"),
        ("как строятся дома", "ru/дома"),
        ("когда обновляются сертификаты", "ru/сертификаты"),
        ("wann werden Zertifikate erneuert", "de/zertifikate"),
        ("when are certificates renewed", "en/certificates"),
    ] {
        assert_eq!(site.first(question, &[]), page, "{question}");
    }
    // An explicit language overrides the detected one.
    assert!(site.found("service", &["--language", "de"]).iter().all(|page| page.starts_with("de/")));
}

#[test]
fn words_among_another_script_are_treated_as_english() {
    let pages = [(
        "настройка",
        "# Настройка\n\nЧтобы установить программу, запустите installing from packages, и подождите, пока закончится загрузка файлов.",
    )];
    let site = Site::new(&[("ru", &pages)]);
    assert_eq!(site.first("install package", &[]), "ru/настройка");
    assert_eq!(site.first("загрузку файла", &[]), "ru/настройка");
}

/// Pieces of a Unigram vocabulary, each with a row of the tiny model. A word begins with the symbol for a space.
const UNIGRAM: [&str; 8] = ["<unk>", "<s>", "</s>", "\u{2581}", "\u{2581}поток", "и", "\u{2581}код", "\u{2581}нить"];

#[test]
fn a_model_with_a_unigram_tokenizer_indexes_and_answers() {
    let place = Workplace::new();
    let model = tiny_onnx_model(place.path("unigram").to_str().expect("UTF-8"));
    let scores: Vec<_> = UNIGRAM.iter().map(|piece| (piece, -1.0)).collect();
    let spaces = json!({ "type": "Metaspace", "replacement": "\u{2581}", "prepend_scheme": "always", "split": true });
    let frame = |text: &str| json!({ "SpecialToken": { "id": text, "type_id": 0 } });
    let named = |text: &str, id: u32| json!({ "id": text, "ids": [id], "tokens": [text] });
    let tokenizer = json!({
        "version": "1.0", "added_tokens": [], "normalizer": { "type": "Lowercase" }, "pre_tokenizer": spaces, "decoder": spaces,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [frame("<s>"), { "Sequence": { "id": "A", "type_id": 0 } }, frame("</s>")], "pair": [],
            "special_tokens": { "<s>": named("<s>", 1), "</s>": named("</s>", 2) },
        },
        "model": { "type": "Unigram", "unk_id": 0, "vocab": scores },
    });
    place.write("unigram/tokenizer.json", &tokenizer.to_string());
    place.write("docs/threads.md", "# Потоки\n\nПоток потоки поток");
    place.write("docs/code.md", "# Код\n\nКод код код");
    let done = |arguments: &[&str]| {
        let output = place.run(arguments);
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output)
    };
    done(&["model", "import", &model, "--name", "unigram"]);
    done(&["index", "docs=docs", "-o", "search", "--model", "unigram", "--no-box"]);
    // By the model, and by the query encoder that is fitted to the pages. The query shares most of its pieces with the
    // page about threads.
    for tier in [&["--mode", "meaning"][..], &["--mode", "meaning", "--tier", "1"]] {
        let answer: Value =
            serde_json::from_str(&done(&[&["search", "search", "поток", "--unfit", "--json"], tier].concat())).unwrap();
        assert_eq!(answer["hits"][0]["title"], "Потоки", "{tier:?}: {answer}");
    }
    let output = place.run(&["index", "docs=docs", "-o", "quick", "--model", "unigram", "--no-box", "--quick"]);
    assert!(!output.status.success() && stderr(&output).contains("leave out --quick"), "{}", stderr(&output));
}

//! Checks that tokenizers of other kinds than WordPiece give the same pieces, frames and cuts as the `tokenizers`
//! crate, for any text.

use nearfind_core::embed::{Tokenizer as CoreTokenizer, TokenizerFile};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::LazyLock;
use tokenizers::utils::truncation::TruncationParams;
use tokenizers::{EncodeInput, Tokenizer};

/// Returns a `tokenizer.json` around a model, with the settings of its family.
fn file(model: &Value, pre_tokenizer: &Value, decoder: &Value) -> Vec<u8> {
    let special = ["<s>", "</s>", "<unk>"].iter().enumerate().map(|(id, text)| {
        json!({ "id": id, "content": text, "special": true, "single_word": false, "lstrip": false, "rstrip": false,
                "normalized": false })
    });
    let frame = |text: &str| json!({ "SpecialToken": { "id": text, "type_id": 0 } });
    let text = |name: &str| json!({ "Sequence": { "id": name, "type_id": 0 } });
    let named = |text: &str, id: u32| json!({ "id": text, "ids": [id], "tokens": [text] });
    json!({
        "version": "1.0", "truncation": null, "padding": null,
        "added_tokens": special.collect::<Vec<_>>(),
        "normalizer": { "type": "NFKC" }, "pre_tokenizer": pre_tokenizer, "decoder": decoder, "model": model,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [frame("<s>"), text("A"), frame("</s>")],
            "pair": [frame("<s>"), text("A"), frame("</s>"), frame("</s>"), text("B"), frame("</s>")],
            "special_tokens": { "<s>": named("<s>", 0), "</s>": named("</s>", 1) },
        },
    })
    .to_string()
    .into_bytes()
}

/// Unigram in the format of XLM-R: pieces with scores, and a sign for the space before a word.
static UNIGRAM: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let pieces = [
        ("<s>", 0.0),
        ("</s>", 0.0),
        ("<unk>", 0.0),
        ("\u{2581}", -2.0),
        ("a", -3.0),
        ("b", -3.5),
        ("ab", -4.0),
        ("\u{2581}ab", -4.5),
        ("索", -6.0),
        ("引", -6.5),
        ("索引", -7.0),
        ("ж", -7.0),
        ("\u{2581}жа", -8.0),
    ];
    let spaces = json!({ "type": "Metaspace", "replacement": "\u{2581}", "prepend_scheme": "always", "split": true });
    file(&json!({ "type": "Unigram", "unk_id": 2, "byte_fallback": false, "vocab": pieces }), &spaces, &spaces)
});

/// BPE over bytes, in the format of GPT-2 and ModernBERT.
static BYTES: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let letters = (0x21..0x7f).chain(0xa1..0x180).filter_map(char::from_u32).map(String::from);
    let pieces = ["<s>", "</s>", "<unk>"].map(str::to_owned).into_iter().chain(letters);
    let pieces = pieces.chain(["ab", "Ġab"].map(str::to_owned));
    let vocabulary: serde_json::Map<_, _> = pieces.zip(0..).map(|(piece, id)| (piece, json!(id))).collect();
    let model = json!({ "type": "BPE", "vocab": vocabulary, "merges": [["a", "b"], ["Ġ", "ab"]] });
    let bytes = json!({ "type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true });
    file(&model, &bytes, &bytes)
});

fn reference(json: &[u8], limit: usize) -> Tokenizer {
    let mut tokenizer = Tokenizer::from_bytes(json).expect("a tokenizer");
    let truncation = TruncationParams { max_length: limit, ..TruncationParams::default() };
    tokenizer.with_truncation(Some(truncation)).expect("room for the frame");
    tokenizer
}

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[ab ]{1,9}",
        "[а-яж]{1,5}",
        "[索引]{1,4}",
        "\\PC{1,4}",
        Just("<s>".to_owned()),
        Just("ﬁ".to_owned())
    ];
    prop_oneof![any::<String>(), prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn texts_have_the_same_pieces(text in text(), limit in 4usize..20) {
        for json in [&*UNIGRAM, &*BYTES] {
            let own = CoreTokenizer::File(Box::new(TokenizerFile::parse(json).unwrap()));
            let all = reference(json, usize::MAX).encode(text.as_str(), true).unwrap();
            prop_assert_eq!(own.encode(&text, usize::MAX), all.get_ids());
            prop_assert_eq!(own.count(&text) + own.frame(), all.len());
            let cut = reference(json, limit).encode(text.as_str(), true).unwrap();
            prop_assert_eq!(own.encode(&text, limit), cut.get_ids(), "cut to {}", limit);
        }
    }

    #[test]
    fn pairs_are_framed_alike_and_cut_to_the_limit(first in text(), second in text(), limit in 6usize..30) {
        for json in [&*UNIGRAM, &*BYTES] {
            let own = CoreTokenizer::File(Box::new(TokenizerFile::parse(json).unwrap()));
            let pair = EncodeInput::from((first.as_str(), second.as_str()));
            let all = reference(json, usize::MAX).encode(pair, true).unwrap();
            let (ids, at) = own.encode_pair(&first, &second, usize::MAX);
            prop_assert_eq!(&ids, all.get_ids());
            let of_second = all.get_sequence_ids().iter().position(|sequence| *sequence == Some(1));
            prop_assert_eq!(at, of_second.unwrap_or(ids.len()));
            let (ids, at) = own.encode_pair(&first, &second, limit);
            prop_assert!(ids.len() <= limit && at <= ids.len());
        }
    }
}

#[test]
fn invalid_files_are_refused() {
    for json in
        ["", "{}", r#"{"model":{"type":"Unigram"}}"#, r#"{"model":{"type":"Unigram","unk_id":9,"vocab":[["a",0]]}}"#]
    {
        assert!(TokenizerFile::parse(json.as_bytes()).is_err(), "{json}");
    }
}

/// Returns the tokenizer of [`UNIGRAM`] with another template for one text.
fn framed_by(single: &Value) -> CoreTokenizer {
    let mut json: Value = serde_json::from_slice(&UNIGRAM).unwrap();
    json["post_processor"]["single"] = single.clone();
    CoreTokenizer::File(Box::new(TokenizerFile::parse(json.to_string().as_bytes()).unwrap()))
}

#[test]
fn templates_that_contradict_themselves_give_a_token_without_a_panic() {
    let text = |name: &str| json!({ "Sequence": { "id": name, "type_id": 0 } });
    // A template with a missing second text, one without a frame, and one with the same text twice.
    assert_eq!(framed_by(&json!([text("B")])).encode("ab", 9), [0]);
    assert_eq!(framed_by(&json!([text("A")])).encode("", 9), [0]);
    assert!(framed_by(&json!([text("A"), text("A")])).encode("ab ab ab ab", 5).len() <= 5);
}

#[test]
fn scripts_are_recognized_in_vocabularies_over_bytes() {
    // The bytes of two Cyrillic letters, as written in byte-level BPE.
    let pieces: serde_json::Map<_, _> = ["<s>", "</s>", "<unk>", "Ð¿", "Ñı"]
        .into_iter()
        .zip(0..)
        .map(|(piece, id)| (piece.to_owned(), json!(id)))
        .collect();
    let bytes = json!({ "type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true });
    let model = json!({ "type": "BPE", "vocab": pieces, "merges": [] });
    let tokenizer = CoreTokenizer::File(Box::new(TokenizerFile::parse(&file(&model, &bytes, &bytes)).unwrap()));
    assert!(!tokenizer.knows_latin_alone());
}

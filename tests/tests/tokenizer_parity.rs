//! Checks that WordPiece in core gives the same tokens as the `tokenizers` crate, for any text.

use nearfind_core::embed::bert_words::NormalizerOptions;
use nearfind_core::embed::{SpecialToken, WordPiece, WordPieceOptions};
use nearfind_tests::default_model;
use proptest::prelude::*;
use serde_json::json;
use std::sync::LazyLock;
use tokenizers::Tokenizer;

struct Pair {
    own: WordPiece,
    reference: Tokenizer,
}

/// Creates both tokenizers with the same vocabulary and options.
fn pair(options: &WordPieceOptions, vocabulary: &[&str], strip_accents: &serde_json::Value) -> Pair {
    let vocab: serde_json::Map<_, _> =
        vocabulary.iter().enumerate().map(|(id, piece)| ((*piece).to_owned(), json!(id))).collect();
    let special = options.special.iter().map(|token| {
        json!({ "id": token.id, "content": token.text, "special": true, "single_word": false, "lstrip": false,
                "rstrip": false, "normalized": false })
    });
    let special: Vec<_> = special.collect();
    let frame = |name: &str| json!({ "SpecialToken": { "id": name, "type_id": 0 } });
    let json = json!({
        "version": "1.0",
        "added_tokens": special,
        "normalizer": { "type": "BertNormalizer", "clean_text": options.normalizer.clean_text,
            "handle_chinese_chars": options.normalizer.split_cjk, "strip_accents": strip_accents, "lowercase": options.normalizer.lowercase },
        "pre_tokenizer": { "type": "BertPreTokenizer" },
        "post_processor": { "type": "TemplateProcessing",
            "single": [frame("[CLS]"), { "Sequence": { "id": "A", "type_id": 0 } }, frame("[SEP]")],
            "pair": [frame("[CLS]"), { "Sequence": { "id": "A", "type_id": 0 } }, { "Sequence": { "id": "B", "type_id": 0 } }],
            "special_tokens": {
                "[CLS]": { "id": "[CLS]", "ids": [options.start], "tokens": ["[CLS]"] },
                "[SEP]": { "id": "[SEP]", "ids": [options.end], "tokens": ["[SEP]"] } } },
        "model": { "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": options.longest_word, "vocab": vocab }
    });
    let reference = Tokenizer::from_bytes(json.to_string()).expect("a tokenizer");
    Pair { own: WordPiece::new(options.clone(), vocabulary.iter().copied()), reference }
}

/// The vocabulary and options of the default model.
static REAL: LazyLock<Pair> = LazyLock::new(|| {
    let model = default_model();
    let vocabulary = String::from_utf8(model.pack.blob("vocabulary").unwrap().to_vec()).unwrap();
    let pieces: Vec<&str> = vocabulary.split('\n').collect();
    pair(&model.pack.header().tokenizer, &pieces, &json!(null))
});

/// A small cased vocabulary with different options than the default model.
static CASED: LazyLock<Pair> = LazyLock::new(|| {
    let options = WordPieceOptions {
        normalizer: NormalizerOptions::from_bits(0),
        continuation: "##".into(),
        longest_word: 7,
        unknown: 0,
        start: 1,
        end: 2,
        special: vec![SpecialToken { text: "[SEP]".into(), id: 2 }, SpecialToken { text: "[SEP]]".into(), id: 3 }],
    };
    let vocabulary = [
        "[UNK]", "[CLS]", "[SEP]", "[SEP]]", "a", "##a", "A", "é", "##é", "ab", "##b", "索", "##引", "##", "-", "[",
        "]",
    ];
    pair(&options, &vocabulary, &json!(false))
});

fn assert_equal(pair: &Pair, text: &str) -> Result<(), TestCaseError> {
    let expected = pair.reference.encode(text, true).expect("the reference encodes");
    prop_assert_eq!(pair.own.encode(text, usize::MAX), expected.get_ids(), "{:?}", text);
    Ok(())
}

/// Generates text as in documents: words, code, accents, ideographs, marks, special tokens.
fn realistic() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-zA-Z]{1,12}",
        "[a-z_.:<>/#-]{1,10}",
        "\\p{Latin}{1,8}",
        "\\p{Greek}{1,6}",
        "\\p{Han}{1,4}",
        "\\p{Hangul}{1,4}",
        "\\p{M}{1,3}",
        "\\p{P}{1,3}",
        "\\p{S}{1,3}",
        "\\p{Z}{1,2}",
        "[\\x00-\\x20\\x7f-\\xa0\u{200b}-\u{200f}\u{feff}\u{fffd}]{1,3}",
        prop::sample::select(vec!["[SEP]", "[MASK]", "[mask]", "[SEP]]", "[UNK", "##a", "ﬁ", "İ", "ß", "ΑΣ"])
            .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn any_unicode_gives_the_same_tokens(text in any::<String>()) {
        assert_equal(&CASED, &text)?;
    }

    #[test]
    fn realistic_text_gives_the_same_tokens(text in realistic()) {
        assert_equal(&CASED, &text)?;
    }

    #[test]
    #[ignore = "needs the default model: `just full` gets it and runs these tests too"]
    fn the_default_model_gives_the_same_tokens(text in prop_oneof![any::<String>(), realistic()]) {
        assert_equal(&REAL, &text)?;
    }
}

#[test]
#[ignore = "needs the default model: `just full` gets it and runs these tests too"]
fn every_character_gives_the_same_tokens() {
    let characters = (0..=0x10_ffff).filter_map(char::from_u32);
    // Each character in a word and alone, with many characters in one text, which is faster.
    let all: Vec<char> = characters.collect();
    for run in all.chunks(64) {
        let text: String = run.iter().flat_map(|c| ['a', *c, ' ', *c, ' ']).collect();
        assert_equal(&REAL, &text).unwrap();
    }
}

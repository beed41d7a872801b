//! `tokenizer.json` of a WordPiece model to the options and vocabulary of a pack.
//!
//! The file can say much that WordPiece in core does not do. So the import ends by tokenizing samples with the
//! reference implementation as well: a tokenizer that differs is refused here, not found out later by poor results.

use super::model_folder;
use anyhow::{Context as _, Result, ensure};
use nearfind_core::embed::bert_words::NormalizerOptions;
use nearfind_core::embed::{SpecialToken, WordPiece, WordPieceOptions};
use serde_json::Value;
use std::path::Path;
use tokenizers::Tokenizer;

/// What a pack keeps of a tokenizer.
#[derive(Debug)]
pub(super) struct ImportedTokenizer {
    pub(super) options: WordPieceOptions,
    /// A piece a line, in order of their numbers.
    pub(super) vocabulary: Vec<u8>,
}

/// Texts that a supported tokenizer splits as core does.
const SAMPLES: &[&str] = &[
    "How do I format Tabulator cells?",
    "Crème BRÛLÉE — naïve İstanbul ΣΑΣ ﬁne",
    "pn.widgets.Button(name='x')\t--flag=std::vec<int>\r\n",
    "索引 と 検索 한국어 ไทย 🦀\u{200d}\u{fe0f}",
    "[MASK] and [mask] un[SEP]believable##ness",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa b",
    "",
];

pub(super) fn import(path: &Path) -> Result<ImportedTokenizer> {
    let bytes = model_folder::read(path)?;
    let imported = read(&bytes).with_context(|| path.display().to_string())?;
    compare(&bytes, &imported).with_context(|| path.display().to_string())?;
    Ok(imported)
}

fn read(bytes: &[u8]) -> Result<ImportedTokenizer> {
    let json: Value = serde_json::from_slice(bytes).context("not JSON")?;
    let kind = |part: &str| json[part]["type"].as_str().unwrap_or("none").to_owned();
    ensure!(kind("model") == "WordPiece", "only WordPiece tokenizers are supported, this one is {}", kind("model"));
    ensure!(kind("normalizer") == "BertNormalizer", "normalizer {} is not supported", kind("normalizer"));
    ensure!(kind("pre_tokenizer") == "BertPreTokenizer", "pre-tokenizer {} is not supported", kind("pre_tokenizer"));
    let model = &json["model"];
    let entries = model["vocab"].as_object().context("it has no vocabulary")?;
    let mut pieces = vec![None; entries.len()];
    for (piece, id) in entries {
        let place = id.as_u64().and_then(|id| pieces.get_mut(id as usize));
        *place.with_context(|| format!("number of piece {piece:?} is outside the vocabulary"))? = Some(piece.as_str());
        ensure!(!piece.contains('\n'), "piece {piece:?} holds a line break");
    }
    let pieces: Vec<&str> = pieces.into_iter().collect::<Option<_>>().context("its numbers have gaps")?;
    let id_of = |piece: &str| -> Result<u32> {
        let found = pieces.iter().position(|known| *known == piece);
        Ok(found.with_context(|| format!("piece {piece:?} is not in the vocabulary"))? as u32)
    };
    let mut special = Vec::new();
    for token in json["added_tokens"].as_array().into_iter().flatten() {
        let text = token["content"].as_str().context("an added token has no content")?.to_owned();
        let set = |flag: &str| token[flag].as_bool() == Some(true);
        // What they strip, no word has. Of those that are found in normalized text, capitals are not found here: that is
        // for what a model says of itself, `<unk>`, and no text has.
        let is_plain = !set("single_word") && (!set("normalized") || set("special"));
        ensure!(is_plain && !text.is_empty(), "added token {text:?} has options that are not supported");
        special.push(SpecialToken { id: token["id"].as_u64().context("an added token has no number")? as u32, text });
    }
    let normalizer = &json["normalizer"];
    let switch = |name: &str| normalizer[name].as_bool().unwrap_or(true);
    let options = WordPieceOptions {
        normalizer: NormalizerOptions {
            clean_text: switch("clean_text"),
            split_cjk: switch("handle_chinese_chars"),
            // Left open, accents are stripped where text is lower-cased.
            strip_accents: normalizer["strip_accents"].as_bool().unwrap_or(switch("lowercase")),
            lowercase: switch("lowercase"),
        },
        continuation: model["continuing_subword_prefix"].as_str().unwrap_or("##").to_owned(),
        longest_word: model["max_input_chars_per_word"].as_u64().unwrap_or(100) as u32,
        unknown: id_of(model["unk_token"].as_str().unwrap_or("[UNK]"))?,
        start: frame_token(&json["post_processor"], "cls", 0).map_or_else(|| id_of("[CLS]"), Ok)?,
        end: frame_token(&json["post_processor"], "sep", 2).map_or_else(|| id_of("[SEP]"), Ok)?,
        special,
    };
    Ok(ImportedTokenizer { options, vocabulary: pieces.join("\n").into_bytes() })
}

/// The number of the token that is put before or after a text: `name` is what processors of one kind call it, `place` where
/// it is in the template of the other.
fn frame_token(processor: &Value, name: &str, place: usize) -> Option<u32> {
    let named = || {
        let token = processor["single"][place]["SpecialToken"]["id"].as_str()?;
        processor["special_tokens"][token]["ids"][0].as_u64()
    };
    processor[name][1].as_u64().or_else(named).map(|id| id as u32)
}

fn compare(bytes: &[u8], imported: &ImportedTokenizer) -> Result<()> {
    let mut reference = Tokenizer::from_bytes(bytes).map_err(anyhow::Error::from_boxed)?;
    reference.with_padding(None).with_truncation(None).map_err(anyhow::Error::from_boxed)?;
    let vocabulary = std::str::from_utf8(&imported.vocabulary)?;
    let own = WordPiece::new(imported.options.clone(), vocabulary.split('\n'));
    for sample in SAMPLES {
        let expected = reference.encode(*sample, true).map_err(anyhow::Error::from_boxed)?;
        let found = own.encode(sample, usize::MAX);
        ensure!(
            expected.get_ids() == found,
            "this tokenizer is not supported: it splits {sample:?} differently from plain WordPiece"
        );
    }
    Ok(())
}

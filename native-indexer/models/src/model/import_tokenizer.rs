//! Imports `tokenizer.json`. For WordPiece, which web pages also run, a pack keeps the options and the vocabulary. For
//! other tokenizers, it keeps the file.
//!
//! The file can request features that core's WordPiece lacks. So the reference implementation also tokenizes samples:
//! if the results differ, the pack keeps the file.

use super::model_folder;
use anyhow::{Context as _, Result, ensure};
use nearfind_core::embed::bert_words::NormalizerOptions;
use nearfind_core::embed::model_pack::{TOKENIZER_BLOB, VOCABULARY_BLOB};
use nearfind_core::embed::{SpecialToken, TokenizerFile, WordPiece, WordPieceOptions};
use serde_json::Value;
use std::path::Path;

/// The part of a tokenizer that a pack keeps.
#[derive(Debug)]
pub(super) struct ImportedTokenizer {
    /// WordPiece options. They mean nothing for other tokenizers.
    pub(super) options: WordPieceOptions,
    /// The WordPiece vocabulary, one piece per line in the order of their numbers, or another tokenizer's file.
    pub(super) blob: (String, Vec<u8>),
    /// Token numbers of a short text, for a first run of an ONNX model.
    #[cfg_attr(not(feature = "onnx"), expect(dead_code, reason = "ONNX models are run with it"))]
    pub(super) probe: Vec<u32>,
    /// The largest piece number.
    largest: u32,
}

impl ImportedTokenizer {
    /// Checks that the model has a vector for each piece.
    pub(super) fn check_rows(&self, rows: u32) -> Result<()> {
        ensure!(
            self.largest < rows,
            "tokenizer.json has piece numbers up to {}, but the weights have only {rows} rows: they belong to different models",
            self.largest
        );
        Ok(())
    }
}

/// Texts that every plain WordPiece tokenizer splits as core does.
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
    let named = || path.display().to_string();
    let file = TokenizerFile::parse(&bytes).map_err(anyhow::Error::msg).with_context(named)?;
    if let Some(imported) = read_word_piece(&bytes).filter(|imported| is_the_same(&file, imported)) {
        return Ok(imported);
    }
    let json = file.to_json().map_err(anyhow::Error::msg).with_context(named)?;
    let (probe, largest) = (file.encode(SAMPLES[0], usize::MAX), file.largest_number());
    ensure!(!probe.is_empty(), "{}: it has no pieces for {:?}", path.display(), SAMPLES[0]);
    Ok(ImportedTokenizer {
        options: WordPieceOptions::none(),
        blob: (TOKENIZER_BLOB.to_owned(), json.into_bytes()),
        probe,
        largest,
    })
}

/// Returns the options and vocabulary of a WordPiece tokenizer, or an error if it requests a feature that core lacks.
fn read_word_piece(bytes: &[u8]) -> Option<ImportedTokenizer> {
    let json: Value = serde_json::from_slice(bytes).ok()?;
    let is = |part: &str, kind: &str| json[part]["type"] == kind;
    if !is("model", "WordPiece") || !is("normalizer", "BertNormalizer") || !is("pre_tokenizer", "BertPreTokenizer") {
        return None;
    }
    let model = &json["model"];
    let entries = model["vocab"].as_object()?;
    let mut pieces = vec![None; entries.len()];
    for (piece, id) in entries {
        *pieces.get_mut(id.as_u64()? as usize)? = Some(piece.as_str());
    }
    let pieces: Vec<&str> = pieces.into_iter().collect::<Option<_>>()?;
    if pieces.iter().any(|piece| piece.contains('\n')) {
        return None;
    }
    let id_of = |piece: &str| Some(pieces.iter().position(|known| *known == piece)? as u32);
    let mut special = Vec::new();
    for token in json["added_tokens"].as_array().into_iter().flatten() {
        let text = token["content"].as_str()?.to_owned();
        let set = |flag: &str| token[flag].as_bool() == Some(true);
        // A token that strips spaces is no problem, because no word contains them. A token that is matched in
        // normalized text is not found here if it is written in capitals. Only the model's own tokens, such as `<unk>`,
        // are matched like this, and they do not occur in text.
        let is_plain = !set("single_word") && (!set("normalized") || set("special"));
        if !is_plain || text.is_empty() {
            return None;
        }
        special.push(SpecialToken { id: token["id"].as_u64()? as u32, text });
    }
    let normalizer = &json["normalizer"];
    let switch = |name: &str| normalizer[name].as_bool().unwrap_or(true);
    let options = WordPieceOptions {
        normalizer: NormalizerOptions {
            clean_text: switch("clean_text"),
            split_cjk: switch("handle_chinese_chars"),
            // By default, accents are stripped if text is lowercased.
            strip_accents: normalizer["strip_accents"].as_bool().unwrap_or(switch("lowercase")),
            lowercase: switch("lowercase"),
        },
        continuation: model["continuing_subword_prefix"].as_str().unwrap_or("##").to_owned(),
        longest_word: model["max_input_chars_per_word"].as_u64().unwrap_or(100) as u32,
        unknown: id_of(model["unk_token"].as_str().unwrap_or("[UNK]"))?,
        start: frame_token(&json["post_processor"], "cls", 0).or_else(|| id_of("[CLS]"))?,
        end: frame_token(&json["post_processor"], "sep", 2).or_else(|| id_of("[SEP]"))?,
        special,
    };
    let own = options.special.iter().map(|token| token.id);
    let largest = own.chain([pieces.len().saturating_sub(1) as u32]).max().unwrap_or(0);
    let probe = vec![options.start, options.end];
    let blob = (VOCABULARY_BLOB.to_owned(), pieces.join("\n").into_bytes());
    Some(ImportedTokenizer { options, blob, probe, largest })
}

/// Returns the number of the token that is added before or after a text. `name` is the token's name in one kind of
/// processor, and `place` its position in the template of the other kind.
fn frame_token(processor: &Value, name: &str, place: usize) -> Option<u32> {
    let named = || {
        let token = processor["single"][place]["SpecialToken"]["id"].as_str()?;
        processor["special_tokens"][token]["ids"][0].as_u64()
    };
    processor[name][1].as_u64().or_else(named).map(|id| id as u32)
}

/// Whether core's WordPiece splits the samples as the file describes.
fn is_the_same(file: &TokenizerFile, imported: &ImportedTokenizer) -> bool {
    let ImportedTokenizer { options, blob: (_, vocabulary), .. } = imported;
    let Ok(vocabulary) = std::str::from_utf8(vocabulary) else { return false };
    let own = WordPiece::new(options.clone(), vocabulary.split('\n'));
    SAMPLES.iter().all(|sample| own.encode(sample, usize::MAX) == file.encode(sample, usize::MAX))
}

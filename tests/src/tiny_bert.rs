//! Writes checkpoints of a BERT, a RoBERTa, a cross-encoder and an MPNet of a few kilobytes, with random weights, for
//! tests that need a transformer but not a good one.

use safetensors::tensor::{Dtype, TensorView, serialize_to_file};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

const PIECES: [&str; 10] = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "thread", "##s", "unsafe", "code", "query", ":"];
const HIDDEN: usize = 32;
const INTERMEDIATE: usize = 64;
const LAYERS: usize = 2;
const POSITIONS: usize = 24;
const HEADS: usize = 4;
const DISTANCES: usize = 32;

/// Writes the files of a sentence-transformers folder.
///
/// # Panics
/// If the folder cannot be written.
pub fn write_tiny_bert(folder: &Path) {
    let processor = json!({ "type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1] });
    let more = json!({ "architectures": ["BertModel"] });
    write_folder(folder, &random_values(bert()), ("bert", POSITIONS), &processor, &more);
}

/// Writes the encoder of [`write_tiny_bert`] in the format of RoBERTa: names have a prefix, and two rows precede the
/// first position. The configuration sets `prompts`, the prefixes of texts.
///
/// # Panics
/// If the folder cannot be written.
pub fn write_tiny_roberta(folder: &Path, prompts: &Value) {
    let mut values = random_values(bert());
    for (name, shape, bytes) in &mut values {
        if name.contains("position_embeddings") {
            bytes.splice(..0, std::iter::repeat_n(0x3f, 2 * HIDDEN * 4));
            shape[0] += 2;
        }
        *name = format!("roberta.{name}");
    }
    let processor = json!({ "type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1] });
    write_folder(folder, &values, ("xlm-roberta", POSITIONS + 2), &processor, &json!({}));
    let own = json!({ "prompts": prompts }).to_string();
    std::fs::write(folder.join("config_sentence_transformers.json"), own).expect("a file");
}

/// Writes the files of a cross-encoder that distinguishes `classes`, and returns its tensors by name.
///
/// # Panics
/// If the folder cannot be written.
pub fn write_tiny_cross_encoder(folder: &Path, classes: usize) -> BTreeMap<String, Vec<f32>> {
    let mut tensors: Vec<(String, Vec<usize>)> =
        bert().into_iter().map(|(name, shape)| (format!("bert.{name}"), shape)).collect();
    tensors.push(("bert.pooler.dense.weight".into(), vec![HIDDEN, HIDDEN]));
    tensors.push(("bert.pooler.dense.bias".into(), vec![HIDDEN]));
    tensors.push(("classifier.weight".into(), vec![classes, HIDDEN]));
    tensors.push(("classifier.bias".into(), vec![classes]));
    let values = random_values(tensors);
    let processor = json!({ "type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1] });
    let labels: BTreeMap<String, String> =
        (0..classes).map(|class| (class.to_string(), format!("LABEL_{class}"))).collect();
    let more = json!({ "architectures": ["BertForSequenceClassification"], "id2label": labels });
    write_folder(folder, &values, ("bert", POSITIONS), &processor, &more);
    let floats = |bytes: &[u8]| bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect();
    values.iter().map(|(name, _, bytes)| (name.clone(), floats(bytes))).collect()
}

/// Returns the names and shapes of the tensors of a BERT.
fn bert() -> Vec<(String, Vec<usize>)> {
    let mut tensors: Vec<(String, Vec<usize>)> = vec![
        ("embeddings.word_embeddings.weight".into(), vec![PIECES.len(), HIDDEN]),
        ("embeddings.position_embeddings.weight".into(), vec![POSITIONS, HIDDEN]),
        ("embeddings.token_type_embeddings.weight".into(), vec![2, HIDDEN]),
        ("embeddings.LayerNorm.weight".into(), vec![HIDDEN]),
        ("embeddings.LayerNorm.bias".into(), vec![HIDDEN]),
    ];
    let attention = ["attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"];
    tensors.extend(layers(attention, "attention.output.LayerNorm"));
    tensors
}

/// Writes the files of a sentence-transformers folder of an MPNet. Its attention adds `distance(row)` for each row of
/// the table of distances.
///
/// # Panics
/// If the folder cannot be written.
pub fn write_tiny_mpnet(folder: &Path, distance: impl Fn(usize) -> f32) {
    // Two rows of the position table belong to no position.
    let positions = POSITIONS + 2;
    let mut tensors: Vec<(String, Vec<usize>)> = vec![
        ("embeddings.word_embeddings.weight".into(), vec![PIECES.len(), HIDDEN]),
        ("embeddings.position_embeddings.weight".into(), vec![positions, HIDDEN]),
        ("embeddings.LayerNorm.weight".into(), vec![HIDDEN]),
        ("embeddings.LayerNorm.bias".into(), vec![HIDDEN]),
    ];
    let attention = ["attention.attn.q", "attention.attn.k", "attention.attn.v", "attention.attn.o"];
    tensors.extend(layers(attention, "attention.LayerNorm"));
    let mut values = random_values(tensors);
    let table = (0..DISTANCES).flat_map(|row| distance(row).to_le_bytes().repeat(HEADS)).collect();
    values.push(("encoder.relative_attention_bias.weight".into(), vec![DISTANCES, HEADS], table));
    let processor = json!({
        "type": "TemplateProcessing",
        "single": [
            { "SpecialToken": { "id": "[CLS]", "type_id": 0 } },
            { "Sequence": { "id": "A", "type_id": 0 } },
            { "SpecialToken": { "id": "[SEP]", "type_id": 0 } }
        ],
        "pair": [{ "Sequence": { "id": "A", "type_id": 0 } }, { "Sequence": { "id": "B", "type_id": 1 } }],
        "special_tokens": {
            "[CLS]": { "id": "[CLS]", "ids": [1], "tokens": ["[CLS]"] },
            "[SEP]": { "id": "[SEP]", "ids": [2], "tokens": ["[SEP]"] }
        }
    });
    write_folder(folder, &values, ("mpnet", positions), &processor, &json!({}));
}

/// Returns the names and shapes of the tensors of all layers, given the names of the attention's parts and of the norm
/// after it.
fn layers(attention: [&str; 4], norm: &str) -> Vec<(String, Vec<usize>)> {
    let mut tensors = Vec::new();
    for layer in 0..LAYERS {
        let mut module = |name: &str, weight: Vec<usize>| {
            let base = format!("encoder.layer.{layer}.{name}");
            tensors.push((format!("{base}.bias"), vec![weight[0]]));
            tensors.push((format!("{base}.weight"), weight));
        };
        for name in attention {
            module(name, vec![HIDDEN, HIDDEN]);
        }
        module("intermediate.dense", vec![INTERMEDIATE, HIDDEN]);
        module("output.dense", vec![HIDDEN, INTERMEDIATE]);
        module(norm, vec![HIDDEN]);
        module("output.LayerNorm", vec![HIDDEN]);
    }
    tensors
}

/// The name, shape and bytes of tensors.
type Values = Vec<(String, Vec<usize>, Vec<u8>)>;

fn random_values(tensors: Vec<(String, Vec<usize>)>) -> Values {
    let mut random = fastrand::Rng::with_seed(1);
    let of_tensor = |(name, shape): (String, Vec<usize>)| {
        // The weights of norms are near one, and all other values are near zero.
        let centre = if name.ends_with("LayerNorm.weight") { 1.0 } else { 0.0 };
        let count = shape.iter().product::<usize>();
        let bytes = (0..count).flat_map(|_| (centre + (random.f32() - 0.5) * 0.4).to_le_bytes()).collect();
        (name, shape, bytes)
    };
    tensors.into_iter().map(of_tensor).collect()
}

/// Writes the tensors, the tokenizer, and the configuration of a model of `kind` with `positions` positions. `more` has
/// further settings.
fn write_folder(folder: &Path, values: &Values, (kind, positions): (&str, usize), processor: &Value, more: &Value) {
    let views = values.iter().map(|(name, shape, bytes)| {
        (name.as_str(), TensorView::new(Dtype::F32, shape.clone(), bytes).expect("sizes fit"))
    });
    serialize_to_file(views, None, &folder.join("model.safetensors")).expect("a file");
    let write = |file: &str, value: Value| {
        std::fs::write(folder.join(file), value.to_string()).expect("a file");
    };
    let mut config = json!({
            "model_type": kind, "hidden_size": HIDDEN, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS,
            "intermediate_size": INTERMEDIATE, "max_position_embeddings": positions, "vocab_size": PIECES.len(),
            "layer_norm_eps": 1e-12, "hidden_act": "gelu", "relative_attention_num_buckets": DISTANCES
    });
    config.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    write("config.json", config);
    let vocab: serde_json::Map<_, _> =
        PIECES.iter().enumerate().map(|(id, piece)| ((*piece).into(), id.into())).collect();
    write(
        "tokenizer.json",
        json!({
            "version": "1.0",
            "added_tokens": [],
            "normalizer": { "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true },
            "pre_tokenizer": { "type": "BertPreTokenizer" },
            "post_processor": processor,
            "model": { "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": vocab }
        }),
    );
}

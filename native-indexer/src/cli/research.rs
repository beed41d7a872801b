//! `nearfind research`: maps what a bundle contains on questions, in clusters.

use super::bundle_arguments::{BundleArguments, location};
use super::config_arguments::ProviderArguments;
use super::grep::NarrowingArguments;
use super::print_hits::plain;
use anyhow::{Context as _, Result};
use clap::Args;
use nearfind_base::location::Location;
use nearfind_base::remark;
use nearfind_base::terminal::print_json;
use nearfind_bundles::library::View;
use nearfind_bundles::research::{
    CLUSTER_TOKENS, Citation, Cluster, Passage, Report, ResearchMap, ResearchQuestion, Section, Step, tie_words,
};
use nearfind_core::search::{Filter, PROJECT};
use nearfind_models::model::ModelStore;
use std::io::Write;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    bundle: BundleArguments,
    /// The questions; several are explored together
    #[arg(required = true)]
    questions: Vec<String>,
    /// Another index to search together with the first; can be repeated
    #[arg(long = "and", value_name = "INDEX", value_parser = location)]
    others: Vec<Location>,
    #[command(flatten)]
    narrowed: NarrowingArguments,
    /// Print the passages of this cluster
    #[arg(long, value_name = "NUMBER")]
    cluster: Option<usize>,
    /// Let the language model in [language_model] write a report
    #[arg(long, conflicts_with = "cluster")]
    write: bool,
    /// Merge clusters up to this many tokens
    #[arg(long, value_name = "TOKENS", default_value_t = CLUSTER_TOKENS)]
    cluster_tokens: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print no warnings
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    providers: ProviderArguments,
}

/// Number of lines of a passage in the map.
const LINES: usize = 3;
/// Number of symbols or sections of a file in the map.
const ABOUT: usize = 4;
/// Number of files of a cluster in the map.
const FILES: usize = 8;

pub(super) fn run(arguments: &Arguments, store: &ModelStore) -> Result<ExitCode> {
    let library = arguments.bundle.open_with(&arguments.others, None, arguments.providers.providers()?, store)?;
    let mut question = ResearchQuestion {
        questions: arguments.questions.clone(),
        filters: Vec::new(),
        path: arguments.narrowed.path()?,
        cluster_tokens: arguments.cluster_tokens,
    };
    let mut narrow = |view: &View| -> Result<()> {
        let projects = arguments.narrowed.projects(view)?;
        question.filters = Filter::of_pairs(projects.into_iter().map(|name| (PROJECT.to_owned(), name)));
        Ok(())
    };
    library.read(&mut narrow)?;
    let warn = |map: &ResearchMap| {
        if !arguments.quiet {
            map.notices.iter().for_each(|notice| remark!("warning: {notice}"));
        }
    };
    if arguments.write {
        let model = library.language_model().context("--write")?;
        let progress = |said: &str| {
            if !arguments.quiet {
                remark!("{}", plain(said));
            }
        };
        let report = library.read(|view| library.report(view, &question, &model, &|| Ok(()), &progress))?;
        warn(&report.map);
        if arguments.json {
            print_json(&report)?;
        } else {
            print_report(&mut std::io::stdout(), &report).context("standard output")?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let map = library.read(|view| library.research(view, &question))?;
    warn(&map);
    let cluster = arguments.cluster.map(|number| map.cluster(number)).transpose()?;
    let mut out = std::io::stdout();
    match cluster {
        Some(cluster) if arguments.json => print_json(cluster)?,
        Some(cluster) => print_cluster(&mut out, cluster).context("standard output")?,
        None if arguments.json => print_json(&map)?,
        None => print_map(&mut out, &map).context("standard output")?,
    }
    Ok(ExitCode::SUCCESS)
}

fn print_map(out: &mut impl Write, map: &ResearchMap) -> std::io::Result<()> {
    let ResearchMap { num_clusters, num_native_clusters, num_outliers, passages, files, .. } = map;
    writeln!(
        out,
        "{num_clusters} clusters of {passages} passages in {files} files ({num_native_clusters} by density, {num_outliers} outliers)"
    )?;
    for cluster in &map.clusters {
        writeln!(out, "\n{}. {}  [{} tokens]", cluster.number, plain(&cluster.name), cluster.tokens)?;
        for file in cluster.files.iter().take(FILES) {
            let lines: Vec<String> = file.lines.iter().map(|(first, last)| format!("{first}-{last}")).collect();
            let about = plain(&file.about[..file.about.len().min(ABOUT)].join(", "));
            writeln!(out, "   {}/{}:{}  {about}", plain(&file.project), plain(&file.path), lines.join(","))?;
        }
        if cluster.files.len() > FILES {
            writeln!(out, "   and {} more files", cluster.files.len() - FILES)?;
        }
        for passage in cluster.representatives.iter().map(|&place| &cluster.passages[place]) {
            writeln!(out, "   {}", plain(&passage.citation()))?;
            for line in passage.text.lines().filter(|line| !line.trim().is_empty()).take(LINES) {
                writeln!(out, "   | {}", plain(line))?;
            }
        }
    }
    if !map.ties.is_empty() {
        writeln!(out)?;
    }
    for tie in &map.ties {
        writeln!(out, "{} -> {}: {}", tie.from, tie.to, plain(&tie_words(&tie.names, &tie.links, &tie.files)))?;
    }
    if !map.next.is_empty() {
        writeln!(out, "\nnext:")?;
    }
    for step in &map.next {
        let step = match step {
            Step::ReadCluster(number) => format!("read cluster {number}: --cluster {number}"),
            Step::ReadFile(project, path) => format!("read {project}/{path}: nearfind show"),
            Step::Callers(symbol) => format!("see what calls {symbol}: nearfind symbol --want callers"),
            Step::AskAgain(number) => {
                format!("ask in other words, because nothing was found: {}", map.questions[number - 1])
            }
        };
        writeln!(out, "- {}", plain(&step))?;
    }
    Ok(())
}

fn print_report(out: &mut impl Write, report: &Report) -> std::io::Result<()> {
    if report.answer.is_empty() {
        return print_map(out, &report.map);
    }
    writeln!(out, "{}\n", plain(&report.answer))?;
    for Section { cluster, name, text } in &report.sections {
        writeln!(out, "{cluster}. {}\n{}\n", plain(name), plain(text))?;
    }
    for Citation { number, passage, url } in &report.citations {
        writeln!(out, "[{number}] {}  {}", plain(passage), plain(url.as_deref().unwrap_or_default()))?;
    }
    let Report { left_out, doubtful, .. } = report;
    if left_out + doubtful > 0 {
        writeln!(
            out,
            "\n{left_out} statements that cite nothing were left out; {doubtful} are marked (?), because the cited passages share hardly any words with them"
        )?;
    }
    Ok(())
}

fn print_cluster(out: &mut impl Write, cluster: &Cluster) -> std::io::Result<()> {
    for passage in &cluster.passages {
        let Passage { title, section, text, .. } = passage;
        let headings = if section.is_empty() { title.clone() } else { format!("{title} > {section}") };
        writeln!(out, "{}  {}\n{}\n", plain(&passage.citation()), plain(&headings), plain(text.trim_end()))?;
    }
    Ok(())
}

//! `nearfind symbol`: finds definitions and their uses.

use super::bundle_arguments::{BundleArguments, location};
use super::grep::NarrowingArguments;
use super::print_hits::plain;
use anyhow::Result;
use clap::{Args, ValueEnum};
use nearfind_base::location::Location;
use nearfind_base::terminal::print_json;
use nearfind_base::{remark, say};
use nearfind_bundles::library::{FoundSymbol, SymbolQuestion, SymbolReply, SymbolUse, Want};
use nearfind_indexing::source::last_changes;
use nearfind_models::model::ModelStore;
use nearfind_models::provider::ProviderSettings;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    bundle: BundleArguments,
    /// The name, alone or qualified: `send`, `Session.send`, `Session::send`
    name: String,
    /// Another index to search together with the first; can be repeated
    #[arg(long = "and", value_name = "INDEX", value_parser = location)]
    others: Vec<Location>,
    /// What to show
    #[arg(long, value_enum, default_value_t = WantArgument::Definition)]
    want: WantArgument,
    /// Show which commit last changed each definition
    #[arg(long)]
    blame: bool,
    #[command(flatten)]
    narrowed: NarrowingArguments,
    /// Maximum number of results to show
    #[arg(short = 'n', long, default_value_t = 20)]
    limit: usize,
    /// Number of results to skip at the start
    #[arg(long, default_value_t = 0)]
    offset: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// [`Want`] as an argument.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum WantArgument {
    /// Where it is defined
    Definition,
    /// Every line that mentions it
    References,
    /// The functions that mention it
    Callers,
    /// The definitions that its code mentions
    Callees,
    /// What is defined in it
    Members,
}

impl From<WantArgument> for Want {
    fn from(argument: WantArgument) -> Self {
        match argument {
            WantArgument::Definition => Self::Definition,
            WantArgument::References => Self::References,
            WantArgument::Callers => Self::Callers,
            WantArgument::Callees => Self::Callees,
            WantArgument::Members => Self::Members,
        }
    }
}

pub(super) fn run(arguments: &Arguments, store: &ModelStore) -> Result<ExitCode> {
    let library = arguments.bundle.open_with(&arguments.others, None, ProviderSettings::default(), store)?;
    let mut question = SymbolQuestion {
        name: arguments.name.clone(),
        want: arguments.want.into(),
        projects: Vec::new(),
        path: arguments.narrowed.path()?,
        offset: arguments.offset,
        limit: arguments.limit,
    };
    let reply = library.read(|view| {
        question.projects = arguments.narrowed.projects(view)?;
        let mut reply = view.symbol(&question)?;
        if arguments.blame {
            view.note_last_changes(&mut reply.definitions, last_changes);
        }
        Ok(reply)
    })?;
    if arguments.json {
        print_json(&reply)?;
    } else {
        print(&reply, arguments);
    }
    Ok(ExitCode::SUCCESS)
}

fn print(reply: &SymbolReply, arguments: &Arguments) {
    reply.notices.iter().for_each(|notice| remark!("warning: {notice}"));
    reply.definitions.iter().for_each(print_symbol);
    let shown = match arguments.want {
        WantArgument::Definition => reply.definitions.len(),
        WantArgument::References | WantArgument::Callers => {
            let of = if reply.total_lines == 1 { "1 line" } else { &format!("{} lines", reply.total_lines) };
            say!("\nmentioned on {of}:");
            reply.uses.iter().for_each(print_use);
            reply.uses.len()
        }
        WantArgument::Callees | WantArgument::Members => {
            say!("");
            reply.symbols.iter().for_each(print_symbol);
            reply.symbols.len()
        }
    };
    let next = arguments.offset + shown;
    if next < reply.total {
        say!("\n{next} of {} shown: --offset {next} shows more", reply.total);
    }
}

fn print_symbol(symbol: &FoundSymbol) {
    let (first, last) = symbol.lines;
    say!(
        "{}/{}:{first}-{last}  {} {}",
        plain(&symbol.project),
        plain(&symbol.path),
        symbol.kind.name(),
        plain(&symbol.symbol)
    );
    for text in [&symbol.signature, &symbol.comment, &symbol.last_change].into_iter().filter(|text| !text.is_empty()) {
        say!("    {}", plain(text));
    }
}

fn print_use(place: &SymbolUse) {
    let lines: Vec<String> = place.lines.iter().map(u32::to_string).collect();
    let around = if place.symbol.is_empty() { String::new() } else { format!("  [{}]", plain(&place.symbol)) };
    say!("{}/{}:{}{around}", plain(&place.project), plain(&place.path), lines.join(","));
    say!("    {}", plain(&place.text));
}

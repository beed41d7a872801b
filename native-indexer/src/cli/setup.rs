use super::bundle_arguments::location;
use super::repository_index::repository_around;
use anyhow::{Context as _, Result, bail, ensure};
use clap::{Args, ValueEnum as _};
use nearfind_base::location::Location;
use nearfind_base::{remark, say};
use nearfind_mcp::setup::{Change, ConfigPlace, Machine, OwnedFile, agents_file, changed, differing_lines, with_block};
use nearfind_mcp::{Client, Reached};
use std::io::{BufRead as _, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Configure only this agent; can be repeated [default: all agents that are found]
    #[arg(value_enum, value_name = "CLIENT")]
    clients: Vec<Client>,
    /// Let agents connect to a running server at this address, such as http://127.0.0.1:5173/mcp, instead of starting
    /// one
    #[arg(long, value_name = "URL", conflicts_with_all = ["bundle", "remove"])]
    http: Option<String>,
    /// Serve this index instead of the repository that an agent works in; can be repeated
    #[arg(long, value_name = "PLACE", value_parser = location, conflicts_with = "remove")]
    bundle: Vec<Location>,
    /// Remove the server from the configuration
    #[arg(long)]
    remove: bool,
    /// Also add a marked block about the server to the repository's AGENTS.md or CLAUDE.md
    #[arg(long)]
    agents_md: bool,
    /// Write without asking
    #[arg(short, long)]
    yes: bool,
}

/// A file, and the text that it will have.
struct Edit {
    title: String,
    path: PathBuf,
    file: OwnedFile,
    after: String,
}

pub(super) fn run(arguments: &Arguments, models: Option<&PathBuf>) -> Result<ExitCode> {
    let program = program()?;
    ensure!(
        arguments.remove || arguments.http.is_some() || !is_of_npx(&program),
        "{}: this program is in a cache that npm clears: install nearfind first, for example with `npm install -g nearfind`",
        program.display()
    );
    let machine = machine()?;
    let (mut edits, mut problems, mut found) = (Vec::new(), 0, 0);
    let all = Client::value_variants().iter().copied();
    for client in all.filter(|client| arguments.clients.is_empty() || arguments.clients.contains(client)) {
        let Some(place) = machine.find(client) else {
            if arguments.clients.contains(&client) {
                remark!("error: {} is not on this machine: {}", client.title(), client.place());
                problems += 1;
            }
            continue;
        };
        found += 1;
        let is_named = arguments.clients.contains(&client);
        // Claude Desktop works in no repository, so it needs a bundle.
        if client == Client::ClaudeDesktop && !is_named && arguments.bundle.is_empty() && !arguments.remove {
            say!(
                "{}: skipped, because it does not work in a repository; name an index for it with --bundle",
                client.title()
            );
            continue;
        }
        match edit_of(client, &place, arguments, models) {
            Ok(Some(edit)) => edits.push(edit),
            Ok(None) => say!("{}: {} is up to date", client.title(), place.file.display()),
            Err(error) => {
                remark!("error: {}: {error:#}; it is left unchanged", client.title());
                problems += 1;
            }
        }
    }
    if arguments.agents_md {
        edits.extend(edit_of_repository(!arguments.remove)?);
    } else if found == 0 && problems == 0 {
        say!(
            "found no agent that nearfind knows: `nearfind mcp --print-config CLIENT` prints the configuration of one"
        );
    }
    for Edit { title, path, file, after } in &edits {
        say!("{title}: {}", path.display());
        say!("{}", differing_lines(file.text(), after));
    }
    let is_wanted = !edits.is_empty() && (arguments.yes || asked()?);
    for Edit { path, file, after, .. } in edits.iter().filter(|_| is_wanted) {
        match file.replace(after) {
            Ok(Some(backup)) => say!("{} written; the old version is {}", path.display(), backup.display()),
            Ok(None) => say!("{} written", path.display()),
            Err(error) => {
                remark!("error: {error:#}");
                problems += 1;
            }
        }
    }
    Ok(if problems == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Asks whether to write the changes. Without a terminal, only `--yes` writes them.
fn asked() -> Result<bool> {
    if !std::io::stdin().is_terminal() {
        say!("nothing is written without --yes");
        return Ok(false);
    }
    say!("write this? [y/N]");
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn machine() -> Result<Machine> {
    let home = etcetera::home_dir().context("there is no home directory")?;
    let variables = Machine::VARIABLES
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), PathBuf::from(std::env::var_os(name)?))))
        .filter(|(_, folder)| folder.is_absolute());
    Ok(Machine { home, variables: variables.collect() })
}

fn edit_of(
    client: Client,
    place: &ConfigPlace,
    arguments: &Arguments,
    models: Option<&PathBuf>,
) -> Result<Option<Edit>> {
    let file = OwnedFile::read(&place.file, &place.folder)?;
    let change = if arguments.remove { Change::Remove } else { Change::Enter(reached(client, arguments, models)?) };
    let after = changed(client, file.text(), &change)?;
    Ok(after.map(|after| Edit { title: client.title().to_owned(), path: place.file.clone(), file, after }))
}

/// Returns how `client` will reach the server.
fn reached(client: Client, arguments: &Arguments, models: Option<&PathBuf>) -> Result<Reached> {
    if let Some(url) = &arguments.http {
        return Ok(Reached::Address { url: url.clone(), has_token: false });
    }
    let text = |path: &Path| -> Result<String> {
        let path = std::path::absolute(path)?;
        Ok(path.to_str().with_context(|| format!("{} is not valid Unicode", path.display()))?.to_owned())
    };
    let mut command = Vec::new();
    if let Some(models) = models {
        command.extend(["--models".to_owned(), text(models)?]);
    }
    command.push("mcp".to_owned());
    for bundle in &arguments.bundle {
        let place = match bundle {
            Location::Published(url) => url.to_string(),
            Location::Folder(folder) => text(folder)?,
        };
        command.extend(["--bundle".to_owned(), place]);
    }
    if arguments.bundle.is_empty() {
        match client {
            Client::ClaudeDesktop => bail!("it does not work in a repository: name an index with --bundle"),
            _ => command.extend(
                client.folder_variable().into_iter().flat_map(|folder| ["--folder".to_owned(), folder.to_owned()]),
            ),
        }
    }
    Ok(Reached::Command { program: text(&program()?)?, arguments: command })
}

fn program() -> Result<PathBuf> {
    std::env::current_exe().context("the path of this program is unknown")
}

/// Returns whether `npx` fetched a program for a single run.
fn is_of_npx(program: &Path) -> bool {
    program.components().any(|part| part.as_os_str() == "_npx")
}

/// Returns the edit of the block in the file that agents read, in the repository around the current folder.
fn edit_of_repository(is_wanted: bool) -> Result<Option<Edit>> {
    let here = std::env::current_dir().context("the current folder is unknown")?;
    let root = repository_around(&here).unwrap_or(&here);
    let path = agents_file(root);
    let file = OwnedFile::read(&path, root)?;
    let after = with_block(file.text(), is_wanted).with_context(|| path.display().to_string())?;
    Ok(after.map(|after| Edit { title: "this repository".to_owned(), path, file, after }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_npx_fetched_is_known() {
        assert!(is_of_npx(Path::new("/home/a/.npm/_npx/0123456789abcdef/node_modules/nearfind/bin/nearfind")));
        assert!(!is_of_npx(Path::new("/usr/lib/node_modules/nearfind/bin/nearfind")));
    }
}

use super::bundle_arguments::{PublishedArguments, location};
use super::config_arguments::ConfigArguments;
use super::other_repositories::CachedRepositories;
use super::repository_index::{RepositoryIndex, repository_around};
use anyhow::{Context as _, Result, ensure};
use clap::Args;
use nearfind_base::location::Location;
use nearfind_base::{remark, say};
use nearfind_bundles::library::{Library, LibraryOptions, discover};
use nearfind_indexing::config::{CONFIG_FILE, Config, how_to_build};
use nearfind_indexing::source::last_changes;
use nearfind_mcp::{
    BackgroundIndex, Budget, Client, HttpOptions, OtherRepositories, Reached, Server, ServerOptions, TOKEN_VARIABLE,
    ToolSet, UpdateCommand, client_config, serve_http, serve_stdio,
};
use nearfind_models::model::ModelStore;
use nearfind_models::provider::LanguageSettings;
use std::ffi::OsString;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use url::Url;

/// How long the process waits at its end for tasks that are still running.
const LAST_WAIT: Duration = Duration::from_secs(2);

/// The first argument: a site, or a transport, as in the commands of other servers.
#[derive(Clone, Debug, PartialEq, Eq)]
enum First {
    Site(Url),
    Stdio,
    Http,
}

impl FromStr for First {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "stdio" => Ok(Self::Stdio),
            "http" => Ok(Self::Http),
            _ => {
                let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
                let url = url.with_context(|| {
                    format!(
                        "{text:?} is not the address of a site, such as https://docs.example.org/; to name an index, use --bundle"
                    )
                })?;
                Ok(Self::Site(url))
            }
        }
    }
}

/// The default length of a response, in tokens.
const RESPONSE_TOKENS: u64 = 20_000;
/// The default port of the server over HTTP.
const HTTP_PORT: u16 = 5173;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Address of a site that names its index, or whose page contains the search box. For compatibility with other
    /// servers, this argument can also be `stdio`, or `http` with --port
    #[arg(value_name = "SITE")]
    first: Option<First>,
    /// The port to listen on
    #[arg(long, hide = true, requires = "first", conflicts_with = "http")]
    port: Option<u16>,
    /// An index: its folder, @NAME for the index of a collection, or its address, such as
    /// https://docs.example.org/search/ or s3://bucket/docs. Can be repeated; the indexes are then searched as one
    /// [default: the index of nearfind.toml, else a cached index of the repository that contains the current folder]
    #[arg(long, value_name = "PLACE", value_parser = location)]
    bundle: Vec<Location>,
    #[command(flatten)]
    config: ConfigArguments,
    /// Folder to run in, for clients that do not start servers in the repository's folder
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Serve many clients over HTTP instead of one client over standard input and output
    #[arg(long, value_name = "ADDRESS:PORT", num_args = 0..=1, default_missing_value = "127.0.0.1:5173")]
    http: Option<SocketAddr>,
    /// File that contains the token that clients must send over HTTP [default: the token in NEARFIND_MCP_TOKEN]
    #[arg(long, value_name = "FILE", requires = "http")]
    token_file: Option<PathBuf>,
    /// Host name that clients use to reach this machine; can be repeated
    #[arg(long, value_name = "HOST", requires = "http")]
    allow_host: Vec<String>,
    /// Origin of pages that may call the server, such as https://docs.example.org; can be repeated
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    allow_origin: Vec<String>,
    /// Keep no state between requests, so that any of several servers behind one address can answer each request
    #[arg(long, requires = "http")]
    stateless: bool,
    /// Add a tool that brings the index of nearfind.toml up to date
    #[arg(long)]
    allow_update: bool,
    /// Update the index of nearfind.toml at the start and whenever it is older than this number of hours
    #[arg(long, value_name = "HOURS", env = "NEARFIND_UPDATE_HOURS", value_parser = hours)]
    update_every: Option<Duration>,
    /// Let calls name other repositories below this folder, with the argument `repository`; can be repeated. The first
    /// call that names a repository builds its index, which stays in the cache
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["no_watch", "connector"])]
    allow_root: Vec<PathBuf>,
    /// Let calls name git repositories whose addresses begin with this URL, such as https://github.com/honojs/; can be
    /// repeated. The first call that names a repository fetches it
    #[arg(long, value_name = "URL", conflicts_with_all = ["no_watch", "connector"], value_parser = git_address)]
    allow_git: Vec<String>,
    /// Do not update the index when files change. By default, without --bundle, the server builds the index if there is
    /// none, and keeps it up to date
    #[arg(long)]
    no_watch: bool,
    /// Maximum number of tokens in a response
    #[arg(long, value_name = "TOKENS", default_value_t = RESPONSE_TOKENS, value_parser = clap::value_parser!(u64).range(Budget::TOKENS.start()..=Budget::TOKENS.end()))]
    max_response_tokens: u64,
    /// Also send results as JSON, with schemas; in many clients, this takes more than twice as many tokens
    #[arg(long)]
    structured: bool,
    /// Offer only the tools search and fetch, in the form that ChatGPT's connectors and deep research expect
    #[arg(long)]
    connector: bool,
    /// List only the tools search, get_document, grep and symbol; this list takes half as many tokens as the whole one
    #[arg(long, conflicts_with = "connector")]
    lean: bool,
    #[command(flatten)]
    published: PublishedArguments,
    /// Print what to add to a client's configuration to start this server, and exit
    #[arg(long, value_enum, value_name = "CLIENT")]
    print_config: Option<Client>,
}

impl Arguments {
    /// Returns the options that change how the server answers, for the command that clients run. `text` converts a
    /// path.
    fn serving_options(&self, text: impl Fn(PathBuf) -> Result<String>) -> Result<Vec<String>> {
        let mut options = Vec::new();
        let flags = [
            (self.connector, "--connector"),
            (self.lean, "--lean"),
            (self.structured, "--structured"),
            (self.no_watch, "--no-watch"),
        ];
        for (is_set, flag) in flags {
            options.extend(is_set.then(|| flag.to_owned()));
        }
        if self.max_response_tokens != RESPONSE_TOKENS {
            options.extend(["--max-response-tokens".to_owned(), self.max_response_tokens.to_string()]);
        }
        for root in &self.allow_root {
            options.extend(["--allow-root".to_owned(), text(std::path::absolute(root)?)?]);
        }
        for address in &self.allow_git {
            options.extend(["--allow-git".to_owned(), address.clone()]);
        }
        if let Some(folder) = self.published.folder() {
            options.extend(["--cache".to_owned(), text(std::path::absolute(folder)?)?]);
        }
        Ok(options)
    }
}

pub(super) fn run(arguments: &Arguments, store: ModelStore, models: Option<&PathBuf>) -> Result<ExitCode> {
    if let Some(folder) = &arguments.folder {
        std::env::set_current_dir(folder).with_context(|| format!("--folder {}", folder.display()))?;
    }
    let place = Place::of(arguments)?;
    let (locations, config) = (&place.locations, &place.config);
    let program = std::env::current_exe().context("the path of this program is unknown")?;
    let models = models.map(std::path::absolute).transpose()?;
    if let Some(client) = arguments.print_config {
        print_config(
            client,
            &program,
            arguments,
            // A client starts the server inside the repository.
            if place.repository.is_some() { &[][..] } else { locations },
            place.repository.as_ref().map(|repository| repository.root.as_path()),
            config.as_ref().map(|config| config.path.as_path()),
            models,
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    let with_models = |rest: Vec<OsString>| {
        let models = models.clone().map(|folder| [OsString::from("--models"), folder.into()]);
        models.into_iter().flatten().chain(rest).collect::<Vec<OsString>>()
    };
    let cache = arguments.published.folder().map(std::path::absolute).transpose()?;
    let of_config = || {
        let mut command: Vec<OsString> = vec!["update".into()];
        command.extend(place.config_options(arguments));
        command.extend(cache.iter().flat_map(|folder| [OsString::from("--cache"), folder.clone().into()]));
        command
    };
    let update_command = || {
        let command = of_config().into_iter().chain([OsString::from("--draft")]).collect();
        UpdateCommand::new(program.clone().into(), with_models(command))
    };
    let update = config.as_ref().filter(|_| arguments.allow_update).map(|_| update_command());
    if let (Some(interval), Some(config)) = (arguments.update_every, config) {
        Server::keep_fresh(update_command(), config.output()?, interval, |problem| remark!("warning: {problem}"));
    }
    // An index that is only read is also in use.
    if let Some(repository) = place.repository.as_ref().filter(|index| !arguments.no_watch || index.bundle.exists()) {
        match repository.begin(&arguments.published.cache()) {
            Err(problem) if arguments.no_watch => remark!("warning: {problem:#}"),
            begun => begun?,
        }
    }
    let kept = match (&place.repository, config) {
        _ if arguments.no_watch || arguments.update_every.is_some() => None,
        (Some(repository), _) => Some(repository.command(&arguments.published)),
        (None, Some(config)) if place.is_kept && can_be_kept(config) => {
            let mut command = of_config();
            command.extend(["--watch", "--for-server"].map(OsString::from));
            Some(command)
        }
        (None, _) => None,
    };
    let background = kept.map(|command| BackgroundIndex::start(program.clone().into(), with_models(command)));
    let providers = match config {
        Some(config) => config.providers(),
        None => arguments.config.providers()?,
    };
    // The folders of this machine help only clients on this machine.
    let is_here =
        http_address(arguments).is_none_or(|address| address.ip().is_loopback()) && arguments.allow_host.is_empty();
    let budget = Budget::of_tokens(arguments.max_response_tokens as usize);
    let others = (!arguments.allow_root.is_empty() || !arguments.allow_git.is_empty()).then(|| {
        let start = CachedRepositories {
            program: program.clone(),
            options: with_models(Vec::new()),
            store: store.clone(),
            published: arguments.published.clone(),
            budget,
            structured: arguments.structured,
            shows_roots: is_here,
        };
        OtherRepositories::new(&arguments.allow_root, arguments.allow_git.clone(), Box::new(start))
    });
    let others = others.transpose()?;
    let library = Library::open(
        locations,
        LibraryOptions {
            store,
            cache: arguments.published.cache(),
            model: None,
            fetch_models: true,
            providers,
            how_to_build: if update.is_some() { by_its_tool } else { how_to_build },
        },
    )?;
    if background.is_none() {
        library.view().problems.iter().for_each(|problem| remark!("warning: {problem}"));
    }
    let options = ServerOptions {
        budget,
        others,
        update,
        background,
        structured: arguments.structured,
        tools: match (arguments.connector, arguments.lean) {
            (true, _) => ToolSet::Connector,
            (_, true) => ToolSet::Lean,
            _ => ToolSet::All,
        },
        shows_roots: is_here,
        last_changes,
    };
    let server = Server::new(library, options);
    server.warm_up();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let served = runtime.block_on(serve(server.clone(), arguments));
    server.end();
    // A read of standard input that never ends must not keep the process alive.
    runtime.shutdown_timeout(LAST_WAIT);
    served.map(|()| ExitCode::SUCCESS)
}

/// The bundles of a server, and where they come from.
struct Place {
    locations: Vec<Location>,
    config: Option<Config>,
    /// The configuration at the top of the repository, if it is used.
    found: Option<PathBuf>,
    /// The repository, if there is no configuration.
    repository: Option<RepositoryIndex>,
    /// Whether the bundle is the one of the configuration.
    is_kept: bool,
}

impl Place {
    /// Chooses the bundles that are named, or else the one of a configuration, or else the index of the repository
    /// around the current folder.
    fn of(arguments: &Arguments) -> Result<Self> {
        let mut named = arguments.bundle.clone();
        if let Some(First::Site(site)) = &arguments.first {
            let bundle = discover(site)?;
            remark!("the index of {site} is at {bundle}");
            named.insert(0, Location::Published(bundle));
        }
        let is_named = !named.is_empty();
        let updates = arguments.allow_update || arguments.update_every.is_some();
        if is_named && !updates {
            let locations = named;
            return Ok(Self { locations, config: None, found: None, repository: None, is_kept: false });
        }
        let here = std::env::current_dir().context("the current folder is unknown")?;
        let top = repository_around(&here).map(|top| top.join(CONFIG_FILE));
        let found = top.filter(|top| !arguments.config.is_named() && !Path::new(CONFIG_FILE).exists() && top.exists());
        if is_named || updates || found.is_some() || arguments.config.is_named() || Path::new(CONFIG_FILE).exists() {
            let config = arguments.config.config_at(found.as_deref())?;
            let locations = if is_named { named } else { vec![config.place()?] };
            return Ok(Self { locations, config: Some(config), found, repository: None, is_kept: !is_named });
        }
        let repository = RepositoryIndex::around(&here, &arguments.published.cache())?;
        let locations = vec![Location::Folder(repository.bundle.clone())];
        Ok(Self { locations, config: None, found: None, repository: Some(repository), is_kept: false })
    }

    /// Returns options that make another process read the same configuration.
    fn config_options(&self, arguments: &Arguments) -> Vec<OsString> {
        let found = self.found.iter().flat_map(|found| ["--config".into(), found.clone().into()]);
        found.chain(arguments.config.options()).collect()
    }
}

/// Returns whether the index of `config` may be kept up to date without being asked: it sends nothing to third-party
/// servers.
fn can_be_kept(config: &Config) -> bool {
    let is_written = config.language_model.as_ref().is_some_and(LanguageSettings::writes_for_index);
    let is_local = config.sources().is_ok_and(|sources| sources.iter().any(|source| source.git.is_none()));
    config.embedding().is_none() && !is_written && is_local && matches!(config.place(), Ok(Location::Folder(_)))
}

/// Returns how to build a bundle, for agents that may call `update_index`.
fn by_its_tool(folder: &Path) -> Option<String> {
    how_to_build(folder).map(|how| format!("{how}, or call update_index"))
}

/// Parses the beginning of the addresses of git repositories, which names at least a host.
fn git_address(text: &str) -> Result<String, String> {
    let url = Url::parse(text).map_err(|error| format!("{text:?} is not an address: {error}"))?;
    let is_known = matches!(url.scheme(), "https" | "http") && url.has_host() && url.username().is_empty();
    if is_known || url.scheme() == "file" {
        Ok(text.to_owned())
    } else {
        Err(format!("{text:?} is not an address like https://github.com/honojs/"))
    }
}

/// Parses a number of hours.
fn hours(text: &str) -> Result<Duration, String> {
    let hours: f64 = text.parse().map_err(|_| format!("{text:?} is not a number of hours"))?;
    Duration::try_from_secs_f64(hours * 3600.0).map_err(|error| error.to_string())
}

/// Returns the address to listen at, if the server uses HTTP.
fn http_address(arguments: &Arguments) -> Option<SocketAddr> {
    let by_name = (arguments.first == Some(First::Http))
        .then(|| (Ipv4Addr::LOCALHOST, arguments.port.unwrap_or(HTTP_PORT)).into());
    arguments.http.or(by_name)
}

async fn serve(server: Server, arguments: &Arguments) -> Result<()> {
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    tokio::spawn(async move {
        interrupted().await;
        stopped.cancel();
    });
    let follower = server.clone();
    tokio::spawn(async move { follower.follow_background().await });
    let Some(address) = http_address(arguments) else {
        return serve_stdio(server, tokio::io::stdin(), tokio::io::stdout(), stop).await;
    };
    let options = HttpOptions {
        address,
        token: token(arguments)?,
        hosts: arguments.allow_host.clone(),
        origins: arguments.allow_origin.clone(),
        stateless: arguments.stateless,
    };
    serve_http(server, options, stop, |address| remark!("serving MCP at http://{address}/mcp")).await
}

/// Reads the token that clients must send, if there is one. Fails if it is empty.
fn token(arguments: &Arguments) -> Result<Option<String>> {
    let token = match &arguments.token_file {
        Some(file) => Some(std::fs::read_to_string(file).with_context(|| format!("token file {}", file.display()))?),
        None => std::env::var(TOKEN_VARIABLE).ok(),
    };
    let token = token.map(|token| token.trim().to_owned());
    ensure!(token.as_ref().is_none_or(|token| !token.is_empty()), "the token is empty");
    Ok(token)
}

/// Returns when the process is asked to end.
async fn interrupted() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

fn print_config(
    client: Client,
    program: &Path,
    arguments: &Arguments,
    locations: &[Location],
    repository: Option<&Path>,
    config: Option<&Path>,
    models: Option<PathBuf>,
) -> Result<()> {
    let text = |path: PathBuf| {
        path.to_str().map(str::to_owned).with_context(|| format!("{} is not valid Unicode", path.display()))
    };
    let mut command = Vec::new();
    if let Some(models) = models {
        command.extend(["--models".to_owned(), text(models)?]);
    }
    command.push("mcp".to_owned());
    // These clients have one configuration for all folders, and start servers elsewhere.
    let elsewhere = repository.filter(|_| matches!(client, Client::ClaudeDesktop | Client::Windsurf));
    if let Some(top) = elsewhere {
        command.extend(["--folder".to_owned(), text(top.to_owned())?]);
    }
    // Clients may start servers in any folder, so paths are absolute.
    for location in locations {
        let location = match location {
            Location::Published(url) => url.to_string(),
            Location::Folder(folder) => text(std::path::absolute(folder)?)?,
        };
        command.extend(["--bundle".to_owned(), location]);
    }
    if let (true, Some(config)) = (arguments.allow_update, config) {
        command.extend(["--allow-update".to_owned(), "--config".to_owned(), text(std::path::absolute(config)?)?]);
    }
    command.extend(arguments.serving_options(text)?);
    let program = text(program.to_owned())?;
    let reached = match http_address(arguments) {
        Some(address) => {
            // A server that listens at all addresses is reached by a name.
            let host = arguments.allow_host.first().filter(|_| address.ip().is_unspecified());
            let at = match host {
                Some(host) => format!("{host}:{}", address.port()),
                None if address.ip().is_unspecified() => format!("{}:{}", Ipv4Addr::LOCALHOST, address.port()),
                None => address.to_string(),
            };
            Reached::Address { url: format!("http://{at}/mcp"), has_token: token(arguments)?.is_some() }
        }
        None => Reached::Command { program, arguments: command },
    };
    let printed = client_config(client, &reached)?;
    remark!("for {}:", client.place());
    say!("{printed}");
    Ok(())
}

//! Finds which modules of a crate use which others, by reading the tokens of the sources. Tests and re-exports do not
//! count: a re-export is only a name, and its users use the module that defines the item.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A module by its path from the root of the crate. The path of the root is empty.
pub type Module = Vec<String>;

/// Maximum number of re-exports that are followed in a row.
const MAX_HOPS: usize = 8;

/// The modules of a crate and their uses of each other.
#[derive(Debug, Default)]
pub struct ModuleGraph {
    /// The used modules, by module. A module that uses no other has an empty set.
    pub uses: BTreeMap<Module, BTreeSet<Module>>,
}

/// A path in the source of a module.
#[derive(Debug)]
struct Named {
    path: Vec<String>,
    /// The name of the imported item in the module, if the path is an import.
    alias: Option<String>,
    is_public: bool,
}

impl ModuleGraph {
    /// Reads the crate with its sources in `folder`.
    ///
    /// # Panics
    /// If a file cannot be read or is not Rust.
    pub fn of_crate(folder: &Path) -> Self {
        let mut named = BTreeMap::new();
        read_folder(folder, &Module::new(), &mut named);
        let graph = named.iter().map(|(module, paths)| {
            let is_used = |named: &&Named| !(named.is_public && named.alias.is_some());
            let used = paths.iter().filter(is_used).filter_map(|path| resolve(&named, module, &path.path, 0));
            (module.clone(), used.filter(|used| used != module).collect())
        });
        Self { uses: graph.collect() }
    }

    /// Returns the groups of two or more modules in which each module reaches every other.
    pub fn circles(&self) -> Vec<Vec<&Module>> {
        let reached: BTreeMap<&Module, BTreeSet<&Module>> =
            self.uses.keys().map(|module| (module, self.reached_from(module))).collect();
        let mut circles: Vec<Vec<&Module>> = Vec::new();
        for (module, from_it) in &reached {
            let circle: Vec<&Module> =
                from_it.iter().copied().filter(|other| reached[other].contains(module)).collect();
            if circle.len() > 1 && !circles.contains(&circle) {
                circles.push(circle);
            }
        }
        circles
    }

    fn reached_from(&self, module: &Module) -> BTreeSet<&Module> {
        let mut reached = BTreeSet::new();
        let mut open: Vec<&Module> = self.uses[module].iter().collect();
        while let Some(next) = open.pop() {
            if reached.insert(next) {
                open.extend(self.uses.get(next).into_iter().flatten());
            }
        }
        reached
    }
}

fn read_folder(folder: &Path, module: &Module, named: &mut BTreeMap<Module, Vec<Named>>) {
    for entry in fs::read_dir(folder).expect("a folder of sources").flatten() {
        let path = entry.path();
        let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let child = || module.iter().cloned().chain([stem.clone()]).collect::<Module>();
        if path.is_dir() {
            read_folder(&path, &child(), named);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let is_own = matches!(stem.as_str(), "mod" | "lib" | "main");
            let source = fs::read_to_string(&path).expect("a source");
            let tokens: TokenStream = source.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let paths = named.entry(if is_own { module.clone() } else { child() }).or_default();
            collect(tokens, paths);
        }
    }
}

/// Collects the paths in `tokens`.
fn collect(tokens: TokenStream, paths: &mut Vec<Named>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let text = |at: usize| tokens.get(at).map(ToString::to_string).unwrap_or_default();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Punct(punct) if punct.as_char() == '#' && is_test(&text(at + 1)) => {
                at = end_of_item(&tokens, at + 2);
                continue;
            }
            TokenTree::Ident(word) if word == "use" => {
                let end = (at..tokens.len()).find(|&end| text(end) == ";").unwrap_or(tokens.len());
                let is_public = at > 0 && (text(at - 1) == "pub" || text(at - 1).starts_with('('));
                imported(&tokens[at + 1..end], &[], is_public, paths);
                at = end;
            }
            TokenTree::Ident(_) if at == 0 || !matches!(text(at - 1).as_str(), ":" | ".") => {
                let mut path = vec![text(at)];
                while text(at + 1) == ":"
                    && text(at + 2) == ":"
                    && matches!(tokens.get(at + 3), Some(TokenTree::Ident(_)))
                {
                    path.push(text(at + 3));
                    at += 3;
                }
                if path.len() > 1 {
                    paths.push(Named { path, alias: None, is_public: false });
                }
            }
            TokenTree::Group(group) => collect(group.stream(), paths),
            _ => {}
        }
        at += 1;
    }
}

/// Returns whether an attribute restricts an item to tests.
fn is_test(attribute: &str) -> bool {
    let dense: String = attribute.chars().filter(|c| !c.is_whitespace()).collect();
    dense.starts_with("[cfg(test") || dense.starts_with("[cfg(all(test") || dense == "[test]"
}

/// Returns the position after the item that begins at `at`, that is, after its braces or its semicolon.
fn end_of_item(tokens: &[TokenTree], at: usize) -> usize {
    let ends = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        token => token.to_string() == ";",
    };
    (at..tokens.len()).find(|&end| ends(&tokens[end])).map_or(tokens.len(), |end| end + 1)
}

/// Collects the paths of one `use` declaration. `tokens` come after `prefix`.
fn imported(tokens: &[TokenTree], prefix: &[String], is_public: bool, paths: &mut Vec<Named>) {
    for one in tokens.split(|token| token.to_string() == ",") {
        let mut path = prefix.to_vec();
        let mut alias = None;
        let mut is_whole = true;
        for (at, token) in one.iter().enumerate() {
            match token {
                TokenTree::Group(group) => {
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    imported(&inner, &path, is_public, paths);
                    is_whole = false;
                }
                TokenTree::Ident(word) if word == "as" => {
                    alias = one.get(at + 1).map(ToString::to_string);
                    break;
                }
                TokenTree::Ident(word) if word == "self" && at == 0 && !prefix.is_empty() => {}
                TokenTree::Ident(word) => path.push(word.to_string()),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
        if is_whole && !one.is_empty() {
            let alias = alias.or_else(|| path.last().cloned());
            paths.push(Named { path, alias, is_public });
        }
    }
}

/// Returns the module that contains the item at `path`, as written in `module`, or `None` for items of other crates.
fn resolve(all: &BTreeMap<Module, Vec<Named>>, module: &Module, path: &[String], hops: usize) -> Option<Module> {
    let mut rest = path;
    let mut at = match rest.first()?.as_str() {
        "crate" => Module::new(),
        "self" | "super" => module.clone(),
        first => {
            let is_child = all.contains_key(&[module.as_slice(), &[first.to_owned()]].concat());
            is_child.then(|| module.clone())?
        }
    };
    while let Some(step @ ("crate" | "self" | "super")) = rest.first().map(String::as_str) {
        if step == "super" {
            at.pop();
        }
        rest = &rest[1..];
    }
    while let [next, behind @ ..] = rest {
        let child = [at.as_slice(), std::slice::from_ref(next)].concat();
        if !all.contains_key(&child) {
            break;
        }
        (at, rest) = (child, behind);
    }
    let Some(name) = rest.first().filter(|_| hops < MAX_HOPS) else { return Some(at) };
    let is_it = |named: &&Named| named.is_public && named.alias.as_ref() == Some(name);
    let handed_on = all.get(&at)?.iter().find(is_it);
    let further = handed_on.and_then(|named| resolve(all, &at, &[&named.path, &rest[1..]].concat(), hops + 1));
    Some(further.unwrap_or(at))
}

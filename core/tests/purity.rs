//! Core does no I/O, reads no clock and no environment, starts no thread, prints nothing and holds no global state.
//! The sources are read token by token: a lint that bans items by name lets every item through that its list does not name.

#![cfg(not(target_family = "wasm"))]

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::path::Path;

/// Modules of the standard library that reach the host.
const HOST_MODULES: [&str; 9] = ["env", "fs", "io", "net", "os", "path", "process", "thread", "time"];
/// Macros that print, or that keep a value for each thread.
const HOST_MACROS: [&str; 6] = ["print", "println", "eprint", "eprintln", "dbg", "thread_local"];

/// What in `source` ties it to a host, in words.
fn violations(source: &str) -> Vec<String> {
    let tokens: TokenStream = source.parse().expect("Rust");
    let mut found = Vec::new();
    look(tokens, &mut found);
    found
}

fn look(tokens: TokenStream, found: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |at: usize, text: &str| tokens.get(at).is_some_and(|token| token.to_string() == text);
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => look(group.stream(), found),
            TokenTree::Ident(name) if name == "std" => {
                if is(at + 1, "as") {
                    found.push("`std` under another name".to_owned());
                }
                if is(at + 1, ":") && is(at + 2, ":") {
                    modules_of(tokens.get(at + 3), found);
                }
            }
            // In `'static` a quote comes before it.
            TokenTree::Ident(name) if name == "static" && (at == 0 || !is(at - 1, "'")) => {
                found.push("a static".to_owned());
            }
            TokenTree::Ident(name) if is(at + 1, "!") && HOST_MACROS.iter().any(|banned| name == banned) => {
                found.push(format!("{name}!"));
            }
            _ => {}
        }
    }
}

/// The modules of `std` that `imported` names: one, or several in braces.
fn modules_of(imported: Option<&TokenTree>, found: &mut Vec<String>) {
    let mut check = |name: String| {
        if name == "*" || name == "self" || HOST_MODULES.contains(&name.as_str()) {
            found.push(format!("std::{name}"));
        }
    };
    match imported {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
            let mut is_first = true;
            for token in group.stream() {
                if is_first {
                    check(token.to_string());
                }
                is_first = token.to_string() == ",";
            }
        }
        Some(token) => check(token.to_string()),
        None => {}
    }
}

fn check_folder(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            check_folder(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let source = std::fs::read_to_string(&path).expect("a source");
            found.extend(violations(&source).iter().map(|what| format!("{}: {what}", path.display())));
        }
    }
}

#[test]
fn core_reaches_no_host() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for folder in ["src", "kernels/src"] {
        check_folder(&root.join(folder), &mut found);
    }
    assert!(found.is_empty(), "the host brings bytes and time, and holds what lasts:\n{}", found.join("\n"));
}

#[test]
fn what_reaches_a_host_is_found() {
    for source in [
        "fn f() { std::fs::read_to_string(\"a\"); }",
        "fn f() { let _ = ::std::fs::File::open(\"a\"); }",
        "use std::{cmp::Ordering, fs, fmt};",
        "use std::net::TcpStream;",
        "fn f() { std::process::Command::new(\"a\"); }",
        "fn f() { std::env::var_os(\"A\"); }",
        "fn f() { std::thread::scope(|_| ()); }",
        "use std::time::Instant;",
        "use std::io::Write as _;",
        "use std as host;",
        "use std::*;",
        "fn f() { println!(\"a\"); }",
        "fn f() { vec![{ eprintln!(\"a\"); 1 }]; }",
        "static COUNT: AtomicU32 = AtomicU32::new(0);",
        "fn f() { static mut COUNT: u32 = 0; }",
        "thread_local! { static A: u32 = 0; }",
    ] {
        assert!(!violations(source).is_empty(), "{source}");
    }
    for source in [
        "fn name() -> &'static str { \"std::fs\" }",
        "use std::{borrow::Cow, collections::BTreeMap, fmt, rc::Rc};",
        "/// Reads `std::fs`, println!\nfn f(time: u32, path: &str) {}",
    ] {
        assert_eq!(violations(source), Vec::<String>::new(), "{source}");
    }
}

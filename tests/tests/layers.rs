//! Checks which crates and modules may use which others. Each list contains the modules of a crate from the ground up. A
//! module uses only modules before it in the list, and the files of a module have no cycles.

use nearfind_tests::module_graph::{Module, ModuleGraph};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A crate: its folder, the project's own crates that it may use, and its modules, lowest first. The root of a crate is
/// the module with an empty name.
struct Floors {
    folder: &'static str,
    uses: &'static [&'static str],
    modules: &'static [&'static str],
}

const CRATES: [Floors; 12] = [
    Floors {
        folder: "core/kernels",
        uses: &[],
        modules: &[
            "whole_numbers",
            "instruction_set",
            "shared_bytes",
            "",
            "panels",
            "exponential",
            "gelu",
            "finish",
            "activations",
            "layer_norm",
            "attention",
            "matmul",
            "linear",
            "group_rows",
        ],
    },
    Floors {
        folder: "core",
        uses: &["nearfind-kernels"],
        modules: &[
            "collection",
            "format",
            "analysis",
            "lexical",
            "vector",
            "embed",
            "query_encoder",
            "records",
            "reader",
            "rank",
            "excerpt",
            "symbols",
            "search",
            "content",
            "grep",
            "bundle",
        ],
    },
    Floors { folder: "wasm", uses: &["nearfind-core"], modules: &["error", "bundles", "embed", "grep", "search", ""] },
    Floors { folder: "wasm/bindgen", uses: &[], modules: &["functions", "import_names", "split", "watch", ""] },
    Floors {
        folder: "native-indexer/base",
        uses: &["nearfind-core"],
        modules: &[
            "cache_folder",
            "facets",
            "file_names",
            "http_client",
            "real_path",
            "installed_files",
            "location",
            "readable_file",
            "root_folder",
            "shared_lock",
            "terminal",
            "record_log",
            "",
            "run_state",
            "progress",
        ],
    },
    Floors {
        folder: "native-indexer/extract",
        uses: &["nearfind-base", "nearfind-core"],
        modules: &[
            "words",
            "source_lines",
            "memory_limit",
            "ocr",
            "date",
            "error",
            "code",
            "extracted",
            "letters",
            "terminal_codes",
            "text_encoding",
            "left_out",
            "kinds",
            "archive",
            "extraction",
            "document_writer",
            "plain_text",
            "front_matter",
            "named_places",
            "directive_names",
            "scripts",
            "man",
            "subtitles",
            "org",
            "restructuredtext",
            "asciidoc",
            "mdx",
            "html",
            "attached",
            "markdown",
            "html_tags",
            "mediawiki",
            "textile",
            "fiction_book",
            "notebook",
            "number_format",
            "compound_file",
            "office",
            "sheet",
            "pdf",
            "picture_file",
            "rtf",
            "mail",
            "documents",
            "read",
            "apart",
        ],
    },
    Floors {
        folder: "native-indexer/models",
        uses: &["nearfind-base", "nearfind-core"],
        modules: &["role", "reranker", "embedding_cache", "encoder_cache", "provider", "model", "distil"],
    },
    Floors {
        folder: "native-indexer/bundles",
        uses: &["nearfind-base", "nearfind-core", "nearfind-models"],
        modules: &["bundle_folder", "bucket", "library", "research"],
    },
    Floors {
        folder: "native-indexer/languages",
        uses: &["nearfind-core"],
        modules: &["snowball", "rules", "detection", ""],
    },
    Floors {
        folder: "native-indexer/indexing",
        uses: &[
            "nearfind-base",
            "nearfind-bundles",
            "nearfind-core",
            "nearfind-extract",
            "nearfind-languages",
            "nearfind-models",
        ],
        modules: &["chunk", "page_cache", "picture_services", "source", "config", "run"],
    },
    Floors {
        folder: "native-indexer/mcp",
        uses: &["nearfind-base", "nearfind-bundles", "nearfind-core"],
        modules: &[
            "arguments",
            "client_config",
            "setup",
            "offer",
            "response",
            "turns",
            "background_index",
            "update",
            "other_repositories",
            "",
            "instructions",
            "resources",
            "tools",
            "handler",
            "stdio",
            "http",
        ],
    },
    Floors {
        folder: "native-indexer",
        uses: &[
            "nearfind-base",
            "nearfind-bundles",
            "nearfind-core",
            "nearfind-extract",
            "nearfind-indexing",
            "nearfind-mcp",
            "nearfind-models",
        ],
        modules: &["eval", "migrate", "site_report", "cli", ""],
    },
];

/// Files that may use each other, because the code that reads a configuration passes the whole configuration to each of
/// its tables.
const MUTUAL: [[&str; 2]; 1] = [["config", "config::project"]];

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn floor_of(module: &Module) -> &str {
    module.first().map_or("", String::as_str)
}

fn name_of(module: &Module) -> String {
    if module.is_empty() { "the root".to_owned() } else { module.join("::") }
}

#[test]
fn modules_use_only_modules_below_them() {
    let mut wrong = Vec::new();
    for Floors { folder, modules, .. } in CRATES {
        let graph = ModuleGraph::of_crate(&workspace().join(folder).join("src"));
        let height = |module: &Module| modules.iter().position(|floor| *floor == floor_of(module));
        for (module, uses) in &graph.uses {
            // A root that only names its modules has no floor.
            if height(module).is_none() && !(module.is_empty() && uses.is_empty()) {
                wrong.push(format!("{folder}: {} has no floor", name_of(module)));
            }
            let up = uses.iter().filter(|used| height(used) > height(module));
            wrong.extend(up.map(|used| format!("{folder}: {} uses {}", name_of(module), name_of(used))));
        }
        let known: BTreeSet<&str> = graph.uses.keys().map(floor_of).collect();
        let gone = modules.iter().filter(|floor| !known.contains(*floor));
        wrong.extend(gone.map(|floor| format!("{folder}: there is no module {floor}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_have_no_cycles() {
    for Floors { folder, .. } in CRATES {
        let graph = ModuleGraph::of_crate(&workspace().join(folder).join("src"));
        let circles: Vec<Vec<String>> =
            graph.circles().into_iter().map(|circle| circle.into_iter().map(name_of).collect()).collect();
        let wrong: Vec<_> =
            circles.iter().filter(|circle| !MUTUAL.iter().any(|known| circle[..] == known[..])).collect();
        assert!(wrong.is_empty(), "{folder}: {wrong:#?}");
    }
}

#[test]
fn crates_use_only_allowed_crates() {
    for Floors { folder, uses, .. } in CRATES {
        let manifest = std::fs::read_to_string(workspace().join(folder).join("Cargo.toml")).expect("a manifest");
        let table: toml::Table = manifest.parse().expect("TOML");
        let dependencies = table["dependencies"].as_table().expect("a table");
        let own: Vec<&str> =
            dependencies.keys().map(String::as_str).filter(|name| name.starts_with("nearfind-")).collect();
        assert_eq!(own, uses, "{folder}");
    }
}

#[test]
fn imports_of_every_form_are_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("it is made");
        std::fs::write(path, text).expect("it is written");
    };
    write("lib.rs", "pub mod a; mod b; pub mod c; pub use a::deep::Named;");
    write("a/mod.rs", "pub mod deep; use crate::b::{self, x::{Y, Z as Other}}; fn f() { let _ = \"// crate::c\"; }");
    write("a/deep.rs", "pub struct Named; #[cfg(test)] mod tests { use crate::c::C; }");
    write("b.rs", "use crate::Named; fn f() -> super::c::C { crate::c::g() }");
    write("c.rs", "pub struct C; pub fn g() -> C { super::a::deep::h() }");
    let graph = ModuleGraph::of_crate(folder.path());
    let uses = |module: &str| -> Vec<String> {
        let module: Module = module.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect();
        graph.uses[&module].iter().map(|used| used.join("::")).collect()
    };
    assert_eq!(uses("a"), ["b"]);
    assert_eq!(uses("a::deep"), [""; 0], "tests do not count");
    assert_eq!(uses("b"), ["a::deep", "c"], "a name that the root hands on is of the module that it is from");
    assert_eq!(uses("c"), ["a::deep"]);
    assert!(graph.circles().is_empty());
    write("a/deep.rs", "use crate::b;");
    assert_eq!(ModuleGraph::of_crate(folder.path()).circles().len(), 1);
}

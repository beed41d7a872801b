//! The grammars of languages, with their queries for definitions.

use super::languages::Language;
use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};
use tree_sitter::Query;
use tree_sitter_language::LanguageFn;

/// The grammar of a language with its query for definitions.
#[derive(Debug)]
pub(super) struct Grammar {
    pub language: tree_sitter::Language,
    pub definitions: Query,
}

#[cfg(feature = "formats")]
macro_rules! query {
    ($name:literal) => {
        include_str!(concat!("../../queries/", $name, ".scm"))
    };
    ($name:literal, $shared:literal) => {
        concat!(query!($name), query!($shared))
    };
}

/// Names, grammars and queries. Several names may share a grammar. A query must be for the grammar next to it.
#[cfg(feature = "formats")]
const GRAMMARS: &[(&str, LanguageFn, &str)] = &[
    ("bash", tree_sitter_bash::LANGUAGE, query!("bash")),
    ("c", tree_sitter_c::LANGUAGE, query!("c")),
    ("cpp", tree_sitter_cpp::LANGUAGE, query!("cpp")),
    ("csharp", tree_sitter_c_sharp::LANGUAGE, query!("csharp")),
    // `arborium_scss` depends on `arborium_css`. Another CSS crate would define the same symbol again.
    ("css", arborium_css::language(), query!("css")),
    ("dart", tree_sitter_dart::LANGUAGE, query!("dart")),
    ("elixir", tree_sitter_elixir::LANGUAGE, query!("elixir")),
    ("go", tree_sitter_go::LANGUAGE, query!("go")),
    ("graphql", tree_sitter_graphql::LANGUAGE, query!("graphql")),
    ("groovy", tree_sitter_groovy::LANGUAGE, query!("groovy")),
    ("haskell", tree_sitter_haskell::LANGUAGE, query!("haskell")),
    ("hcl", tree_sitter_hcl::LANGUAGE, query!("hcl")),
    ("html", tree_sitter_html::LANGUAGE, query!("html")),
    ("java", tree_sitter_java::LANGUAGE, query!("java")),
    ("javascript", tree_sitter_javascript::LANGUAGE, query!("javascript", "shared/ecmascript")),
    ("jinja", arborium_jinja2::language(), query!("jinja")),
    ("json", tree_sitter_json::LANGUAGE, query!("json")),
    ("jsx", tree_sitter_javascript::LANGUAGE, query!("javascript", "shared/ecmascript")),
    ("kotlin", tree_sitter_kotlin_ng::LANGUAGE, query!("kotlin")),
    ("lua", tree_sitter_lua::LANGUAGE, query!("lua")),
    ("makefile", tree_sitter_make::LANGUAGE, query!("makefile")),
    ("matlab", tree_sitter_matlab::LANGUAGE, query!("matlab")),
    ("objc", tree_sitter_objc::LANGUAGE, query!("objc")),
    ("php", tree_sitter_php::LANGUAGE_PHP, query!("php")),
    ("powershell", tree_sitter_powershell::LANGUAGE, query!("powershell")),
    ("protobuf", tree_sitter_proto::LANGUAGE, query!("protobuf")),
    ("python", tree_sitter_python::LANGUAGE, query!("python")),
    ("ruby", tree_sitter_ruby::LANGUAGE, query!("ruby")),
    ("rust", tree_sitter_rust::LANGUAGE, query!("rust")),
    ("scala", tree_sitter_scala::LANGUAGE, query!("scala")),
    ("scss", arborium_scss::language(), query!("scss")),
    ("sql", tree_sitter_sequel::LANGUAGE, query!("sql")),
    ("svelte", tree_sitter_svelte_ng::LANGUAGE, query!("svelte")),
    ("swift", tree_sitter_swift::LANGUAGE, query!("swift")),
    ("toml", tree_sitter_toml_ng::LANGUAGE, query!("toml")),
    ("tsx", tree_sitter_typescript::LANGUAGE_TSX, query!("typescript", "shared/ecmascript")),
    ("typescript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT, query!("typescript", "shared/ecmascript")),
    // The top level of a component consists of elements, as in HTML.
    ("vue", tree_sitter_html::LANGUAGE, query!("html")),
    ("yaml", tree_sitter_yaml::LANGUAGE, query!("yaml")),
    ("zig", tree_sitter_zig::LANGUAGE, query!("zig")),
];

/// Whether this build includes grammars. Without them, code is cut at lines, and there are no definitions.
pub const HAS_GRAMMARS: bool = cfg!(feature = "formats");

/// Without grammars, all code is cut at lines.
#[cfg(not(feature = "formats"))]
const GRAMMARS: &[(&str, LanguageFn, &str)] = &[];

/// Returns the grammar for `language`, or `None` if its code is cut at lines. A grammar is made at its first use, and
/// kept until the process ends.
pub(super) fn grammar(language: Language) -> Option<&'static Grammar> {
    static MADE: OnceLock<Mutex<BTreeMap<&'static str, &'static Grammar>>> = OnceLock::new();
    let (name, function, query) = GRAMMARS.iter().find(|(name, ..)| *name == language.0)?;
    let mut made = MADE.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(grammar) = made.get(name) {
        return Some(grammar);
    }
    let language = tree_sitter::Language::new(*function);
    // A test checks that every query fits its grammar. If a query does not fit, files are cut at lines.
    let definitions = Query::new(&language, query).ok()?;
    let grammar: &'static Grammar = Box::leak(Box::new(Grammar { language, definitions }));
    made.insert(name, grammar);
    Some(grammar)
}

/// Returns the grammar for `name`, which is a notebook's name for the language of its cells.
pub(super) fn grammar_named(name: &str) -> Option<&'static Grammar> {
    let (name, ..) = GRAMMARS.iter().find(|(known, ..)| *known == name)?;
    grammar(Language(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_query_fits_its_grammar() {
        for (name, function, query) in GRAMMARS {
            let language = tree_sitter::Language::new(*function);
            if let Err(error) = Query::new(&language, query) {
                panic!("{name}: {error}");
            }
        }
    }
}

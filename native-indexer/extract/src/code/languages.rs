//! Recognizes a file's language by its name or its first line. If two languages share an extension, the content
//! decides.

use std::path::Path;

/// The name of a language in filters: a value of the facet `code_language`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Language(pub &'static str);

/// Languages by file name in lower case, for files without a distinctive extension.
const BY_NAME: &[(&str, &str)] = &[
    ("makefile", "makefile"),
    ("gnumakefile", "makefile"),
    ("kbuild", "makefile"),
    ("jenkinsfile", "groovy"),
    ("rakefile", "ruby"),
    ("gemfile", "ruby"),
    ("podfile", "ruby"),
    ("vagrantfile", "ruby"),
    ("sconstruct", "python"),
    ("sconscript", "python"),
    ("build.bazel", "python"),
    ("workspace.bazel", "python"),
    (".bashrc", "bash"),
    (".bash_profile", "bash"),
    (".profile", "bash"),
    (".zshrc", "bash"),
    ("pkgbuild", "bash"),
    ("dockerfile", "text"),
    ("containerfile", "text"),
    ("cmakelists.txt", "text"),
    ("justfile", "text"),
    ("procfile", "text"),
    ("meson.build", "text"),
    ("codeowners", "text"),
    ("go.mod", "text"),
    ("go.work", "text"),
    ("manifest.in", "text"),
    ("pom.xml", "text"),
];

/// Languages by extension in lower case. Files with the language `text` are cut at lines.
const BY_ENDING: &[(&str, &str)] = &[
    ("asm", "text"),
    ("astro", "html"),
    ("bash", "bash"),
    ("bat", "text"),
    ("bats", "bash"),
    ("bazel", "python"),
    ("bzl", "python"),
    ("c", "c"),
    ("c++", "cpp"),
    ("cc", "cpp"),
    ("cfg", "text"),
    ("cjs", "javascript"),
    ("clj", "text"),
    ("cljs", "text"),
    ("cmake", "text"),
    ("cmd", "text"),
    ("conf", "text"),
    ("cpp", "cpp"),
    ("cr", "text"),
    ("cs", "csharp"),
    ("csproj", "text"),
    ("css", "css"),
    ("csx", "csharp"),
    ("cts", "typescript"),
    ("cu", "cpp"),
    ("cuh", "cpp"),
    ("cxx", "cpp"),
    ("d", "text"),
    ("dart", "dart"),
    ("dhall", "text"),
    ("ejs", "text"),
    ("el", "text"),
    ("elm", "text"),
    ("erb", "text"),
    ("erl", "text"),
    ("ex", "elixir"),
    ("exs", "elixir"),
    ("f90", "text"),
    ("feature", "text"),
    ("fish", "text"),
    ("fnl", "text"),
    ("frag", "cpp"),
    ("fs", "text"),
    ("fsproj", "text"),
    ("fsx", "text"),
    ("gleam", "text"),
    ("glsl", "text"),
    ("go", "go"),
    ("gotmpl", "text"),
    ("gql", "graphql"),
    ("gradle", "groovy"),
    ("graphql", "graphql"),
    ("graphqls", "graphql"),
    ("groovy", "groovy"),
    ("gyp", "python"),
    ("gypi", "python"),
    ("h", "c"),
    ("h++", "cpp"),
    ("hbs", "text"),
    ("hcl", "hcl"),
    ("hh", "cpp"),
    ("hpp", "cpp"),
    ("hrl", "text"),
    ("hs", "haskell"),
    ("htm", "html"),
    ("html", "html"),
    ("http", "text"),
    ("hurl", "text"),
    ("hx", "text"),
    ("hxx", "cpp"),
    ("idl", "text"),
    ("ini", "text"),
    ("inl", "cpp"),
    ("ipp", "cpp"),
    ("j2", "jinja"),
    ("java", "java"),
    ("jinja", "jinja"),
    ("jinja2", "jinja"),
    ("jl", "text"),
    ("js", "javascript"),
    ("json", "json"),
    ("json5", "json"),
    ("jsonc", "json"),
    ("jsonnet", "text"),
    ("jsx", "jsx"),
    ("kdl", "text"),
    ("ksh", "bash"),
    ("kt", "kotlin"),
    ("kts", "kotlin"),
    ("less", "text"),
    ("lhs", "text"),
    ("libsonnet", "text"),
    ("liquid", "text"),
    ("lisp", "text"),
    ("lua", "lua"),
    ("m", "objc"),
    ("mak", "makefile"),
    ("metal", "cpp"),
    ("mjs", "javascript"),
    ("mk", "makefile"),
    ("ml", "text"),
    ("mli", "text"),
    ("mm", "objc"),
    ("mts", "typescript"),
    ("mustache", "text"),
    ("nim", "text"),
    ("nix", "text"),
    ("njk", "text"),
    ("nu", "text"),
    ("odin", "text"),
    ("pas", "text"),
    ("php", "php"),
    ("phtml", "php"),
    ("pl", "text"),
    ("plantuml", "text"),
    ("pm", "text"),
    ("prisma", "text"),
    ("properties", "text"),
    ("props", "text"),
    ("proto", "protobuf"),
    ("ps1", "powershell"),
    ("psd1", "powershell"),
    ("psm1", "powershell"),
    ("pug", "text"),
    ("puml", "text"),
    ("py", "python"),
    ("pyi", "python"),
    ("pyw", "python"),
    ("pyx", "python"),
    ("qml", "text"),
    ("r", "text"),
    ("rake", "ruby"),
    ("rb", "ruby"),
    ("rego", "text"),
    ("rkt", "text"),
    ("rs", "rust"),
    ("s", "text"),
    ("sass", "text"),
    ("sbt", "scala"),
    ("sc", "scala"),
    ("scala", "scala"),
    ("scm", "text"),
    ("scss", "scss"),
    ("sh", "bash"),
    ("sol", "text"),
    ("sql", "sql"),
    ("st", "text"),
    ("star", "python"),
    ("styl", "text"),
    ("sv", "text"),
    ("svelte", "svelte"),
    ("svh", "text"),
    ("swift", "swift"),
    ("targets", "text"),
    ("tcdut", "text"),
    ("tcgvl", "text"),
    ("tcio", "text"),
    ("tcl", "text"),
    ("tcpou", "text"),
    ("tf", "hcl"),
    ("tfvars", "hcl"),
    ("thrift", "text"),
    ("tmpl", "text"),
    ("toml", "toml"),
    ("tpl", "text"),
    ("ts", "typescript"),
    ("tsx", "tsx"),
    ("twig", "text"),
    ("v", "text"),
    ("vala", "text"),
    ("vb", "text"),
    ("vbproj", "text"),
    ("vert", "cpp"),
    ("vhd", "text"),
    ("vim", "text"),
    ("vue", "vue"),
    ("wat", "text"),
    ("wgsl", "text"),
    ("wit", "text"),
    ("xsl", "text"),
    ("xslt", "text"),
    ("yaml", "yaml"),
    ("yml", "yaml"),
    ("zig", "zig"),
    ("zsh", "bash"),
];

/// Languages by the start of the interpreter's name in the first line.
const BY_INTERPRETER: &[(&str, &str)] = &[
    ("python", "python"),
    ("node", "javascript"),
    ("deno", "typescript"),
    ("bun", "typescript"),
    ("bash", "bash"),
    ("sh", "bash"),
    ("zsh", "bash"),
    ("ksh", "bash"),
    ("dash", "bash"),
    ("bats", "bash"),
    ("ruby", "ruby"),
    ("lua", "lua"),
    ("pwsh", "powershell"),
    ("php", "php"),
    ("make", "makefile"),
    ("groovy", "groovy"),
    ("elixir", "elixir"),
    ("perl", "text"),
    ("Rscript", "text"),
];

impl Language {
    /// Whether files in this language may contain scripts and styles.
    pub(super) fn holds_others(self) -> bool {
        matches!(self.0, "html" | "vue" | "svelte" | "jinja")
    }

    /// Whether a macro may replace any part of code in this language.
    pub(super) fn has_macros(self) -> bool {
        matches!(self.0, "c" | "cpp")
    }

    /// Returns the language of the file at `path`, judging only by its name.
    pub fn of_path(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
        let stem = name.split('.').next().unwrap_or_default();
        let find = |table: &[(&str, &'static str)], key: &str| {
            table.iter().find(|(known, _)| *known == key).map(|(_, language)| Self(language))
        };
        let by_name = find(BY_NAME, &name);
        let by_ending = || find(BY_ENDING, Path::new(&name).extension()?.to_str()?);
        // `Makefile.am`, `Dockerfile.dev`.
        let by_stem = || find(BY_NAME, stem);
        by_name.or_else(by_ending).or_else(by_stem)
    }

    /// Returns the language of the file at `path` with this text, or `None` if it is not source code.
    pub fn of(path: &str, text: &str) -> Option<Self> {
        match Self::of_path(path) {
            Some(Self("c")) if path.to_lowercase().ends_with(".h") => Some(Self(of_header(text))),
            Some(Self("objc")) if path.to_lowercase().ends_with(".m") && !is_objective_c(text) => Some(Self("matlab")),
            Some(language) => Some(language),
            None => of_first_line(text),
        }
    }
}

/// Returns the language of a script by the interpreter in its first line.
fn of_first_line(text: &str) -> Option<Language> {
    let line = text.lines().next()?.strip_prefix("#!")?;
    let mut words = line.split([' ', '\t']).filter(|word| !word.is_empty() && !word.starts_with('-'));
    let program = words.next()?.rsplit('/').next()?;
    let program = if program == "env" { words.next()? } else { program };
    BY_INTERPRETER.iter().find(|(start, _)| program.starts_with(start)).map(|(_, language)| Language(language))
}

/// Returns the language of a header, which is C unless a line begins with C++ or Objective-C syntax.
fn of_header(text: &str) -> &'static str {
    let begins =
        |starts: &[&str]| text.lines().any(|line| starts.iter().any(|start| line.trim_start().starts_with(start)));
    if begins(&["@interface", "@protocol", "@class", "#import"]) {
        "objc"
    } else if begins(&[
        "class ",
        "namespace ",
        "template<",
        "template <",
        "using ",
        "public:",
        "private:",
        "constexpr ",
    ]) {
        "cpp"
    } else {
        "c"
    }
}

fn is_objective_c(text: &str) -> bool {
    let starts = ["@interface", "@implementation", "@protocol", "@import", "#import", "#include", "//", "/*"];
    text.lines().any(|line| starts.iter().any(|start| line.trim_start().starts_with(start)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_first_lines_and_contents_tell_languages() {
        let language = |path: &str, text: &str| Language::of(path, text).map_or("", |language| language.0);
        assert_eq!(language("src/a.PY", ""), "python");
        assert_eq!(language("Makefile.am", ""), "makefile");
        assert_eq!(language("bin/tool", "#!/usr/bin/env -S python3 -u\n"), "python");
        assert_eq!(language("a.h", "int f(void);\n"), "c");
        assert_eq!(language("a.h", "namespace a {}\n"), "cpp");
        assert_eq!(language("a.h", "#import <X.h>\n"), "objc");
        assert_eq!(language("a.m", "@implementation A\n"), "objc");
        assert_eq!(language("a.m", "% area\nfunction y = area(x)\n"), "matlab");
        assert_eq!(language("photo.jpeg", ""), "");
    }

    #[test]
    fn tables_are_sorted_so_that_nothing_is_in_them_twice() {
        assert!(BY_ENDING.is_sorted_by(|a, b| a.0 < b.0));
    }
}

//! Determines a file's purpose from its path: source code, a test, an example, data or configuration.

use nearfind_base::facets::CodeClass;

/// Returns the class of the file at `path`.
pub fn class_of_path(path: &str) -> CodeClass {
    let path = path.to_lowercase();
    let mut folders: Vec<&str> = path.split('/').collect();
    let name = folders.pop().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    let inside = |names: &[&str]| folders.iter().any(|folder| names.contains(folder));
    if inside(FIXTURES) {
        CodeClass::Fixture
    } else if inside(TESTS) || is_test(name, stem) {
        CodeClass::Test
    } else if inside(EXAMPLES) {
        CodeClass::Example
    } else if is_config(name) {
        CodeClass::Config
    } else {
        CodeClass::Source
    }
}

const FIXTURES: &[&str] =
    &["fixtures", "fixture", "testdata", "test_data", "test-data", "__snapshots__", "__fixtures__", "golden"];
const TESTS: &[&str] = &[
    "test",
    "tests",
    "__tests__",
    "spec",
    "specs",
    "testing",
    "e2e",
    "unittest",
    "unittests",
    "__mocks__",
    "mocks",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "test-suite",
    "testsuite",
    "androidtest",
    "commontest",
    "jvmtest",
];
const EXAMPLES: &[&str] = &[
    "example",
    "examples",
    "demo",
    "demos",
    "sample",
    "samples",
    "playground",
    "sandbox",
    "tutorial",
    "tutorials",
    "docs_src",
    "_examples",
    "snippets",
];

fn is_test(name: &str, stem: &str) -> bool {
    let parts = name.split('.').collect::<Vec<_>>();
    let is_marked =
        parts.len() > 2 && parts[1..].iter().any(|part| matches!(*part, "test" | "spec" | "bench" | "tests"));
    is_marked
        || stem == "conftest"
        || stem.starts_with("test_")
        || ["_test", "_tests", "_spec", "_bench", "-test", "-tests"].iter().any(|end| stem.ends_with(end))
        || is_camel_test(name)
}

/// Whether a file name, in lower case, has a form like `SessionTest.java` or `SessionTests.cs`, in a language that
/// names files after classes.
fn is_camel_test(name: &str) -> bool {
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    let has_classes = matches!(ending, "java" | "kt" | "cs" | "scala" | "swift" | "php" | "groovy" | "dart");
    has_classes && (stem.ends_with("test") || stem.ends_with("tests") || stem.ends_with("testcase")) && stem != "test"
}

fn is_config(name: &str) -> bool {
    matches!(
        name.rsplit_once('.').map(|(_, ending)| ending),
        Some(
            "json"
                | "yaml"
                | "yml"
                | "toml"
                | "ini"
                | "cfg"
                | "conf"
                | "properties"
                | "props"
                | "targets"
                | "csproj"
                | "fsproj"
                | "vbproj"
                | "kdl"
        )
    ) || name.contains(".config.")
        || matches!(
            name,
            "setup.py"
                | "build.gradle"
                | "build.gradle.kts"
                | "package.swift"
                | "makefile"
                | "gulpfile.js"
                | "go.mod"
                | "go.work"
                | "pom.xml"
                | "manifest.in"
                | "codeowners"
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_tell_what_files_are_for() {
        let class = |path: &str| class_of_path(path).name();
        for path in
            ["tests/a.py", "src/a_test.go", "src/a.spec.ts", "a/test_b.py", "src/SessionTest.java", "conftest.py"]
        {
            assert_eq!(class(path), "test", "{path}");
        }
        assert_eq!(class("examples/a.rs"), "example");
        assert_eq!(class("tests/fixtures/a.js"), "fixture");
        assert_eq!(class("package.json"), "config");
        for path in ["src/latest.py", "src/contest.java", "src/attestation.rs", "src/testing.rs"] {
            assert_eq!(class(path), if path.ends_with("contest.java") { "test" } else { "source" }, "{path}");
        }
    }
}

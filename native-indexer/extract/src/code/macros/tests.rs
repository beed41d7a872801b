use super::*;
use proptest::prelude::*;

/// Returns the text without macros, with single spaces and without empty lines.
fn unmacroed(text: &str) -> String {
    let text = without_macros(text).text.into_owned();
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    text.lines().map(words).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

#[test]
fn marks_of_declarations_are_blank_and_types_are_not() {
    for (text, without) in [
        ("class DLLEXPORT Widget : public QObject {};", "class Widget : public QObject {};"),
        ("struct ALIGNED(8) __packed wide { int a; };", "struct wide { int a; };"),
        ("static int __init start(void) {}", "static int start(void) {}"),
        ("EXPORT_API(int) f(int a) {}", "int f(int a) {}"),
        ("STDMETHODIMP_(ULONG) Foo::AddRef() {}", "ULONG Foo::AddRef() {}"),
        ("BOOL WINAPI DllMain(int a) {}", "BOOL DllMain(int a) {}"),
        ("FILE *open_it(char *name) {}", "FILE *open_it(char *name) {}"),
        ("static DWORD count(void);", "static DWORD count(void);"),
        ("API bool operator==(A a) {}", "bool operator==(A a) {}"),
        ("__printf(1, 2) void log_it(char *f) NONNULL(1) {}", "void log_it(char *f) {}"),
        ("PTR\nxmalloc (int n) {}", "PTR\nxmalloc (int n) {}"),
        ("G_BEGIN_DECLS\nint f(void);\nG_END_DECLS", "int f(void);"),
        (
            "class A { Q_OBJECT public slots: void f(); signals: void g(); };",
            "class A { public : void f(); void g(); };",
        ),
        ("class URL { URL(int a) {} };", "class URL { URL(int a) {} };"),
        ("URL::URL(int a) {}", "URL::URL(int a) {}"),
    ] {
        assert_eq!(unmacroed(text), without, "{text}");
    }
}

#[test]
fn statements_without_semicolons_are_blank() {
    for (text, without) in [
        ("void f() { ADD ADD ADD\nADD }", "void f() {\n}"),
        ("void f() { switch (x) { CASE(+) CASE(-) } }", "void f() { switch (x) { } }"),
        ("void f() { foreach (a, list) { b(); } }", "void f() { { b(); } }"),
        (
            "void f() { DWORD a; HANDLE b = MAX(1, 2); CHECK(a); }",
            "void f() { DWORD a; HANDLE b = MAX(1, 2); CHECK(a); }",
        ),
        ("int a[] = { ONE, TWO }; enum { RED, GREEN };", "int a[] = { ONE, TWO }; enum { RED, GREEN };"),
        ("#if A\nvoid f(int a) {\n#else\nvoid f() {\n#endif\n}", "void f(int a) {\n}"),
        ("#if A\nint a;\n#else\nint b;\n#endif", "#if A\nint a;\n#else\nint b;\n#endif"),
    ] {
        assert_eq!(unmacroed(text), without, "{text}");
    }
}

#[test]
fn macros_define_functions_and_variables() {
    let defined = |text: &str| {
        let found = without_macros(text);
        let of = |name: &MacroName| format!("{}.{}", &text[name.owner.clone()], &text[name.name.clone()]);
        found.functions.values().chain(found.variables.iter().map(|(_, name)| name)).map(of).collect::<Vec<_>>()
    };
    assert_eq!(defined("SYSCALL_DEFINE3(read_it, int, fd) {}"), [".read_it"]);
    assert_eq!(defined("TEST(Suite, Case) {} TEST_CASE(\"adds\", \"[a]\") {}"), ["Suite.Case", ".\"adds\""]);
    assert_eq!(defined("BENCHMARK_F(Suite, Case)(State& s) {}"), ["Suite.Case"]);
    assert_eq!(defined("static DEFINE_MUTEX(lock); DEFINE_PER_CPU(int, count) = 0;"), [".lock", ".count"]);
    assert_eq!(defined("void f() { DEFINE_X(a); CHECK(b) {} } class A { A(int a) {} };"), Vec::<String>::new());
}

#[test]
fn hostile_texts_are_read_in_time() {
    for part in ["A(", "A ", "A(b) ", "{ A ", "struct A ", "A<", "#if\n{", "A(b)\n#else\n", "A::"] {
        let text = part.repeat(400_000 / part.len());
        assert_eq!(without_macros(&text).text.len(), text.len());
    }
}

proptest! {
    #[test]
    fn every_byte_keeps_its_place(parts in prop::collection::vec(prop::sample::select(vec![
        "ADD", "TEST", "Q_OBJECT", "name", "class ", "struct ", "(", ")", "{", "}", "<", ">", ";", ":", "::", ",", "*", "~", "=", "[",
        "]", "\n", " ", "é", "\"x\"", "\n#if A\n", "\n#else\n", "\n#endif\n", "operator", "static ", "signals:", "template ",
    ]), 0..40)) {
        let text = parts.concat();
        let found = without_macros(&text);
        prop_assert_eq!(found.text.len(), text.len());
        let names: Vec<usize> = found.functions.keys().copied().collect();
        for (at, (new, old)) in found.text.bytes().zip(text.bytes()).enumerate() {
            prop_assert!(new == old || new == b' ' || new == b'T' || names.contains(&at));
        }
        prop_assert!(found.words.iter().all(|word| text.get(word.clone()).is_some()));
    }
}

//! Distinguishes C and C++ keywords from words that are named like macros.

/// Whether `word` is named like a macro: in capitals, or with the prefix `__` that compilers and kernels use.
pub(super) fn is_macro(word: &str) -> bool {
    if let Some(rest) = word.strip_prefix("__") {
        return is_reserved_macro(rest);
    }
    if word.starts_with("DEFINE_") {
        return true;
    }
    let is_capital = |word: &str| {
        let is_part = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
        word.len() >= 3 && word.bytes().all(is_part) && word.bytes().filter(u8::is_ascii_uppercase).nth(1).is_some()
    };
    // `PyAPI_FUNC`
    let is_prefix = |first: &str| first.len() <= 8 && first.starts_with(|c: char| c.is_ascii_uppercase());
    is_capital(word) || word.split_once('_').is_some_and(|(first, tail)| is_prefix(first) && is_capital(tail))
}

/// Whether a word with `rest` after `__` is a macro, such as `__init` or `__must_check`. A word that the grammars know,
/// such as `__inline`, and a type, such as `__u32` or `__m128i`, are not.
fn is_reserved_macro(rest: &str) -> bool {
    const KNOWN: &[&str] = &[
        "attribute__",
        "declspec",
        "inline",
        "inline__",
        "forceinline",
        "asm",
        "asm__",
        "extension__",
        "restrict",
        "restrict__",
        "typeof",
        "typeof__",
        "thread",
        "cdecl",
        "clrcall",
        "stdcall",
        "fastcall",
        "thiscall",
        "vectorcall",
        "based",
        "unaligned",
        "volatile__",
        "const",
        "const__",
        "signed__",
        "alignof",
        "alignof__",
        "func__",
        "except",
        "try",
        "finally",
        "leave",
        "underlying_type",
    ];
    let is_lower = rest.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_' || byte.is_ascii_digit());
    let is_type = rest.ends_with("_t")
        || rest.bytes().next_back().is_some_and(|byte| byte.is_ascii_digit())
        || rest.starts_with(['m', 'i', 'u', 's', 'l', 'b']) && rest.bytes().any(|byte| byte.is_ascii_digit());
    is_lower && rest.len() >= 3 && !is_type && !KNOWN.contains(&rest) && !rest.starts_with("builtin")
}

/// Whether `word` is a calling convention macro from Windows or Java headers.
pub(super) fn is_convention(word: &str) -> bool {
    matches!(
        word,
        "WINAPI"
            | "CALLBACK"
            | "APIENTRY"
            | "STDCALL"
            | "STDMETHODCALLTYPE"
            | "PASCAL"
            | "CDECL"
            | "JNICALL"
            | "WSAAPI"
            | "NTAPI"
    )
}

/// Whether `word` may follow the parameters of a function.
pub(super) fn follows_parameters(word: &str) -> bool {
    matches!(
        word,
        "const"
            | "volatile"
            | "noexcept"
            | "override"
            | "final"
            | "throw"
            | "requires"
            | "try"
            | "asm"
            | "__asm"
            | "__asm__"
            | "__attribute__"
    )
}

/// Whether `word` is a built-in type.
pub(super) fn is_type_word(word: &str) -> bool {
    matches!(
        word,
        "void"
            | "bool"
            | "char"
            | "short"
            | "int"
            | "long"
            | "float"
            | "double"
            | "signed"
            | "unsigned"
            | "auto"
            | "wchar_t"
            | "_Bool"
            | "char8_t"
            | "char16_t"
            | "char32_t"
    )
}

/// Whether `word` may precede a type.
pub(super) fn leads_type(word: &str) -> bool {
    matches!(
        word,
        "static"
            | "inline"
            | "extern"
            | "const"
            | "volatile"
            | "virtual"
            | "constexpr"
            | "consteval"
            | "constinit"
            | "friend"
            | "register"
            | "thread_local"
            | "_Thread_local"
            | "_Noreturn"
            | "typename"
            | "template"
            | "mutable"
            | "__inline"
            | "__inline__"
            | "__forceinline"
            | "__extension__"
            | "typedef"
    )
}

/// Whether `word` is a keyword.
pub(super) fn is_keyword(word: &str) -> bool {
    is_type_word(word)
        || leads_type(word)
        || matches!(
            word,
            "class"
                | "struct"
                | "union"
                | "enum"
                | "using"
                | "namespace"
                | "public"
                | "private"
                | "protected"
                | "operator"
                | "return"
                | "if"
                | "else"
                | "for"
                | "while"
                | "do"
                | "switch"
                | "case"
                | "default"
                | "break"
                | "continue"
                | "goto"
                | "try"
                | "catch"
                | "throw"
                | "new"
                | "delete"
                | "this"
                | "sizeof"
                | "explicit"
                | "override"
                | "final"
                | "noexcept"
                | "concept"
                | "requires"
                | "static_assert"
                | "co_return"
                | "co_await"
                | "co_yield"
                | "alignas"
                | "decltype"
                | "__attribute__"
                | "__declspec"
                | "asm"
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_are_told_from_types_and_functions() {
        for word in [
            "ADD",
            "Q_OBJECT",
            "SYSCALL_DEFINE3",
            "PyAPI_FUNC",
            "DLLEXPORT",
            "__init",
            "__must_check",
            "__printf",
            "Q_INVOKABLE",
            "TEST_F",
            "DEFINE_string",
        ] {
            assert!(is_macro(word), "{word}");
        }
        for word in [
            "T",
            "Widget",
            "int",
            "read_thing",
            "My_Type",
            "__u32",
            "__le16",
            "__m128i",
            "__inline",
            "size_t",
            "V8",
            "QObject",
            "__int64",
            "i_VALUE",
        ] {
            assert!(!is_macro(word), "{word}");
        }
    }
}

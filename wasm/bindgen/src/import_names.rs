//! Shortens the names of a module's imports. wasm-bindgen appends hashes to them, random letters that every page would
//! load twice, in the module and in its glue.

use anyhow::{Result, ensure};
use std::collections::BTreeSet;
use walrus::ModuleConfig;

/// Returns the module and its glue with shorter names.
pub(crate) fn shortened(module: &[u8], glue: &str) -> Result<(Vec<u8>, String)> {
    let mut module = ModuleConfig::new().generate_producers_section(false).parse(module)?;
    let mut glue = glue.to_owned();
    let mut taken = BTreeSet::new();
    for import in module.imports.iter_mut() {
        let Some(plain) = without_hash(&import.name) else { continue };
        // Several types may have a method with the same name.
        let names = (1..).map(|number| if number == 1 { plain.to_owned() } else { format!("{plain}{number}") });
        let name = names.into_iter().find(|name| taken.insert(name.clone())).unwrap_or_default();
        let (key, short) = (format!(" {}: function(", import.name), format!(" {name}: function("));
        ensure!(glue.matches(&key).count() == 1, "wasm-bindgen writes the import {} in another way now", import.name);
        glue = glue.replace(&key, &short);
        import.name = name;
    }
    Ok((module.emit_wasm(), glue))
}

/// Returns the name without its hash, such as `sort` for `__wbg_sort_8c51fb45bb3b2e55`.
fn without_hash(name: &str) -> Option<&str> {
    let (plain, hash) = name.strip_prefix("__")?.rsplit_once('_')?;
    (hash.len() == 16)
        .then(|| plain.trim_start_matches("wbg_").trim_start_matches("__").trim_start_matches("wbindgen_"))
}

#[cfg(test)]
mod tests {
    use super::without_hash;

    #[test]
    fn names_are_what_they_import() {
        assert_eq!(without_hash("__wbg_sort_8c51fb45bb3b2e55"), Some("sort"));
        assert_eq!(without_hash("__wbg___wbindgen_is_falsy_d864b623500ae65d"), Some("is_falsy"));
        assert_eq!(without_hash("__wbindgen_generic_0000000000000001"), Some("generic"));
        assert_eq!(without_hash("__wbindgen_init_externref_table"), None);
    }
}

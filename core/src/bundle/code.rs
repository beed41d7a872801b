//! Writes the part of a bundle for navigation in source code: definitions and mentions.

use super::input::BundleDocument;
use crate::symbols::{Definition, DefinitionWriter, NameEntry, NameWriter, Variant};
use std::collections::{BTreeMap, HashSet};

/// The blocks of the part `symbols`. The blocks of definitions come first, each with its first document. The blocks of
/// names follow, each with its separator.
#[derive(Clone, Debug, Default)]
pub(super) struct WrittenSymbols {
    pub definitions: (Vec<Vec<u8>>, Vec<u32>),
    pub names: (Vec<Vec<u8>>, Vec<String>),
}

/// Writes the definitions and mentions in `documents`. Names without a definition are left out, because exact search
/// finds them.
pub(super) fn write_symbols(documents: &[BundleDocument]) -> WrittenSymbols {
    if documents.iter().all(|document| document.code.is_none()) {
        return WrittenSymbols::default();
    }
    let defined: HashSet<&str> =
        documents.iter().flat_map(definitions_of).map(|definition| definition.name.as_str()).collect();
    let mut variants: BTreeMap<&str, Variant> = BTreeMap::new();
    let mut definitions = DefinitionWriter::default();
    let mut file = 0;
    for (number_of_document, document) in (0u32..).zip(documents) {
        let code = document.code.as_ref();
        file += u32::from(number_of_document > 0 && !code.is_some_and(|code| code.continues_file));
        let mut by_line: Vec<&Definition> = definitions_of(document).iter().collect();
        by_line.sort_by_key(|definition| definition.lines.0);
        definitions.push(number_of_document, &by_line);
        for (number, definition) in (0..).zip(by_line) {
            variants.entry(&definition.name).or_default().definitions.push((number_of_document, number));
        }
        let Some(code) = code else { continue };
        let names: Vec<&str> = code.mentions.names.lines().collect();
        for places in code.mentions.places.chunk_by(|(a, _), (b, _)| a == b) {
            if let Some(name) = names.get(places[0].0 as usize).and_then(|name| defined.get(name)) {
                let mentions = &mut variants.entry(name).or_default().mentions;
                if mentions.last().is_none_or(|(last, _)| *last != file) {
                    mentions.push((file, Vec::new()));
                }
                let lines = places.iter().map(|(_, line)| *line);
                mentions.last_mut().expect("pushed above").1.extend(lines);
            }
        }
    }
    let mut entries: BTreeMap<String, Vec<Variant>> = BTreeMap::new();
    for (name, variant) in variants {
        entries.entry(name.to_lowercase()).or_default().push(Variant { name: name.to_owned(), ..variant });
    }
    let mut names = NameWriter::default();
    for (key, mut variants) in entries {
        variants.sort_by(|a, b| a.name.cmp(&b.name));
        for (_, lines) in variants.iter_mut().flat_map(|variant| &mut variant.mentions) {
            lines.sort_unstable();
            lines.dedup();
        }
        names.push(&NameEntry { key, variants });
    }
    WrittenSymbols { definitions: definitions.finish(), names: names.finish() }
}

fn definitions_of(document: &BundleDocument) -> &[Definition] {
    document.code.as_ref().map_or(&document.definitions, |code| &code.definitions)
}

#![no_main]
//! Reads the directory, blocks of definitions, names and trigrams, and the texts in a block of pages. Also plans the
//! search for an expression.
use libfuzzer_sys::fuzz_target;
use nearfind_core::format::root::Root;
use nearfind_core::grep::{for_each_trigram, plan_of_expression};
use nearfind_core::records::{Directory, page};
use nearfind_core::symbols::{for_each_definition, for_each_name};

fuzz_target!(|input: (u32, Vec<u8>)| {
    let (number, bytes) = input;
    if let Ok(directory) = Directory::parse(&bytes, &Root::empty(4)) {
        directory.definitions_block(number);
        directory.trigrams_block(number);
        directory.names_block("name");
    }
    let _ = for_each_definition(&bytes, number, &mut |_, definition| {
        definition.signature_in("text é text");
        true
    });
    let _ = for_each_name(&bytes, &mut |_| true);
    let pages = number % 4096;
    let _ = for_each_trigram(&bytes, number, pages, &mut |_, blocks| {
        blocks.read().is_ok_and(|blocks| blocks.iter().all(|block| *block < pages))
    });
    let _ = page::for_each_text(&bytes, &mut |_, _| {});
    if let Ok(source) = std::str::from_utf8(&bytes) {
        plan_of_expression(source, number % 2 == 0);
    }
});

#![no_main]
//! A model pack.
use libfuzzer_sys::fuzz_target;
use nearfind_core::embed::model_pack::ModelPack;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(pack) = ModelPack::open(bytes) {
        let _ = pack.tokenizer().map(|tokenizer| tokenizer.encode("text", 8));
    }
});

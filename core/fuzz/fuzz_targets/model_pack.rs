#![no_main]
//! Opens the start of a model pack, and encodes text with it. The hash is correct, so that everything after its check
//! is reached. The rows of words are missing at first; any bytes are then provided as rows.
use libfuzzer_sys::fuzz_target;
use nearfind_core::embed::model_pack::{ModelPack, hash_of};
use nearfind_core::embed::{Encoder, SharedBytes};

fuzz_target!(|bytes: &[u8]| {
    let mut pack = bytes.to_vec();
    pack.extend(hash_of(bytes));
    if let Ok(pack) = ModelPack::open_start(SharedBytes::new(pack)) {
        let _ = pack.tokenizer().map(|tokenizer| tokenizer.encode("text", 8));
        let Ok(encoder) = Encoder::from_pack(&pack) else { return };
        for range in encoder.missing("text") {
            let _ = encoder.provide(range.start, bytes);
        }
        let _ = encoder.encode_query("text");
    }
});

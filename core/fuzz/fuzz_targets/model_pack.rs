#![no_main]
//! A model pack, and the encoder that it makes: the hash is put right, so that what follows it is reached. It has no rows of
//! words: all bytes are offered in their place.
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

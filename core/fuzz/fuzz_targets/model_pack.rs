#![no_main]
//! A model pack, and the encoder that it makes: the hash is put right, so that what lies behind it is reached.
use libfuzzer_sys::fuzz_target;
use nearfind_core::embed::model_pack::{ModelPack, hash_of};
use nearfind_core::embed::{Encoder, SharedBytes};

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = bytes.to_vec();
    bytes.extend(hash_of(&bytes));
    if let Ok(pack) = ModelPack::open(SharedBytes::new(bytes)) {
        let _ = pack.tokenizer().map(|tokenizer| tokenizer.encode("text", 8));
        let _ = Encoder::from_pack(&pack).map(|encoder| encoder.encode_query("text"));
    }
});

//! Tests MPNet encoders, such as all-mpnet-base-v2: a BERT whose attention depends on the distances between tokens.

use nearfind_core::embed::model_pack::ModelPack;
use nearfind_core::embed::{Encoder, Pooling, SharedBytes};
use nearfind_models::model::{ImportOptions, Precision, import, quantize};
use nearfind_tests::write_tiny_mpnet;

/// Imports a tiny MPNet whose vectors are those of the first token.
fn tiny(distance: impl Fn(usize) -> f32) -> ModelPack<SharedBytes> {
    let folder = tempfile::tempdir().unwrap();
    write_tiny_mpnet(folder.path(), distance);
    let options = ImportOptions { name: Some("tiny".into()), pooling: Some(Pooling::Cls), ..ImportOptions::default() };
    import(folder.path(), &options).unwrap()
}

fn encoder(distance: impl Fn(usize) -> f32) -> Encoder {
    Encoder::from_pack(&tiny(distance)).unwrap()
}

#[test]
fn attention_depends_on_distance() {
    let far = -1e4;
    // Rows from 16 on are for tokens to the right. Without them, the first token sees only itself.
    let alone = encoder(|row| if row >= 16 { far } else { 0.0 });
    assert_eq!(alone.encode_query("threads").unwrap(), alone.encode_query("unsafe code").unwrap());
    // To the left of the first token there is nothing to leave out.
    let (free, right) = (encoder(|_| 0.0), encoder(|row| if (1..16).contains(&row) { far } else { 0.0 }));
    assert_ne!(free.encode_query("threads").unwrap(), free.encode_query("unsafe code").unwrap());
    assert_ne!(right.encode_query("threads").unwrap(), right.encode_query("unsafe code").unwrap());
    // Adding the same number to all scores does not change their shares.
    let shifted = encoder(|_| 1.5).encode_query("unsafe code").unwrap();
    for (a, b) in shifted.iter().zip(free.encode_query("unsafe code").unwrap()) {
        assert!((a - b).abs() < 1e-5);
    }
}

#[test]
fn an_mpnet_encoder_is_not_quantized() {
    let error = quantize(&tiny(|_| 0.0), Precision::default(), "tiny-int8").unwrap_err().to_string();
    assert!(error.contains("only natively, in full precision"), "{error}");
}

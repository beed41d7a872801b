//! The encoder gives the vectors that the model's authors' own library gives.

use nearfind_tests::default_model;

#[test]
#[ignore = "needs the default model: `just full` gets it and runs these tests too"]
fn the_default_model_gives_known_vectors() {
    let model = default_model();
    let vector = model.encoder.encode_query("how do I format Tabulator cells?").unwrap();
    // First components from sentence-transformers with all-MiniLM-L6-v2.
    let expected = [0.09126, 0.01578, -0.08196, -0.04336, -0.12628];
    for (found, expected) in vector.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-2, "{found} {expected}");
    }
    assert_eq!(vector.len(), 384);
    assert!((vector.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-5);
}

#[test]
#[ignore = "needs the default model: `just full` gets it and runs these tests too"]
fn a_text_longer_than_the_model_reads_is_cut() {
    let encoder = default_model().encoder;
    let long = "borrow checker ".repeat(400);
    let vector = encoder.encode_query(&long).unwrap();
    assert_eq!(vector, encoder.encode_query(&format!("{long} and more")).unwrap());
    assert_eq!(encoder.encode_query("").unwrap().len(), 384);
}

#[test]
#[ignore = "needs the default model: `just full` gets it and runs these tests too"]
fn near_texts_are_near() {
    let encoder = default_model().encoder;
    let vector = |text: &str| encoder.encode_query(text).unwrap();
    let cosine = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let question = vector("how do two threads share data?");
    let (near, far) = (vector("passing messages between threads"), vector("kneading dough for bread"));
    assert!(cosine(&question, &near) > cosine(&question, &far) + 0.2);
}

//! Checks that the encoder gives nearly the same vectors as the library of the model's authors.

use nearfind_tests::default_model;

#[test]
#[ignore = "needs the default model: `just full` gets it and runs these tests too"]
fn the_default_model_gives_known_vectors() {
    let encoder = default_model().encoder;
    // Computed from the weights in 64-bit floats, independently of this code. The first vector is from
    // sentence-transformers.
    for line in include_str!("known_vectors.tsv").lines() {
        let (text, expected) = line.split_once('\t').unwrap();
        let expected: Vec<f32> = expected.split(' ').map(|component| component.parse().unwrap()).collect();
        let vector = encoder.encode_query(text).unwrap();
        assert_eq!(vector.len(), expected.len());
        assert!((vector.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-5);
        // The model is quantized to 8 and 4 bits. A wrong step, such as another pooling or token, costs a tenth.
        let cosine: f32 = vector.iter().zip(&expected).map(|(a, b)| a * b).sum();
        assert!(cosine > 0.995, "{text}: {cosine}");
    }
}

#[test]
#[ignore = "needs the default model: `just full` gets it and runs these tests too"]
fn a_text_longer_than_the_input_of_the_model_is_cut() {
    let encoder = default_model().encoder;
    let long = "borrow checker ".repeat(400);
    let vector = encoder.encode_query(&long).unwrap();
    assert_eq!(vector, encoder.encode_query(&format!("{long} and more")).unwrap());
    assert_eq!(encoder.encode_query("").unwrap().len(), 384);
}

#[test]
#[ignore = "needs the default model: `just full` gets it and runs these tests too"]
fn texts_with_similar_meanings_have_near_vectors() {
    let encoder = default_model().encoder;
    let vector = |text: &str| encoder.encode_query(text).unwrap();
    let cosine = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let question = vector("how do two threads share data?");
    let (near, far) = (vector("passing messages between threads"), vector("kneading dough for bread"));
    assert!(cosine(&question, &near) > cosine(&question, &far) + 0.2);
}

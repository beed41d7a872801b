//! Checks that chunks of real documents fit the model's input, and that they rebuild the documents.

use nearfind_extract::{Extraction, extract};
use nearfind_indexing::chunk::chunk;
use nearfind_tests::default_model;

#[test]
#[ignore = "needs the default model: `just full` gets it and runs these tests too"]
fn chunks_of_the_projects_own_documents_fit_the_model() {
    let encoder = default_model().encoder;
    let count = |text: &str| encoder.tokenizer().count(text);
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    for path in ["README.md", "ARCHITECTURE.md", "core/FORMAT.md", "LICENSE-APACHE"] {
        let text = std::fs::read_to_string(format!("{root}/{path}")).unwrap();
        let Ok(Extraction::Document(document)) = extract("page.md", text.as_bytes()) else { panic!("{path}") };
        for budget in [64, 200] {
            let chunks = chunk(&document, budget, &count);
            let rebuilt: String = chunks.iter().map(|chunk| &document.text[chunk.range.clone()]).collect();
            assert_eq!(rebuilt, text, "{path}");
            let tokens: Vec<usize> = chunks.iter().map(|chunk| count(&document.text[chunk.range.clone()])).collect();
            // A fragment of less than a hundred characters may be added before and after, and each character may be a
            // token.
            assert!(tokens.iter().all(|tokens| *tokens <= budget + 100), "{path}: {tokens:?}");
            let over = tokens.iter().filter(|tokens| **tokens > budget).count();
            assert!(
                over * 8 <= tokens.len(),
                "{path}: {over} of {} chunks are over {budget}: {tokens:?}",
                tokens.len()
            );
            let full = tokens.iter().filter(|tokens| **tokens * 2 > budget).count();
            assert!(full * 2 > tokens.len(), "{path}: most chunks use most of the budget: {tokens:?}");
        }
    }
}

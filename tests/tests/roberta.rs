//! Tests RoBERTa encoders, such as XLM-R: a BERT with a different checkpoint format.

use nearfind_core::embed::Encoder;
use nearfind_models::model::{ImportOptions, import};
use nearfind_tests::{write_tiny_bert, write_tiny_roberta};
use serde_json::json;

#[test]
fn vectors_equal_those_of_the_same_bert_and_prefixes_come_from_the_configuration() {
    let folder = tempfile::tempdir().unwrap();
    let [bert, roberta] = ["bert", "roberta"].map(|name| folder.path().join(name));
    [&bert, &roberta].into_iter().for_each(|folder| std::fs::create_dir(folder).unwrap());
    write_tiny_bert(&bert);
    write_tiny_roberta(&roberta, &json!({ "query": "query: ", "document": "code: " }));
    let bert = Encoder::from_pack(&import(&bert, &ImportOptions::default()).unwrap()).unwrap();
    let pack = import(&roberta, &ImportOptions::default()).unwrap();
    let roberta = Encoder::from_pack(&pack).unwrap();
    let header = pack.header();
    assert_eq!((header.query_prefix.as_str(), header.passage_prefix.as_str()), ("query: ", "code: "));
    for text in ["thread", "unsafe threads code"] {
        assert_eq!(roberta.encode_query(text).unwrap(), bert.encode_query(&format!("query: {text}")).unwrap());
        let passage = bert.encode_passages(&[&format!("code: {text}")]).unwrap();
        assert_eq!(roberta.encode_passages(&[text]).unwrap(), passage);
    }
}

#[test]
fn options_override_the_configuration() {
    let folder = tempfile::tempdir().unwrap();
    write_tiny_roberta(folder.path(), &json!({ "query": "query: " }));
    let options = ImportOptions { query_prefix: Some("thread ".to_owned()), ..ImportOptions::default() };
    let pack = import(folder.path(), &options).unwrap();
    assert_eq!(pack.header().query_prefix, "thread ");
}

#![no_main]
//! Sends any lines to the server after a handshake. Every line of the answer must be JSON, and the server must answer a
//! ping at the end.
use libfuzzer_sys::fuzz_target;
use nearfind_bundles::bundle_folder::{BuildRecord, BundleWriter};
use nearfind_base::cache_folder::CacheFolder;
use nearfind_base::location::Location;
use nearfind_bundles::library::{Library, LibraryOptions};
use nearfind_mcp::{Budget, Server, ServerOptions, serve_stdio};
use nearfind_models::model::ModelStore;
use nearfind_models::provider::ProviderSettings;
use nearfind_core::bundle::{
    BundleChunk, BundleDocument, BundleOptions, BundleVectors, one_by_one, write_bundle, write_text,
};
use nearfind_core::format::manifest::{ModelModule, ModelReference};
use nearfind_core::records::{DocumentRecord, SectionStart};
use nearfind_core::vector::graph::Graph;
use nearfind_core::vector::rotation::Rotation;
use serde_json::Value;
use std::path::Path;
use std::sync::LazyLock;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

const HANDSHAKE: &str = concat!(
    r#"{"jsonrpc":"2.0","id":"first","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"#,
    r#""clientInfo":{"name":"fuzz","version":"0"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    "\n"
);
const PING: &str = "\n{\"jsonrpc\":\"2.0\",\"id\":\"last\",\"method\":\"ping\"}\n";

/// The beginnings and ends of lines. The fuzzer chooses what is between them.
const LINES: [(&str, &str); 12] = [
    ("", ""),
    (r#"{"jsonrpc":"2.0","id":1,"method":""#, r#""}"#),
    (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"#, "}"),
    (r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search","arguments":{"query":""#, r#""}}}"#),
    (r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"search","arguments":{"query":"dough","#, "}}}"),
    (r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"grep","arguments":{"pattern":""#, r#""}}}"#),
    (r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"get_document","arguments":{"#, "}}}"),
    (r#"{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"list_documents","arguments":{"#, "}}}"),
    (r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"related","arguments":{"#, "}}}"),
    (r#"{"jsonrpc":"2.0","id":8,"method":"resources/read","params":{"uri":""#, r#""}}"#),
    (r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"#, "}}"),
    (r#"{"jsonrpc":"2.0","id":9,"method":"server/discover","params":{"_meta":{"#, "}}}"),
];

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().expect("threads"));

static SERVER: LazyLock<Server> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("nearfind-fuzz-protocol-{}", std::process::id()));
    write_documents(&folder);
    let options = LibraryOptions {
        store: ModelStore::open(Some(folder.join("models"))).expect("a place"),
        cache: CacheFolder::at(None),
        model: None,
        fetch_models: false,
        providers: ProviderSettings::default(),
        how_to_build: |_| None,
    };
    let library = Library::open(&[Location::Folder(folder)], options).expect("a bundle");
    let options = ServerOptions {
        budget: Budget::of_tokens(2000),
        update: None,
        background: None,
        structured: true,
        tools: nearfind_mcp::ToolSet::All,
        others: None,
        shows_roots: true,
        last_changes: |_, places| places.iter().map(|_| Ok(None)).collect(),
    };
    Server::new(library, options)
});

/// Writes a bundle of two documents with vectors of three dimensions.
fn write_documents(folder: &Path) {
    let document = |name: &str, text: &str| BundleDocument {
        record: DocumentRecord {
            id: format!("docs/{name}.md"),
            path: format!("{name}.md"),
            title: name.to_owned(),
            ..DocumentRecord::default()
        },
        text: text.to_owned(),
        chunks: vec![BundleChunk {
            range: 0..text.len(),
            sections: vec![SectionStart { at: 0, title: "Dough".into(), anchor: "dough".into() }],
            ..BundleChunk::default()
        }],
        ..BundleDocument::default()
    };
    let documents = [
        document("bread", "## Dough\n\nFlour, water, salt. Knead it and let it rest.\n"),
        document("cake", "## Dough\n\nFlour, eggs, sugar. It is baked at once.\n"),
    ];
    let options = BundleOptions { trigrams: true, ..BundleOptions::default() };
    let rotation = Rotation::new(vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], 3);
    let graph = Graph::new(vec![vec![1], vec![0]]);
    let rotated = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let vectors =
        BundleVectors { rotated: &rotated, rotation: &rotation, graph: &graph, graph_entry: 0, encoder: None, knows_latin_alone: false };
    let model = ModelReference { name: "toy".into(), hash: "0".repeat(64), module: ModelModule::Embed, probe: None, file: None, small: None };
    let text = write_text(&["docs".into()], &documents, &options, &one_by_one);
    let bundle = write_bundle(text, &documents, &vectors, model, &options, &one_by_one);
    let mut writer = BundleWriter::open(folder, &CacheFolder::at(None)).expect("a folder");
    writer.write(&bundle, &[], BuildRecord::default()).expect("it can be written");
}

/// Returns everything that the server answers to `written`.
async fn answers(written: Vec<u8>) -> String {
    let (mut client, of_server) = tokio::io::duplex(64 << 10);
    let (input, output) = tokio::io::split(of_server);
    let served = tokio::spawn(serve_stdio(SERVER.clone(), input, output, CancellationToken::new()));
    let (mut reader, mut writer) = tokio::io::split(&mut client);
    let mut answers = String::new();
    let write = async {
        // A server that ends the connection does not read the rest.
        let _ = writer.write_all(&written).await;
        let _ = writer.shutdown().await;
    };
    let (read, ()) = tokio::join!(reader.read_to_string(&mut answers), write);
    read.expect("answers are UTF-8");
    served.await.expect("no panic").expect("the client speaks MCP");
    answers
}

fuzz_target!(|lines: Vec<(u8, Vec<u8>)>| {
    let mut written = HANDSHAKE.as_bytes().to_vec();
    for (kind, said) in lines {
        let (before, after) = LINES[usize::from(kind) % LINES.len()];
        written.extend([before.as_bytes(), &said, after.as_bytes(), b"\n"].concat());
    }
    written.extend(PING.as_bytes());
    let answers = RUNTIME.block_on(answers(written));
    let parsed: Vec<Value> =
        answers.lines().map(|line| serde_json::from_str(line).expect("every line is JSON")).collect();
    assert!(parsed.iter().any(|answer| answer["id"] == "last" && answer["result"].is_object()), "{answers}");
});

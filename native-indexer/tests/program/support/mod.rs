//! Temporary sites, a tiny model, and the binary.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use tract_onnx::pb;

/// Returns the binary with the user's models, including the default one. The cache is separate, so that embeddings of
/// tests do not stay in the user's cache.
fn command_with_default_model(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nearfind"));
    command.args(arguments).env("NEARFIND_CACHE", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
    command
}

/// Returns the binary with a separate store, which only contains the tiny model.
fn command(arguments: &[&str]) -> Command {
    static MODELS: OnceLock<PathBuf> = OnceLock::new();
    let models = MODELS.get_or_init(|| {
        let store = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("models").join(env!("CARGO_CRATE_NAME"));
        let folder = tempfile::tempdir().expect("a folder");
        let model = tiny_onnx_model(folder.path().to_str().expect("UTF-8"));
        let mut import = command_with_default_model(&["model", "import", &model, "--name", "tiny"]);
        let imported = import.env("NEARFIND_MODELS", &store).output().expect("the binary starts");
        assert!(imported.status.success(), "{}", stderr(&imported));
        store
    });
    let mut command = command_with_default_model(arguments);
    command.env("NEARFIND_MODELS", models);
    command
}

/// Runs the binary with the tiny model.
pub(crate) fn nearfind(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the binary starts")
}

/// Runs the binary with the default model.
pub(crate) fn nearfind_with_default_model(arguments: &[&str]) -> Output {
    command_with_default_model(arguments).output().expect("the binary starts")
}

/// Returns the binary with `folder` as its working directory, and with models, cache and collections in it instead of
/// the user's.
pub(crate) fn command_in(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nearfind"));
    command.args(arguments).current_dir(folder).env("NEARFIND_CACHE", folder.join("cache"));
    command.env("NEARFIND_MODELS", folder.join("models")).env("NEARFIND_HOME", folder.join("home"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the binary in `folder`: see [`command_in`].
pub(crate) fn nearfind_in(folder: &Path, arguments: &[&str]) -> Output {
    command_in(folder, arguments).output().expect("the binary starts")
}

/// A folder with a store that contains the tiny model, called `tiny`.
pub(crate) struct Workplace {
    folder: PathBuf,
    /// Removes the folder when dropped, if it is temporary.
    temporary: Option<tempfile::TempDir>,
}

impl Workplace {
    pub(crate) fn new() -> Self {
        let temporary = tempfile::tempdir().expect("a folder");
        let mut place = Self::at(temporary.path().to_owned());
        place.temporary = Some(temporary);
        place
    }

    /// Opens a workplace that is kept between runs.
    pub(crate) fn at(folder: PathBuf) -> Self {
        let place = Self { folder, temporary: None };
        if place.path("models").exists() {
            return place;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let model = tiny_onnx_model(folder.path().to_str().expect("UTF-8"));
        let imported = place.run(&["model", "import", &model, "--name", "tiny"]);
        assert!(imported.status.success(), "{}", stderr(&imported));
        place
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn path(&self, inside: &str) -> PathBuf {
        self.folder().join(inside)
    }

    /// Writes a file, and creates its folders.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }

    /// Runs the binary in the folder.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        nearfind_in(self.folder(), arguments)
    }
}

/// Runs the binary with `input` on its standard input.
pub(crate) fn nearfind_with_input(arguments: &[&str], input: &str) -> Output {
    let mut child = command(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the binary starts");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it reads");
    child.wait_with_output().expect("it ends")
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

/// A temporary folder with documents and a place for a bundle.
pub(crate) struct Site(tempfile::TempDir);

impl Site {
    /// Creates a site with two Markdown files and an HTML page.
    pub(crate) fn with_docs() -> Self {
        let site = Self(tempfile::tempdir().expect("a folder"));
        site.write("guide/channels.md", "# Channels\n\nThreads send messages to each other through channels. The receiver blocks until one arrives.\n");
        site.write(
            "guide/unsafe.md",
            "---\ntitle: Unsafe code\n---\n# Unsafe\n\nRaw pointers may be null. Only unsafe code follows them.\n",
        );
        site.write("api.html", "<!doctype html><title>API</title><nav>menu</nav><main><h1>Reference</h1><h2 id='frobnicate'>frobnicate_all</h2><p>Calls <code>frobnicate_all()</code> on every item of the list, in order of their keys, and returns the number of those that changed in the process.</p></main>");
        site
    }

    /// Creates the same site, and indexes it.
    pub(crate) fn indexed() -> Self {
        let site = Self::with_docs();
        let output = site.index(&["-q"]);
        assert!(output.status.success(), "{}", stderr(&output));
        site
    }

    /// Indexes the documents with the tiny model.
    pub(crate) fn index(&self, arguments: &[&str]) -> Output {
        nearfind(&[&["index", &self.docs(), "-o", &self.bundle(), "--model", "tiny"], arguments].concat())
    }

    pub(crate) fn path(&self, inside: &str) -> String {
        self.0.path().join(inside).to_str().expect("UTF-8").to_owned()
    }

    pub(crate) fn docs(&self) -> String {
        self.path("docs")
    }

    pub(crate) fn bundle(&self) -> String {
        self.path("bundle")
    }

    /// Writes a file below the folder of documents.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = PathBuf::from(self.docs()).join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }

    /// Returns the name and the content of every file of the bundle, without internal files.
    pub(crate) fn bundle_files(&self) -> BTreeMap<String, Vec<u8>> {
        let entries = std::fs::read_dir(self.bundle()).expect("a bundle");
        let file = |entry: std::io::Result<std::fs::DirEntry>| {
            let entry = entry.expect("an entry");
            (entry.file_name().into_string().expect("UTF-8"), std::fs::read(entry.path()).expect("a file"))
        };
        entries.map(file).filter(|(name, _)| !name.starts_with('.')).collect()
    }

    /// Returns the file of the bundle that contains `part`.
    pub(crate) fn file_of(&self, part: &str) -> String {
        let files = self.bundle_files();
        let name = files.keys().find(|name| *name == part || name.starts_with(&format!("{part}-")));
        self.path(&format!("bundle/{}", name.expect("the part is there")))
    }
}

/// Returns row `id` of the table of [`tiny_onnx_model`].
pub(crate) fn tiny_row(id: usize) -> [f32; 4] {
    [1.0, id as f32, (id * id % 7) as f32, -0.5 * id as f32]
}

/// Writes an ONNX encoder that looks up tokens in a table, and its tokenizer. Returns the path of the model.
pub(crate) fn tiny_onnx_model(folder: &str) -> String {
    const PIECES: [&str; 8] = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "thread", "##s", "unsafe", "code"];
    let dimension = |value| pb::tensor_shape_proto::Dimension { value: Some(value), ..Default::default() };
    let named = |name: &str| dimension(pb::tensor_shape_proto::dimension::Value::DimParam(name.into()));
    let value = |name: &str, kind: pb::tensor_proto::DataType, dim: Vec<pb::tensor_shape_proto::Dimension>| {
        pb::ValueInfoProto {
            name: name.into(),
            r#type: Some(pb::TypeProto {
                value: Some(pb::type_proto::Value::TensorType(pb::type_proto::Tensor {
                    elem_type: kind.into(),
                    shape: Some(pb::TensorShapeProto { dim }),
                })),
                ..Default::default()
            }),
            ..Default::default()
        }
    };
    let table = pb::TensorProto {
        name: "table".into(),
        dims: vec![PIECES.len() as i64, 4],
        data_type: pb::tensor_proto::DataType::Float.into(),
        float_data: (0..PIECES.len()).flat_map(tiny_row).collect(),
        ..Default::default()
    };
    let gather = pb::NodeProto {
        name: "look_up".into(),
        op_type: "Gather".into(),
        input: vec!["table".into(), "input_ids".into()],
        output: vec!["last_hidden_state".into()],
        ..Default::default()
    };
    let graph = pb::GraphProto {
        name: "tiny".into(),
        node: vec![gather],
        initializer: vec![table],
        input: vec![value("input_ids", pb::tensor_proto::DataType::Int64, vec![named("batch"), named("tokens")])],
        output: vec![value("last_hidden_state", pb::tensor_proto::DataType::Float, Vec::new())],
        ..Default::default()
    };
    let model = pb::ModelProto {
        ir_version: 8,
        opset_import: vec![pb::OperatorSetIdProto { domain: String::new(), version: 15 }],
        graph: Some(graph),
        ..Default::default()
    };
    let folder = PathBuf::from(folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("tiny.onnx"), prost::Message::encode_to_vec(&model)).expect("a file");
    let vocab: serde_json::Map<_, _> =
        PIECES.iter().enumerate().map(|(id, piece)| ((*piece).into(), id.into())).collect();
    let tokenizer = serde_json::json!({
        "version": "1.0",
        "added_tokens": [],
        "normalizer": { "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true },
        "pre_tokenizer": { "type": "BertPreTokenizer" },
        "post_processor": { "type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1] },
        "model": { "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": vocab }
    });
    std::fs::write(folder.join("tokenizer.json"), tokenizer.to_string()).expect("a file");
    folder.join("tiny.onnx").to_str().expect("UTF-8").to_owned()
}

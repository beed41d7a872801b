// The bundle of the examples in the documentation, which include this file: the pages `branch.md` and `undo.md` of the
// project `docs`, and the file `session.py` of the project `src`.

use nearfind_core::bundle::*;
use nearfind_core::format::blocks::BlockId;
use nearfind_core::format::manifest::{ModelModule, ModelReference};
use nearfind_core::reader::BundleReader;
use nearfind_core::records::{DocumentRecord, SectionStart};
use nearfind_core::search::{Advance, Answer, CODE, KIND, Mode, Query, Session};
use nearfind_core::symbols::{Definition, SymbolKind};
use nearfind_core::vector::{graph::Graph, rotation::Rotation};

const SOURCE: &str = "class Session:\n    def send(self):\n        return 1\n";

fn document(project: u32, path: &str, title: &str, text: &str) -> BundleDocument {
    let chunk = BundleChunk { range: 0..text.len(), sections: vec![SectionStart::default()], ..BundleChunk::default() };
    let id = format!("{}/{path}", ["docs", "src"][project as usize]);
    let record = DocumentRecord { project, id, path: path.into(), title: title.into(), ..DocumentRecord::default() };
    BundleDocument { record, text: text.into(), chunks: vec![chunk], ..BundleDocument::default() }
}

fn source() -> BundleDocument {
    let definition = |name: &str, kind, scope: &str, lines, signature| Definition {
        name: name.into(),
        kind,
        scope: scope.into(),
        lines,
        signature,
    };
    let definitions = vec![
        definition("Session", SymbolKind::Class, "", (1, 3), 0..14),
        definition("send", SymbolKind::Method, "Session", (2, 3), 19..34),
    ];
    let symbols = definitions.iter().map(Definition::qualified).collect();
    BundleDocument {
        facets: [(KIND.to_owned(), [CODE.to_owned()].into())].into(),
        code: Some(BundleCode { symbols, definitions, ..BundleCode::default() }),
        ..document(1, "session.py", "session.py", SOURCE)
    }
}

/// Writes the bundle.
pub fn small_bundle() -> Bundle {
    let documents = [
        document(0, "branch.md", "Branches", "Create a branch at a commit with `git switch -c name`.\n"),
        document(0, "undo.md", "Undo", "Run `git revert` to undo a commit.\n"),
        source(),
    ];
    let rotation = Rotation::new(vec![1.0, 0.0, 0.0, 1.0], 2);
    let graph = Graph::new(vec![vec![1], vec![0, 2], vec![1]]);
    let vectors = BundleVectors {
        rotated: &[1.0, 0.0, 0.8, 0.6, 0.0, 1.0],
        rotation: &rotation,
        graph: &graph,
        graph_entry: 0,
        encoder: None,
        knows_latin_alone: false,
    };
    let model = ModelReference {
        name: "example".into(),
        hash: "0".repeat(64),
        module: ModelModule::Embed,
        probe: None,
        file: None,
        small: None,
    };
    let options = BundleOptions { trigrams: true, ..BundleOptions::default() };
    let text = write_text(&["docs".into(), "src".into()], &documents, &options, &one_by_one);
    write_bundle(text, &documents, &vectors, model, &options, &one_by_one)
}

/// Opens the bundle.
pub fn open(bundle: &Bundle) -> BundleReader {
    BundleReader::new(bundle.manifest.root().unwrap())
}

/// Returns the stored bytes of a block.
pub fn stored<'a>(bundle: &'a Bundle, reader: &BundleReader, block: BlockId) -> &'a [u8] {
    let wanted = reader.request(block).unwrap();
    let file = bundle.parts.iter().find(|file| file.name == wanted.file).unwrap();
    &file.bytes[wanted.start as usize..][..wanted.bytes as usize]
}

/// Provides blocks, as a host does.
pub fn bring(bundle: &Bundle, reader: &mut BundleReader, blocks: impl IntoIterator<Item = BlockId>) {
    for block in blocks {
        let bytes = stored(bundle, reader, block);
        reader.provide(block, bytes).unwrap();
    }
}

/// Answers a query.
pub fn ask(bundle: &Bundle, reader: &mut BundleReader, query: Query) -> Answer {
    let query = Query { mode: Mode::Words, limit: 10, ..query };
    let mut session = Session::new(&[&*reader], query).unwrap();
    loop {
        match session.advance(&[&*reader]).unwrap() {
            Advance::Done(answer) => return *answer,
            Advance::Preview(_) => {}
            Advance::Need(blocks) => bring(bundle, reader, blocks.into_iter().map(|(_, block)| block)),
        }
    }
}

//! Messages for tests.

use cfb::CompoundFile;
use std::io::{Cursor, Write as _};

type File = CompoundFile<Cursor<Vec<u8>>>;

fn stream(file: &mut File, path: &str, bytes: &[u8]) {
    file.create_stream(path).unwrap().write_all(bytes).unwrap();
}

fn text(file: &mut File, storage: &str, id: u16, text: &str) {
    let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    stream(file, &format!("{storage}/__substg1.0_{id:04X}001F"), &bytes);
}

/// Writes the table of short properties. Each entry has a type, a number and a value.
fn table(file: &mut File, storage: &str, header: usize, entries: &[(u16, u16, u64)]) {
    let mut bytes = vec![0; header];
    for (kind, id, value) in entries {
        bytes.extend([kind.to_le_bytes(), id.to_le_bytes(), [6, 0], [0, 0]].concat());
        bytes.extend(value.to_le_bytes());
    }
    stream(file, &format!("{storage}/__properties_version1.0"), &bytes);
}

/// Returns an Outlook message with a text, an attached file and an attached message.
pub(in super::super) fn outlook_file() -> Vec<u8> {
    let mut file = CompoundFile::create(Cursor::new(Vec::new())).unwrap();
    let ticks = (1_709_202_600 + 11_644_473_600) * 10_000_000;
    table(&mut file, "", 32, &[(0x0040, 0x0039, ticks), (0x0003, 0x3fde, 1252)]);
    stream(&mut file, "/__substg1.0_0037001E", b"Gr\xf6\xdfe der Kessel");
    text(&mut file, "", 0x1000, "Bitte entkalken.");
    text(&mut file, "", 0x0c1a, "Jane Doe");
    text(&mut file, "", 0x0c1f, "/O=COMPANY/CN=JANE");
    text(&mut file, "", 0x5d01, "jane@example.org");
    for (number, name, address, kind) in [(0, "Bob", "bob@example.org", 1), (1, "Chef", "", 2), (2, "Hidden", "", 3)] {
        let storage = format!("/__recip_version1.0_#0000000{number}");
        file.create_storage(&storage).unwrap();
        table(&mut file, &storage, 8, &[(0x0003, 0x0c15, kind)]);
        text(&mut file, &storage, 0x3001, name);
        text(&mut file, &storage, 0x39fe, address);
    }
    file.create_storage("/__attach_version1.0_#00000000").unwrap();
    text(&mut file, "/__attach_version1.0_#00000000", 0x3707, "plan.txt");
    stream(&mut file, "/__attach_version1.0_#00000000/__substg1.0_37010102", b"The plan of the plant.");
    let inner = "/__attach_version1.0_#00000001/__substg1.0_3701000D";
    file.create_storage_all(inner).unwrap();
    table(&mut file, inner, 24, &[]);
    text(&mut file, inner, 0x0037, "Inside");
    text(&mut file, inner, 0x1000, "The text inside.");
    file.flush().unwrap();
    file.into_inner().into_inner()
}

/// Returns a message with `parts`, each with headers and a body.
pub(crate) fn mail(parts: &[(&str, &str)]) -> String {
    let head = "From: Jane Doe <jane@x.org>\nTo: bob@x.org, Eve <eve@x.org>\nCc: chef@x.org\nSubject: The plan\nDate: Thu, 2 May 2024 10:00:00 +0200\nContent-Type: multipart/mixed; boundary=\"=b\"\n\n";
    let parts = parts.iter().map(|(head, body)| format!("--=b\n{head}\n\n{body}\n"));
    format!("{head}{}--=b--\n", parts.collect::<String>())
}

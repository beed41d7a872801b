//! Unpacks an archive and the archives inside it.

use super::budget::Budget;
use super::entry::{Entry, Next};
use super::format::ArchiveFormat;
use super::inner_path::{InnerPath, inner_path};
use super::{tar_files, warc_files, zip_files};
use crate::kinds::{FileKind, kind_with_text};
use nearfind_base::root_folder::too_large;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Maximum number of files in an archive, including the files in the archives inside it.
const MAX_FILES: usize = 100_000;
/// Maximum size of the names of all these files in bytes.
const MAX_NAMES_BYTES: usize = 16 << 20;
/// Maximum unpacked size of an archive in bytes.
const MAX_UNPACKED_BYTES: u64 = 1 << 30;
/// Maximum number of unpacked bytes per byte of an archive, beyond `ALWAYS_UNPACKED_BYTES`. Text is rarely compressed
/// to less than a fiftieth.
const MAX_RATIO: u64 = 200;
const ALWAYS_UNPACKED_BYTES: u64 = 64 << 20;
/// Maximum size in bytes of an archive inside another. Both stay in memory while the inner archive's files are read.
const MAX_INNER_ARCHIVE_BYTES: u64 = 64 << 20;
/// Maximum number of archives inside each other, including the outermost.
const MAX_DEPTH: usize = 3;
/// Maximum number of unreadable files per archive to report by name. The others are only counted.
const MAX_PROBLEMS: usize = 50;
/// Prefix of the names of lock files that Office keeps next to an open file.
const OWNER_FILE: &str = "~$";

/// The information about an archive besides the files that were passed to the visitor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contents {
    /// Paths of files in formats without a reader.
    pub unread: Vec<String>,
    /// The files that could not be read.
    pub problems: Vec<Problem>,
    /// The URLs of files that are web pages, by path.
    pub addresses: BTreeMap<String, String>,
}

/// A file in an archive that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The file's path in the archive. Empty for the archive itself.
    pub path: String,
    /// The problem, as a clause for a report.
    pub what: String,
}

/// Passes each readable file in the archive `bytes` to `visit`, with its path in the archive. If a path occurs several
/// times, the last file counts, as when an archive is unpacked.
pub fn unpack(format: ArchiveFormat, bytes: &[u8], visit: &mut dyn FnMut(&str, Vec<u8>)) -> Contents {
    let most = MAX_UNPACKED_BYTES.min(MAX_RATIO * bytes.len() as u64 + ALWAYS_UNPACKED_BYTES);
    let (budget, limits) = (Budget::new(most), Limits { files: MAX_FILES, most });
    let mut unpacking = Unpacking::new(visit, &budget, limits);
    // If a library panics, only this archive is lost.
    if catch_unwind(AssertUnwindSafe(|| unpacking.archive(format, bytes, "", 1))).is_err() {
        unpacking.note("", "the rest of it is left out: its reader failed; please report it");
    }
    unpacking.into_contents()
}

/// The limits for an archive: the number of files, and the unpacked bytes.
struct Limits {
    files: usize,
    most: u64,
}

struct Unpacking<'a> {
    visit: &'a mut dyn FnMut(&str, Vec<u8>),
    budget: &'a Budget,
    limits: Limits,
    files: usize,
    names_bytes: usize,
    contents: Contents,
    /// Number of problems beyond `MAX_PROBLEMS`.
    unnamed: usize,
    /// Whether the archive exceeded a limit, so that nothing more is read.
    is_full: bool,
}

impl<'a> Unpacking<'a> {
    fn new(visit: &'a mut dyn FnMut(&str, Vec<u8>), budget: &'a Budget, limits: Limits) -> Self {
        let contents = Contents::default();
        Self { visit, budget, limits, files: 0, names_bytes: 0, contents, unnamed: 0, is_full: false }
    }

    /// Unpacks the archive in `bytes`. `folder` is the prefix of its files' paths: the archive's path with a slash, or
    /// empty for the outermost archive. `depth` is 1 for the outermost archive.
    fn archive(&mut self, format: ArchiveFormat, bytes: &[u8], folder: &str, depth: usize) {
        let before = self.files;
        let (budget, most) = (self.budget, self.limits.files);
        let take = &mut |entry: Entry<'_>| self.entry(entry, folder, depth);
        let read = match format {
            ArchiveFormat::Zip => zip_files::each(bytes, most, take),
            ArchiveFormat::Tar => tar_files::each(bytes, budget, take),
            ArchiveFormat::Warc => warc_files::each(bytes, budget, take),
        };
        match read {
            _ if self.is_full => {}
            _ if self.budget.is_spent() => self.stop(&format!("unpacks to more than {} MB", self.limits.most >> 20)),
            Ok(()) => {}
            Err(error) => {
                let what = if self.files > before { "the rest of it is left out" } else { "left out" };
                self.note(folder.trim_end_matches('/'), &format!("{what}, {error}"));
            }
        }
    }

    /// Counts a file in an archive, and handles it if the limits allow.
    fn entry(&mut self, entry: Entry<'_>, folder: &str, depth: usize) -> Next {
        self.files += 1;
        self.names_bytes += folder.len() + entry.name.len();
        if self.files > self.limits.files {
            self.stop(&format!("has more than {} files", self.limits.files));
        } else if self.names_bytes > MAX_NAMES_BYTES {
            self.stop(&format!("has more than {} MB of names", MAX_NAMES_BYTES >> 20));
        } else {
            self.file(entry, folder, depth);
        }
        if self.is_full || self.budget.is_spent() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn file(&mut self, entry: Entry<'_>, folder: &str, depth: usize) {
        let inner = match inner_path(&entry.name) {
            Ok(InnerPath::File(inner)) => inner,
            Ok(InnerPath::Hidden) => return,
            Err(problem) => return self.leave_out(&format!("{folder}{}", shown(&entry.name)), problem),
        };
        let path = format!("{folder}{inner}");
        if inner.rsplit('/').next().is_some_and(|name| name.starts_with(OWNER_FILE)) {
            return;
        }
        let archive = ArchiveFormat::of(&path);
        let most = match (kind_with_text(Path::new(&path)), archive) {
            (Some(kind), _) => FileKind::max_bytes(kind),
            (None, Some(_)) => MAX_INNER_ARCHIVE_BYTES,
            (None, None) => return self.contents.unread.push(path),
        };
        if let Some(obstacle) = entry.obstacle {
            return self.leave_out(&path, obstacle);
        }
        if archive.is_some() && depth == MAX_DEPTH {
            return self.leave_out(&path, &format!("it is nested in more than {MAX_DEPTH} archives: unpack it"));
        }
        if entry.size > most {
            return self.leave_out(&path, &too_large(most));
        }
        match entry.content.unpack(most, self.budget) {
            _ if self.budget.is_spent() => {}
            Ok(bytes) if bytes.len() as u64 > most => self.leave_out(&path, &too_large(most)),
            Ok(bytes) => {
                if let Some(format) = archive {
                    self.archive(format, &bytes, &format!("{path}/"), depth + 1);
                } else {
                    (self.visit)(&path, bytes);
                    self.contents.addresses.extend(entry.address.map(|address| (path, address)));
                }
            }
            Err(problem) => self.leave_out(&path, &problem),
        }
    }

    /// Stops reading the archive because it exceeds a limit. `excess` is the predicate of the message.
    fn stop(&mut self, excess: &str) {
        self.is_full = true;
        self.contents
            .problems
            .push(Problem { path: String::new(), what: format!("the rest of it is left out, it {excess}: unpack it") });
    }

    fn leave_out(&mut self, path: &str, reason: &str) {
        self.note(path, &format!("left out, {reason}"));
    }

    fn note(&mut self, path: &str, what: &str) {
        if self.contents.problems.len() < MAX_PROBLEMS {
            self.contents.problems.push(Problem { path: path.to_owned(), what: what.to_owned() });
        } else {
            self.unnamed += 1;
        }
    }

    fn into_contents(mut self) -> Contents {
        if self.unnamed > 0 {
            let what = format!("{} more of its files are left out for similar reasons", self.unnamed);
            self.contents.problems.push(Problem { path: String::new(), what });
        }
        self.contents
    }
}

/// Returns the start of an unchecked name for a message.
fn shown(name: &str) -> String {
    crate::words::one_line(&name.chars().take(200).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;
    use std::io::{Cursor, Write as _};
    use zip::write::SimpleFileOptions;

    fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in files {
            writer.start_file(*name, SimpleFileOptions::default()).unwrap();
            writer.write_all(content).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (name, content) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
            header.set_cksum();
            builder.append(&header, *content).unwrap();
        }
        builder.into_inner().unwrap()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    /// Returns the paths and lengths of the files in an archive, and one line per problem.
    fn listed(format: ArchiveFormat, bytes: &[u8]) -> (Vec<(String, usize)>, Vec<String>) {
        let mut files = Vec::new();
        let contents = unpack(format, bytes, &mut |path, bytes| files.push((path.to_owned(), bytes.len())));
        (files, lines(contents))
    }

    fn lines(contents: Contents) -> Vec<String> {
        contents.problems.into_iter().map(|problem| format!("{}: {}", problem.path, problem.what)).collect()
    }

    #[test]
    fn archives_inside_are_folders_too() {
        let deepest = zip(&[("d.txt", b"too deep")]);
        let third = zip(&[("c.txt", b"three"), ("fourth.zip", &deepest)]);
        let second = gzip(&tar(&[("b.txt", b"two"), ("third.zip", &third)]));
        let first = zip(&[("a/a.txt", b"one"), ("a/second.tgz", &second), ("a/.hidden.txt", b""), ("run.exe", b"")]);
        let mut files = Vec::new();
        let contents = unpack(ArchiveFormat::Zip, &first, &mut |path, bytes| files.push((path.to_owned(), bytes)));
        let expected = [("a/a.txt", "one"), ("a/second.tgz/b.txt", "two"), ("a/second.tgz/third.zip/c.txt", "three")];
        assert_eq!(files, expected.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec())));
        assert_eq!(contents.unread, ["run.exe"]);
        assert_eq!(
            lines(contents),
            ["a/second.tgz/third.zip/fourth.zip: left out, it is nested in more than 3 archives: unpack it"]
        );
    }

    #[test]
    fn names_that_lead_out_and_links_are_refused_one_by_one() {
        let mut bytes = tar(&[("../out.txt", b"x"), ("/etc/a.txt", b"x"), ("in.txt", b"first")]);
        // Remove the two empty blocks at the end, to append an entry.
        bytes.truncate(bytes.len() - 1024);
        let mut builder = tar::Builder::new(bytes);
        let mut link = tar::Header::new_gnu();
        link.set_entry_type(tar::EntryType::Symlink);
        link.set_size(0);
        builder.append_link(&mut link, "link.txt", "/etc/passwd").unwrap();
        let long = format!("{}/long.txt", "folder/".repeat(30));
        let mut header = tar::Header::new_gnu();
        header.set_size(4);
        builder.append_data(&mut header, &long, &b"long"[..]).unwrap();
        builder.append_data(&mut header, "in.txt", &b"last"[..]).unwrap();
        let (files, problems) = listed(ArchiveFormat::Tar, &builder.into_inner().unwrap());
        let long = long.replace("//", "/");
        assert_eq!(
            files,
            [("in.txt", 5), (long.as_str(), 4), ("in.txt", 4)].map(|(path, size)| (path.to_owned(), size))
        );
        assert_eq!(
            problems,
            [
                "../out.txt: left out, its name leads out of the archive",
                "/etc/a.txt: left out, its name leads out of the archive",
                "link.txt: left out, it is a link",
            ]
        );
        let (files, problems) = listed(ArchiveFormat::Zip, &zip(&[("../../out.txt", b"x"), ("b\\in.txt", b"x")]));
        assert_eq!(files, [("b/in.txt".to_owned(), 1)]);
        assert_eq!(problems, ["../../out.txt: left out, its name leads out of the archive"]);
    }

    #[test]
    fn encrypted_files_are_named() {
        let mut bytes = zip(&[("secret.txt", b"x"), ("open.txt", b"y")]);
        for (record, flags) in [(&b"PK\x03\x04"[..], 6), (&b"PK\x01\x02"[..], 8)] {
            let at = memchr::memmem::find(&bytes, record).unwrap();
            bytes[at + flags] |= 1;
        }
        let (files, problems) = listed(ArchiveFormat::Zip, &bytes);
        assert_eq!(files, [("open.txt".to_owned(), 1)]);
        assert_eq!(problems, ["secret.txt: left out, it is encrypted: unpack the archive with its password"]);
    }

    #[test]
    fn no_archive_unpacks_to_more_than_its_budget() {
        let zeros = vec![b' '; 300_000];
        let within = |format, bytes: &[u8], limits: Limits| {
            let (mut files, budget) = (0, Budget::new(limits.most));
            let visit = &mut |_: &str, _| files += 1;
            let mut unpacking = Unpacking::new(visit, &budget, limits);
            unpacking.archive(format, bytes, "", 1);
            let problems = lines(unpacking.into_contents());
            (files, problems)
        };
        let limits = || Limits { files: 10, most: 1 << 20 };
        let spent = ": the rest of it is left out, it unpacks to more than 1 MB: unpack it";
        let files = ["1.txt", "2.txt", "3.txt", "4.txt", "5.txt"].map(|name| (name, &zeros[..]));
        let nested = zip(&[("a.zip", &zip(&files[..2])), ("b.zip", &zip(&files[..2]))]);
        for (format, bytes) in [
            (ArchiveFormat::Zip, zip(&files)),
            (ArchiveFormat::Tar, tar(&files)),
            (ArchiveFormat::Tar, gzip(&tar(&files))),
            (ArchiveFormat::Zip, nested),
        ] {
            assert_eq!(within(format, &bytes, limits()), (3, vec![spent.to_owned()]));
        }
        // The file is skipped without a reader, but a compressed archive is unpacked to skip it.
        let bomb = gzip(&tar(&[("a.bin", &vec![0; 2 << 20])]));
        assert_eq!(within(ArchiveFormat::Tar, &bomb, limits()), (0, vec![spent.to_owned()]));
        let names: Vec<String> = (0..20).map(|number| format!("{number}.txt")).collect();
        let many: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"x"[..])).collect();
        assert_eq!(within(ArchiveFormat::Tar, &tar(&many), limits()).0, 10);
        assert_eq!(
            within(ArchiveFormat::Zip, &zip(&many), limits()),
            (0, vec![": left out, it is damaged: it has more than 10 files".to_owned()])
        );
    }

    #[test]
    fn what_comes_before_damage_is_read() {
        let digits: String = (0..20_000).map(|number| (number * 7919).to_string()).collect();
        let mut bytes = gzip(&tar(&[("a.txt", b"whole"), ("b.txt", digits.as_bytes())]));
        bytes.truncate(bytes.len() / 2);
        let (files, problems) = listed(ArchiveFormat::Tar, &bytes);
        assert_eq!(files, [("a.txt".to_owned(), 5)]);
        assert!(problems[0].starts_with("b.txt: left out, it is damaged"), "{problems:?}");
        assert!(problems[1].starts_with(": the rest of it is left out, it is damaged"), "{problems:?}");
        let (files, problems) = listed(ArchiveFormat::Zip, b"PK\x03\x04 and nothing");
        assert!(files.is_empty() && problems[0].starts_with(": left out, it is damaged"), "{problems:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn any_bytes_are_unpacked_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..60), at in 0usize..2000, cut in 0usize..2000) {
            let inner = zip(&[("x/y.txt", b"text"), ("z.md", b"# Text")]);
            let files: [(&str, &[u8]); 2] = [("a.txt", b"some text"), ("inner.zip", &inner)];
            for (format, whole) in [
                (ArchiveFormat::Zip, zip(&files)),
                (ArchiveFormat::Tar, tar(&files)),
                (ArchiveFormat::Tar, gzip(&tar(&files))),
            ] {
                let mut damaged = whole;
                for (place, byte) in bytes.iter().enumerate() {
                    let length = damaged.len();
                    damaged[(at + place * 7) % length] = *byte;
                }
                damaged.truncate(cut.max(10));
                let contents = unpack(format, &damaged, &mut |path, _| assert!(!path.contains("..") && !path.starts_with('/')));
                prop_assert!(contents.problems.iter().all(|problem| !problem.what.contains("its reader failed")), "{:?}", contents.problems);
            }
        }
    }
}

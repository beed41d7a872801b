//! A file of records with keys. Records are appended under a lock. The file contains a magic number and, for each record,
//! the key, the length of the body, the body and a checksum. Reading ends at a torn or damaged record, which the next
//! record overwrites. Bodies stay in the file until they are needed.

use crate::readable_file;
use crate::shared_lock::{is_same_file, lock_of, release};
use crate::terminal::remark_line;
use anyhow::{Context as _, Result};
use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, Read, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Length of a key in bytes.
pub const KEY_BYTES: usize = 16;
const CHECK_BYTES: usize = 4;
/// Longest body. A longer one is damage.
const MAX_BODY_BYTES: u32 = 256 << 20;

/// The key of a record.
pub type Key = [u8; KEY_BYTES];

/// The location of a record's body.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: u64,
    bytes: u32,
}

impl Span {
    /// Returns the length of the whole record in bytes.
    const fn stored(&self) -> u64 {
        (KEY_BYTES + 4 + CHECK_BYTES) as u64 + self.bytes as u64
    }
}

/// The records of a file.
///
/// ```
/// use nearfind_base::record_log::{RecordLog, key_of};
///
/// let folder = tempfile::tempdir()?;
/// let (path, magic, most_bytes) = (Some(folder.path().join("records")), *b"example0", 1 << 20);
/// let key = key_of(&blake3::hash(b"undo.md"));
///
/// let mut log = RecordLog::open(path.clone(), magic, most_bytes)?;
/// log.insert(key, b"Undo".to_vec());
/// log.save()?;
/// // Another run finds it.
/// assert_eq!(RecordLog::open(path, magic, most_bytes)?.get(&key).as_deref(), Some(&b"Undo"[..]));
/// # Ok::<(), anyhow::Error>(())
/// ```
#[derive(Debug)]
pub struct RecordLog {
    path: Option<PathBuf>,
    magic: [u8; 8],
    /// A larger file is rewritten with only the records that the run has used: see [`RecordLog::trim`].
    most_bytes: u64,
    file: Option<Mutex<File>>,
    /// The end of the last whole record that was read.
    end: u64,
    /// The number of bytes after `end`.
    unread: u64,
    places: HashMap<Key, Span>,
    fresh: HashMap<Key, Vec<u8>>,
    fresh_bytes: usize,
    /// The keys of the new records, in insertion order, so that equal runs write equal files.
    fresh_order: Vec<Key>,
    used: Mutex<HashSet<Key>>,
    /// Whether the file could not be written: see [`RecordLog::keep`].
    is_full: bool,
}

impl RecordLog {
    /// Reads the file at `path`, if it exists and begins with `magic`. Without a path, nothing is kept.
    pub fn open(path: Option<PathBuf>, magic: [u8; 8], most_bytes: u64) -> Result<Self> {
        let mut log = Self {
            path,
            magic,
            most_bytes,
            file: None,
            end: 0,
            unread: 0,
            places: HashMap::new(),
            fresh: HashMap::new(),
            fresh_bytes: 0,
            fresh_order: Vec::new(),
            used: Mutex::default(),
            is_full: false,
        };
        if let Some(path) = log.path.clone().filter(|path| path.exists()) {
            log.read(&path).with_context(|| format!("cache {}", path.display()))?;
        }
        Ok(log)
    }

    fn read(&mut self, path: &Path) -> Result<()> {
        let mut file = File::open(path)?;
        let lock = lock_of(path, &file)?;
        lock.lock_shared()?;
        let mut magic = [0; 8];
        if file.read_exact(&mut magic).is_ok() && magic == self.magic {
            self.end = magic.len() as u64;
            self.read_on(&file)?;
        }
        self.unread = file.metadata()?.len() - self.end;
        release(&lock);
        self.file = Some(Mutex::new(file));
        Ok(())
    }

    /// Reads the records in `file` after the known records.
    fn read_on(&mut self, file: &File) -> Result<()> {
        let length = file.metadata()?.len();
        let mut reader = BufReader::with_capacity(1 << 20, file);
        reader.seek(SeekFrom::Start(self.end))?;
        let mut body = Vec::new();
        let mut head = [0; KEY_BYTES + 4];
        while reader.read_exact(&mut head).is_ok() {
            let (key, bytes) = head.split_at(KEY_BYTES);
            let bytes = u32::from_le_bytes(bytes.try_into().expect("four bytes"));
            let start = self.end + head.len() as u64;
            if bytes > MAX_BODY_BYTES || start + u64::from(bytes) > length {
                break;
            }
            body.resize(bytes as usize, 0);
            let mut check = [0; CHECK_BYTES];
            if reader.read_exact(&mut body).is_err()
                || reader.read_exact(&mut check).is_err()
                || check != checksum(&head, &body)
            {
                break;
            }
            self.places.insert(key.try_into().expect("split at the length of a key"), Span { start, bytes });
            self.end = start + u64::from(bytes) + CHECK_BYTES as u64;
        }
        Ok(())
    }

    /// Returns a description of the damage that was found when the file was read, if there was any.
    pub fn damage(&self) -> Option<String> {
        let path = self.path.as_ref().filter(|_| self.unread > 0)?;
        Some(format!("cache {}: {} bytes are damaged or from another version", path.display(), self.unread))
    }

    /// Whether the file that was read is still the one at its path: another process may have written it again.
    pub fn is_current(&self) -> bool {
        match (&self.path, &self.file) {
            (Some(path), Some(file)) => file.lock().is_ok_and(|file| is_same_file(&file, path)),
            (Some(path), None) => !path.exists(),
            (None, _) => true,
        }
    }

    /// Whether there is a record with this key.
    pub fn contains(&self, key: &Key) -> bool {
        self.fresh.contains_key(key) || self.places.contains_key(key)
    }

    /// Returns the body of a record, if it exists and can be read.
    pub fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let body = match self.fresh.get(key) {
            Some(body) => body.clone(),
            None => self.read_body(*self.places.get(key)?)?,
        };
        self.used.lock().ok()?.insert(*key);
        Some(body)
    }

    fn read_body(&self, place: Span) -> Option<Vec<u8>> {
        let mut file = self.file.as_ref()?.lock().ok()?;
        file.seek(SeekFrom::Start(place.start)).ok()?;
        let mut body = vec![0; place.bytes as usize];
        file.read_exact(&mut body).ok()?;
        Some(body)
    }

    /// Adds a record, unless it is already known.
    pub fn insert(&mut self, key: Key, body: Vec<u8>) {
        if let Ok(mut used) = self.used.lock() {
            used.insert(key);
        }
        if !self.contains(&key) {
            self.fresh_bytes += body.len();
            self.fresh.insert(key, body);
            self.fresh_order.push(key);
        }
    }

    /// Returns the size of the new records in bytes.
    pub const fn fresh_bytes(&self) -> usize {
        self.fresh_bytes
    }

    /// Appends the new records to the file of a cache. If the file cannot be written, this warns once, and the run
    /// keeps its new records in memory.
    pub fn keep(&mut self) {
        if !self.is_full
            && let Err(problem) = self.save()
        {
            self.is_full = true;
            remark_line(format_args!(
                "warning: {problem:#}: new results are not kept for the next run; free some space, or choose another folder with --cache"
            ));
        }
    }

    /// Appends the new records to the file. If that fails, they stay in memory.
    pub fn save(&mut self) -> Result<()> {
        let Some(path) = self.path.clone().filter(|_| !self.fresh.is_empty()) else { return Ok(()) };
        self.append(&path).with_context(|| format!("cache {} cannot be written", path.display()))
    }

    fn append(&mut self, path: &Path) -> Result<()> {
        std::fs::create_dir_all(path.parent().context("a cache is in a folder")?)?;
        let mut file = OpenOptions::new().create(true).read(true).write(true).truncate(false).open(path)?;
        // Held until the file is open again below.
        let lock = lock_of(path, &file)?;
        lock.lock()?;
        let mut magic = [0; 8];
        if file.read_exact(&mut magic).is_err() || magic != self.magic {
            file.set_len(0)?;
            file.rewind()?;
            file.write_all(&self.magic)?;
            self.end = self.magic.len() as u64;
            self.places.clear();
        } else if self.end == 0 || file.metadata()?.len() < self.end {
            // Another process has created the file or started it again.
            self.end = self.magic.len() as u64;
            self.places.clear();
        }
        // Other processes may have appended records, or have been stopped while appending.
        self.read_on(&file)?;
        file.set_len(self.end)?;
        let (places, end) = self.write_fresh(&file).inspect_err(|_| drop(file.set_len(self.end)))?;
        self.places.extend(places);
        self.end = end;
        self.fresh.clear();
        self.fresh_order.clear();
        self.fresh_bytes = 0;
        self.file = Some(Mutex::new(File::open(path)?));
        Ok(())
    }

    /// Writes the new records at the end of `file`. Returns their locations, and the new end.
    fn write_fresh(&self, file: &File) -> Result<(Vec<(Key, Span)>, u64)> {
        let mut out = BufWriter::new(file);
        let mut end = self.end;
        out.seek(SeekFrom::Start(end))?;
        let mut places = Vec::with_capacity(self.fresh_order.len());
        for key in &self.fresh_order {
            let body = &self.fresh[key];
            let start = write_record(&mut out, key, body)? + end;
            places.push((*key, Span { start, bytes: body.len() as u32 }));
            end = start + body.len() as u64 + CHECK_BYTES as u64;
        }
        out.flush()?;
        Ok((places, end))
    }

    /// Rewrites a file that is too large with only the records that this run has used, if they make up less than half
    /// of it. Meant for the end of a run, which does not need the other records.
    pub fn trim(&mut self) -> Result<()> {
        let Some(path) = self.path.clone().filter(|_| self.end > self.most_bytes) else { return Ok(()) };
        let used =
            self.used.lock().map(|used| used.iter().filter_map(|key| self.places.get(key)).map(Span::stored).sum());
        if used.unwrap_or(u64::MAX) >= self.end / 2 {
            return Ok(());
        }
        self.shrink(&path).with_context(|| format!("cache {} cannot be written", path.display()))
    }

    fn shrink(&mut self, path: &Path) -> Result<()> {
        // The lock keeps other processes from appending to the file that is about to be replaced.
        let before = File::open(path)?;
        let lock = lock_of(path, &before)?;
        lock.lock()?;
        let folder = path.parent().context("a cache is in a folder")?;
        let mut file = tempfile::Builder::new().prefix(".nearfind-tmp-").tempfile_in(folder)?;
        let mut used: Vec<Key> = self.used.lock().map(|used| used.iter().copied().collect()).unwrap_or_default();
        used.sort_unstable();
        let mut places = HashMap::new();
        let mut end = self.magic.len() as u64;
        let mut out = BufWriter::new(&mut file);
        out.write_all(&self.magic)?;
        for key in used {
            if let Some(body) = self.places.get(&key).and_then(|place| self.read_body(*place)) {
                let start = write_record(&mut out, &key, &body)? + end;
                places.insert(key, Span { start, bytes: body.len() as u32 });
                end = start + body.len() as u64 + CHECK_BYTES as u64;
            }
        }
        out.flush()?;
        drop(out);
        // Windows does not replace a file that this process holds open.
        self.file = None;
        drop(before);
        let replaced = readable_file::replace(file, path);
        if replaced.is_ok() {
            (self.places, self.end) = (places, end);
        }
        self.file = Some(Mutex::new(File::open(path)?));
        Ok(replaced?)
    }
}

/// Writes a record. Returns the number of bytes before its body.
fn write_record(out: &mut impl Write, key: &Key, body: &[u8]) -> Result<u64> {
    let mut head = [0; KEY_BYTES + 4];
    head[..KEY_BYTES].copy_from_slice(key);
    head[KEY_BYTES..].copy_from_slice(&(body.len() as u32).to_le_bytes());
    out.write_all(&head)?;
    out.write_all(body)?;
    out.write_all(&checksum(&head, body))?;
    Ok(head.len() as u64)
}

/// Returns the start of a BLAKE3 hash as a key.
pub fn key_of(hash: &blake3::Hash) -> Key {
    hash.as_bytes()[..KEY_BYTES].try_into().expect("a hash is longer than a key")
}

fn checksum(head: &[u8], body: &[u8]) -> [u8; CHECK_BYTES] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(head).update(body);
    hasher.finalize().as_bytes()[..CHECK_BYTES].try_into().expect("a hash is longer than a checksum")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn log(folder: &Path, most: u64) -> RecordLog {
        RecordLog::open(Some(folder.join("log")), *b"nftest00", most).unwrap()
    }

    proptest! {
        #[test]
        fn what_stands_before_damage_is_found_and_nothing_false(bodies in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 1..12), at in any::<prop::sample::Index>(), cut in any::<bool>()) {
            let folder = tempfile::tempdir().unwrap();
            let mut first = log(folder.path(), 1 << 20);
            for (number, body) in bodies.iter().enumerate() {
                first.insert([number as u8; KEY_BYTES], body.clone());
                if number % 3 == 0 {
                    first.save().unwrap();
                }
            }
            first.save().unwrap();
            let path = folder.path().join("log");
            let mut bytes = std::fs::read(&path).unwrap();
            let at = at.index(bytes.len());
            if cut { bytes.truncate(at) } else { bytes[at] ^= 1 }
            std::fs::write(&path, &bytes).unwrap();
            let mut again = log(folder.path(), 1 << 20);
            for (number, body) in bodies.iter().enumerate() {
                let found = again.get(&[number as u8; KEY_BYTES]);
                prop_assert!(found.is_none_or(|found| found == *body));
            }
            // The log continues after the sound records.
            again.insert([99; KEY_BYTES], vec![7]);
            again.save().unwrap();
            prop_assert_eq!(log(folder.path(), 1 << 20).get(&[99; KEY_BYTES]), Some(vec![7]));
        }
    }

    #[test]
    fn a_run_goes_on_with_what_could_not_be_written() {
        let folder = tempfile::tempdir().unwrap();
        // A folder cannot be created where a file is.
        let place = folder.path().join("taken");
        std::fs::write(&place, b"").unwrap();
        let mut log = RecordLog::open(Some(place.join("log")), *b"nftest00", 1 << 20).unwrap();
        for number in 0..3 {
            log.insert([number; KEY_BYTES], vec![number; 3]);
            log.keep();
        }
        assert_eq!(log.get(&[0; KEY_BYTES]), Some(vec![0; 3]));
        assert!(log.save().is_err());
        std::fs::remove_file(&place).unwrap();
        log.save().unwrap();
        assert_eq!(log.get(&[2; KEY_BYTES]), Some(vec![2; 3]));
    }

    #[test]
    fn two_writers_do_not_lose_what_the_other_wrote() {
        let folder = tempfile::tempdir().unwrap();
        let (mut one, mut other) = (log(folder.path(), 1 << 20), log(folder.path(), 1 << 20));
        for (number, writer) in [&mut one, &mut other].into_iter().enumerate() {
            writer.insert([number as u8; KEY_BYTES], vec![number as u8; 3]);
            writer.save().unwrap();
        }
        let both = log(folder.path(), 1 << 20);
        assert_eq!((both.get(&[0; KEY_BYTES]), both.get(&[1; KEY_BYTES])), (Some(vec![0; 3]), Some(vec![1; 3])));
    }

    #[test]
    fn a_file_that_is_too_large_keeps_what_was_used() {
        let folder = tempfile::tempdir().unwrap();
        let mut first = log(folder.path(), 1 << 20);
        (0..10).for_each(|number| first.insert([number; KEY_BYTES], vec![number; 100]));
        first.save().unwrap();
        let mut second = log(folder.path(), 500);
        assert!(second.get(&[3; KEY_BYTES]).is_some());
        second.insert([50; KEY_BYTES], vec![5]);
        second.save().unwrap();
        assert!(second.contains(&[4; KEY_BYTES]), "a run may use later what it has not used when it saves");
        second.trim().unwrap();
        assert_eq!(second.get(&[3; KEY_BYTES]), Some(vec![3; 100]));
        let third = log(folder.path(), 500);
        assert!(
            third.contains(&[3; KEY_BYTES]) && third.contains(&[50; KEY_BYTES]) && !third.contains(&[4; KEY_BYTES])
        );
        assert!(std::fs::metadata(folder.path().join("log")).unwrap().len() < 500);
    }

    #[test]
    fn a_large_file_whose_records_are_used_is_not_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut first = log(folder.path(), 500);
        (0..10).for_each(|number| first.insert([number; KEY_BYTES], vec![number; 100]));
        first.save().unwrap();
        let bytes = || std::fs::read(folder.path().join("log")).unwrap();
        let before = bytes();
        first.trim().unwrap();
        let mut second = log(folder.path(), 500);
        (0..6).for_each(|number| drop(second.get(&[number; KEY_BYTES])));
        second.trim().unwrap();
        assert_eq!(bytes(), before);
    }
}

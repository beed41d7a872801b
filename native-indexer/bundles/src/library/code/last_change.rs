//! Finds the commit that last changed lines of a file. The code that reads repositories is in another crate and is
//! passed in.

use crate::library::code::outline::{FileOutline, Outline, OutlineEntry};
use crate::library::code::symbol_question::FoundSymbol;
use crate::library::open::view::View;
use nearfind_base::root_folder::RootFolder;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Maximum size in bytes of a file that is compared with its commits.
const MAX_SOURCE_BYTES: u64 = 1 << 20;
/// Maximum number of places that are looked up for one answer.
const MAX_PLACES: usize = 200;

/// A commit that changed lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LastChange {
    /// The start of the commit's hash.
    pub commit: String,
    /// The day when the commit was written, such as `2024-05-03`, or an empty text if it is unknown.
    pub date: String,
    /// The commit's author.
    pub author: String,
    /// The first line of the commit message.
    pub subject: String,
}

impl LastChange {
    /// Returns the change on one line.
    #[must_use]
    pub fn line(&self) -> String {
        let Self { date, commit, author, subject } = self;
        format!("{date} {commit} by {author}: {subject}")
    }
}

/// Lines of a file whose last change is requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinesOfFile {
    /// Path of the file in its folder.
    pub path: String,
    /// The file's text.
    pub text: String,
    /// The first and the last line, starting at 1.
    pub lines: (u32, u32),
}

/// A function that finds the last change of each of the given lines in a folder's files. It returns one result per
/// item: the change, `None` if the change is in no commit yet, or the reason why it is unknown.
pub type FindLastChanges = fn(&Path, &[LinesOfFile]) -> Vec<Result<Option<LastChange>, String>>;

/// Lines of an indexed file.
struct Place<'a> {
    project: &'a str,
    path: &'a str,
    /// The first and the last line, starting at 1.
    lines: (u32, u32),
}

impl View {
    /// Sets the commit that last changed each of the definitions, according to `find`.
    pub fn note_last_changes(&self, definitions: &mut [FoundSymbol], find: FindLastChanges) {
        let place = |found: &FoundSymbol| (found.project.clone(), found.path.clone());
        let files: Vec<_> = definitions.iter().map(place).collect();
        let places = files.iter().zip(definitions.iter());
        let places = places.map(|((project, path), found)| Place { project, path, lines: found.lines });
        let said = self.last_changes(&places.collect::<Vec<_>>(), find);
        definitions.iter_mut().zip(said).for_each(|(found, said)| found.last_change = said);
    }

    /// Sets the commit that last changed each of the symbols in an outline.
    pub fn note_last_changes_of_outline(&self, outline: &mut Outline, find: FindLastChanges) {
        let (mut symbols, mut places): (Vec<&mut OutlineEntry>, Vec<Place<'_>>) = (Vec::new(), Vec::new());
        for FileOutline { project, path, entries, .. } in &mut outline.files {
            let (project, path) = (project.as_str(), path.as_str());
            for entry in entries.iter_mut().filter(|entry| entry.kind.is_some()) {
                places.push(Place { project, path, lines: entry.lines });
                symbols.push(entry);
            }
        }
        let said = self.last_changes(&places, find);
        symbols.into_iter().zip(said).for_each(|(entry, said)| entry.last_change = said);
    }

    /// For each of `places`, returns the commit that last changed it, on one line, or else the reason why the commit is
    /// unknown. All places in a project are looked up at once.
    fn last_changes(&self, places: &[Place<'_>], find: FindLastChanges) -> Vec<String> {
        let mut said = vec!["not looked up: there are too many".to_owned(); places.len()];
        let mut of_projects: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, place) in places.iter().enumerate().take(MAX_PLACES) {
            of_projects.entry(place.project).or_default().push(at);
        }
        for (project, of_project) in of_projects {
            let bundle = self.bundles.iter().find(|bundle| bundle.folder_of(project).is_some());
            let Some((bundle, folder)) = bundle.and_then(|bundle| Some((bundle, bundle.folder_of(project)?))) else {
                for at in of_project {
                    "the folder of the project is not on this machine".clone_into(&mut said[at]);
                }
                continue;
            };
            let files = RootFolder::new(folder.to_owned());
            let (mut asked, mut wanted) = (Vec::new(), Vec::new());
            for at in of_project {
                let Place { path, lines, .. } = places[at];
                if bundle.changed_file(project, path).is_some() {
                    "the file has changed since it was indexed".clone_into(&mut said[at]);
                } else if let Ok(bytes) = files.bytes(path, MAX_SOURCE_BYTES) {
                    let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
                    asked.push(at);
                    wanted.push(LinesOfFile { path: path.to_owned(), text, lines });
                }
            }
            for (at, found) in asked.into_iter().zip(find(folder, &wanted)) {
                said[at] = match found {
                    Ok(Some(change)) => change.line(),
                    Ok(None) => "in no commit yet".to_owned(),
                    Err(problem) => problem,
                };
            }
        }
        said
    }
}

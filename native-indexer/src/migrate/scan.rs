//! Reads the files of a site for what other searches leave in them.

use super::rules::{RULES, Rule};
use anyhow::{Result, ensure};
use ignore::WalkBuilder;
use nearfind_base::root_folder::RootFolder;
use regex::Regex;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Bytes of a file that people write.
const MOST: u64 = 2 << 20;
/// Files of a site that are read, at most.
const FILES: usize = 200_000;
/// Characters of a line; longer ones are made by programs.
const LINE: usize = 2_000;
/// Folders that hold what was installed or built.
const BUILT: &[&str] =
    &["node_modules", ".git", "target", ".venv", "venv", "vendor", ".docusaurus", ".cache", "pagefind"];

/// A place that uses another search.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Finding {
    /// The search.
    pub of: &'static str,
    /// Path below the site.
    pub file: String,
    /// Number of the line, from 1.
    pub line: usize,
    /// The words of that line.
    pub found: String,
    /// The next step.
    pub advice: String,
}

/// Traces of other searches in a site, by search, then by the order in which people go about it. Files that its `.gitignore` names are
/// not read.
///
/// # Errors
///
/// If the folder does not exist.
pub fn scan(site: &Path) -> Result<Vec<Finding>> {
    ensure!(site.is_dir(), "{}: this folder does not exist; give the folder of the site's sources", site.display());
    let folder = RootFolder::new(site.to_owned());
    let rules: Vec<(&Rule, Regex)> =
        RULES.iter().map(|rule| (rule, Regex::new(rule.pattern).expect("an expression"))).collect();
    let mut found: Vec<(usize, Finding)> = Vec::new();
    let mut told: BTreeSet<usize> = BTreeSet::new();
    for path in files_of(site) {
        let name = path.to_string_lossy().replace('\\', "/");
        let of_file: Vec<usize> = (0..rules.len()).filter(|number| is_meant(rules[*number].0, &name)).collect();
        if of_file.is_empty() {
            continue;
        }
        let Ok(bytes) = folder.bytes(&path, MOST) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        for (line, text) in text.lines().enumerate().filter(|(_, text)| text.len() <= LINE) {
            for &number in &of_file {
                let (rule, expression) = &rules[number];
                if rule.once && told.contains(&number) {
                    continue;
                }
                let Some(matched) = expression.captures(text) else { continue };
                told.insert(number);
                let group = matched.get(1).map_or("", |group| group.as_str());
                let finding = Finding {
                    of: rule.of,
                    file: name.clone(),
                    line: line + 1,
                    found: matched[0].trim().to_owned(),
                    advice: rule.advice.replace("$1", group),
                };
                found.push((number, finding));
            }
        }
    }
    // Rules are in the order in which people go about it.
    found.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    Ok(found.into_iter().map(|(_, finding)| finding).collect())
}

/// Whether a rule looks into the file of this name. Names of files are whole ones.
fn is_meant(rule: &Rule, name: &str) -> bool {
    rule.files.iter().any(|ending| match name.strip_suffix(ending) {
        Some(before) => {
            (ending.starts_with('.') && !ending.contains('/')) || before.is_empty() || before.ends_with('/')
        }
        None => false,
    })
}

/// Paths of the files of a site, in order. Links are not followed.
fn files_of(site: &Path) -> Vec<PathBuf> {
    let mut builder = WalkBuilder::new(site);
    builder.hidden(false).follow_links(false).require_git(false).sort_by_file_name(Ord::cmp);
    builder.filter_entry(|entry| !BUILT.iter().any(|built| entry.file_name() == *built));
    let files = builder.build().flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    files.take(FILES).filter_map(|entry| Some(entry.path().strip_prefix(site).ok()?.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let found = scan(folder.path()).unwrap();
        found.into_iter().map(|finding| format!("{}:{} {}", finding.file, finding.line, finding.advice)).collect()
    }

    #[test]
    fn each_search_is_told_by_what_it_leaves() {
        let pagefind = found(&[
            (
                "package.json",
                "{\n \"scripts\": { \"build\": \"eleventy && npx pagefind --site _site\" },\n \"devDependencies\": { \"pagefind\": \"1\" } }",
            ),
            (
                "src/base.njk",
                "<main data-pagefind-body>\n<p data-pagefind-weight=2>\n<script>new PagefindUI({ element: '#search', pageSize: 7 })</script>",
            ),
            ("node_modules/x/package.json", "{ \"dependencies\": { \"pagefind\": \"1\" } }"),
        ]);
        assert!(
            pagefind[0].starts_with("package.json:2 Run `nearfind index _site -o _site/nearfind`"),
            "{pagefind:#?}"
        );
        assert!(
            pagefind.iter().any(|line| line.starts_with("src/base.njk:3 `pageSize` is the attribute `limit=\"7\"`"))
        );
        assert!(pagefind.iter().any(|line| line.starts_with("src/base.njk:2 Weights")));
        assert_eq!(pagefind.len(), 6, "{pagefind:#?}");

        let docsearch =
            found(&[("docusaurus.config.ts", "export default {\n themeConfig: { algolia: { appId: 'x' } },\n};")]);
        assert!(docsearch[0].contains("themes: [\"nearfind/docusaurus\"]"), "{docsearch:#?}");
        let vitepress = found(&[("docs/.vitepress/config.mts", "search: { provider: 'local' }")]);
        assert!(vitepress[0].contains("nearfind/vite"), "{vitepress:#?}");

        let easyops = found(&[(
            "website/docusaurus.config.js",
            "themes: [[require.resolve('@easyops-cn/docusaurus-search-local'), {\n hashed: true,\n indexBlog: false,\n}]]",
        )]);
        assert_eq!(easyops.len(), 3, "{easyops:#?}");
        assert!(easyops[2].contains("`indexBlog: false`"), "{easyops:#?}");
    }

    #[test]
    fn a_folder_in_quotes_is_told_without_them() {
        let found = found(&[("package.json", r#"{ "build": "pagefind --site \"dist\" --verbose" }"#)]);
        assert!(found[0].contains("`nearfind index dist -o dist/nearfind`"), "{found:#?}");
    }

    #[test]
    fn a_site_that_uses_none_of_them_tells_nothing() {
        assert!(found(&[("config.json", "{ \"name\": \"x\" }"), ("index.html", "<p>Find your page.</p>")]).is_empty());
    }
}

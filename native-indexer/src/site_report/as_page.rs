//! Writes the report as a self-contained HTML page.

use super::report::SiteReport;
use nearfind_extract::one_line;
use std::borrow::Cow;
use std::fmt::Write as _;

/// Maximum number of rows in a table.
const ROWS: usize = 500;

const HEAD: &str = r#"<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>Search report</title>
<style>
:root{color-scheme:light dark}
body{font:1rem/1.5 system-ui;max-width:70rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{border-bottom:1px solid color-mix(in srgb,currentColor 20%,transparent);padding:.3rem .6rem;text-align:start;vertical-align:top;overflow-wrap:anywhere}
p{max-width:45rem}
</style>
<h1>Search report</h1>
"#;

/// Returns the report as an HTML page.
pub fn as_page(report: &SiteReport) -> String {
    let mut page = HEAD.to_owned();
    let _ = writeln!(
        page,
        "<p>{} pages. Searched for {} headings as the search box does.</p>",
        report.pages, report.by_headings.headings_asked
    );
    if let Some(questions) = &report.questions {
        let rows = questions.iter().map(|asked| {
            let first = asked.first.as_ref().map_or("no page", |page| page.title.as_str());
            [asked.times.to_string(), asked.question.clone(), first.to_owned()]
        });
        table(
            &mut page,
            "Readers' questions",
            "Questions that no page answers come first. If a page is missing, or uses another name for the subject, that is worth fixing.",
            ["times", "question", "first page"],
            rows,
        );
    }
    let rows = report.by_headings.unfound.iter().map(|page| [page.title.clone(), page.document.clone()]);
    table(
        &mut page,
        "Pages that a search for their own headings does not find",
        "Readers who type a heading of one of these pages do not see that page among the first ten results. Give these pages titles and headings that say what they are about.",
        ["title", "page"],
        rows,
    );
    let rows = report.by_headings.elsewhere.iter().map(|heading| {
        let rank = heading.rank.map_or("after the tenth".to_owned(), |rank| rank.to_string());
        [heading.heading.clone(), heading.page.document.clone(), rank, heading.first.title.clone()]
    });
    table(
        &mut page,
        "Headings that lead to another page first",
        "Readers who type these headings get another page first. That may be right, if the other page says more.",
        ["heading", "its page", "place", "first page"],
        rows,
    );
    if let Some(dead) = &report.dead_links {
        let rows = dead.iter().map(|link| {
            let missing = if link.has_page { "the place" } else { "the page" };
            [link.to.clone(), missing.to_owned(), link.links.to_string(), link.from.clone()]
        });
        table(
            &mut page,
            "Links that lead nowhere",
            "",
            ["to", "missing", "pages that link there", "one of them"],
            rows,
        );
    }
    let rows = report.overview.same_titles.iter().map(|same| [same.title.clone(), same.documents.join(", ")]);
    table(
        &mut page,
        "Titles that several pages share",
        "Readers cannot tell these pages apart in a list.",
        ["title", "pages"],
        rows,
    );
    let rows = report
        .overview
        .long
        .iter()
        .map(|long| [long.page.title.clone(), long.characters.to_string(), long.page.document.clone()]);
    table(
        &mut page,
        "Pages with a lot of text",
        "Consider splitting these pages.",
        ["title", "characters", "page"],
        rows,
    );
    let rows = report
        .overview
        .folders
        .iter()
        .map(|folder| [folder.name.clone(), folder.pages.to_string(), folder.characters.to_string()]);
    table(&mut page, "Text by folder", "", ["folder", "pages", "characters"], rows);
    page
}

/// Appends a heading, and a table with at most [`ROWS`] rows. The text in rows is escaped.
fn table<const N: usize>(
    page: &mut String,
    title: &str,
    explained: &str,
    columns: [&str; N],
    rows: impl ExactSizeIterator<Item = [String; N]>,
) {
    let count = rows.len();
    let _ = writeln!(page, "<h2>{title} ({count})</h2>");
    if count == 0 {
        return;
    }
    let _ = writeln!(
        page,
        "<p>{explained}</p>\n<table>\n<tr>{}</tr>",
        columns.map(|column| format!("<th>{column}</th>")).concat()
    );
    for row in rows.take(ROWS) {
        let _ =
            writeln!(page, "<tr>{}</tr>", row.map(|text| format!("<td>{}</td>", escaped(&one_line(&text)))).concat());
    }
    page.push_str("</table>\n");
    if count > ROWS {
        let _ = writeln!(page, "<p>And {} more; <code>--json</code> lists them all.</p>", count - ROWS);
    }
}

fn escaped(text: &str) -> Cow<'_, str> {
    if text.contains(['<', '>', '&']) {
        text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").into()
    } else {
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use super::super::headings::ByHeadings;
    use super::super::page::Page;
    use super::*;

    #[test]
    fn texts_of_pages_are_escaped() {
        let page = Page { document: "a/<b>.html".to_owned(), title: "<script>alert(1)</script> & more".to_owned() };
        let report = SiteReport {
            by_headings: ByHeadings { unfound: vec![page], ..ByHeadings::default() },
            ..SiteReport::default()
        };
        let made = as_page(&report);
        assert!(made.contains("&lt;script&gt;alert(1)&lt;/script&gt; &amp; more"), "{made}");
        assert!(!made.contains("<script>") && made.contains("a/&lt;b&gt;.html"), "{made}");
    }
}

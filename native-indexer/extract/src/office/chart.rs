//! Reads a chart's title, and its values as a table. Files store the values with the chart, separately from the
//! workbook that they come from.

use super::xml::{attribute, below, child, value};
use crate::document_writer::DocumentWriter;
use crate::number_format::NumberFormat;
use crate::words::one_line;
use calamine::{ExcelDateTime, ExcelDateTimeType};
use roxmltree::{Document, Node};

/// Maximum number of points in a series.
const MAX_POINTS: usize = 1_000;
/// Maximum number of series.
const MAX_SERIES: usize = 100;
/// Maximum length of the repeated name of an outer category.
const MAX_COPIED_BYTES: usize = 200;
/// Maximum number of levels of nested categories.
const MAX_LEVELS: usize = 8;

/// A chart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Chart {
    /// The title of the chart, and the titles of axes with values.
    caption: String,
    /// Rows of cells. Series with the same categories share a table.
    tables: Vec<Vec<Vec<String>>>,
    /// Whether a part of the chart was not read.
    pub is_cut: bool,
}

/// Series with the same categories.
struct Group {
    categories: Vec<String>,
    /// The name and the values of each series.
    columns: Vec<(String, Vec<String>)>,
}

impl Chart {
    /// Reads an Office chart.
    pub(super) fn of_office(document: &Document<'_>) -> Self {
        let root = document.root_element();
        let Some(chart) = child(root, "chart") else { return Self::default() };
        let is_1904 = value(root, "date1904").is_some_and(|value| value == "1" || value == "true");
        let title = child(chart, "title").map(title_text).unwrap_or_default();
        let Some(area) = child(chart, "plotArea") else { return Self { caption: title, ..Self::default() } };
        let (of_categories, of_values) = axis_titles(area);
        let mut groups: Vec<Group> = Vec::new();
        let mut read = Cache { is_1904, is_cut: false };
        for series in below(area, "ser").take(MAX_SERIES) {
            let name = child(series, "tx").map(title_text).unwrap_or_default();
            let mut points = |names: [&str; 2]| {
                let source = names.iter().find_map(|name| child(series, name));
                source.map(|source| read.points(source)).unwrap_or_default()
            };
            let categories = points(["cat", "xVal"]);
            let values = points(["val", "yVal"]);
            let sizes = points(["bubbleSize", "bubbleSize"]);
            let is_new = groups.last().is_none_or(|last| !categories.is_empty() && last.categories != categories);
            if is_new {
                groups.push(Group { categories, columns: Vec::new() });
            }
            if let Some(group) = groups.last_mut() {
                group.columns.push((name, values));
                if !sizes.is_empty() {
                    group.columns.push((String::new(), sizes));
                }
            }
        }
        let is_cut = read.is_cut || below(area, "ser").nth(MAX_SERIES).is_some();
        let tables = groups.into_iter().map(|group| group.rows(&of_categories)).collect();
        Self { caption: with_axes(title, &of_values), tables, is_cut }
    }

    /// Reads an OpenDocument object. Returns `None` if it is not a chart.
    pub(super) fn of_open_document(document: &Document<'_>) -> Option<Self> {
        let chart =
            below(child(document.root_element(), "body")?, "chart").find(|node| child(*node, "plot-area").is_some())?;
        let text = |node: Node<'_, '_>| one_line(&all_text(node));
        let titles = ["title", "subtitle"].iter().filter_map(|name| child(chart, name)).map(text);
        let title = titles.collect::<Vec<_>>().join(": ");
        let axes = below(chart, "axis").filter_map(|axis| child(axis, "title")).map(text);
        let mut table = Vec::new();
        for row in below(chart, "table-row").take(MAX_POINTS + 1) {
            let cells = row.children().filter(|cell| cell.tag_name().name() == "table-cell");
            table.push(cells.take(MAX_SERIES).map(text).collect());
        }
        let is_cut = below(chart, "table-row").nth(MAX_POINTS + 1).is_some();
        Some(Self { caption: with_axes(title, &axes.collect::<Vec<_>>()), tables: vec![table], is_cut })
    }

    /// Writes the chart as paragraphs and rows.
    pub(super) fn write(&self, writer: &mut DocumentWriter) {
        writer.paragraph(&self.caption);
        for table in &self.tables {
            writer.end_table();
            table.iter().for_each(|row| writer.table_row(row));
        }
        writer.end_table();
    }

    /// Returns the whole chart as one line for a table cell.
    pub(super) fn line(&self) -> String {
        let rows = self.tables.iter().flatten().map(|row| one_line(&row.join(" ")));
        let parts = std::iter::once(self.caption.clone()).chain(rows).filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join("; ")
    }
}

impl Group {
    /// Returns a row with the names of the series, and one row per category.
    fn rows(self, of_categories: &str) -> Vec<Vec<String>> {
        let names = self.columns.iter().map(|(name, _)| name.clone());
        let mut rows = vec![std::iter::once(of_categories.to_owned()).chain(names).collect::<Vec<_>>()];
        let longest = self.columns.iter().map(|(_, values)| values.len()).max().unwrap_or(0).max(self.categories.len());
        for place in 0..longest {
            // Without categories, points are numbered as in the drawing.
            let first = match self.categories.get(place) {
                Some(category) => category.clone(),
                None if self.categories.is_empty() => (place + 1).to_string(),
                None => String::new(),
            };
            let values = self.columns.iter().map(|(_, values)| values.get(place).cloned().unwrap_or_default());
            rows.push(std::iter::once(first).chain(values).collect());
        }
        rows
    }
}

/// Returns the title of the category axis, and the titles of the value axes.
fn axis_titles(area: Node<'_, '_>) -> (String, Vec<String>) {
    let (mut of_categories, mut of_values) = (String::new(), Vec::new());
    let is_axis = |node: &Node<'_, '_>| matches!(node.tag_name().name(), "catAx" | "dateAx" | "valAx" | "serAx");
    // In a scatter chart, both axes have values. The horizontal axis is used for categories.
    let has_categories = area.children().any(|node| matches!(node.tag_name().name(), "catAx" | "dateAx"));
    for axis in area.children().filter(is_axis) {
        let Some(title) = child(axis, "title").map(title_text).filter(|title| !title.is_empty()) else { continue };
        let is_of_categories = match axis.tag_name().name() {
            "catAx" | "dateAx" => true,
            _ => !has_categories && matches!(value(axis, "axPos"), Some("b" | "t")),
        };
        if is_of_categories && of_categories.is_empty() {
            of_categories = title;
        } else {
            of_values.push(title);
        }
    }
    (of_categories, of_values)
}

fn with_axes(title: String, axes: &[String]) -> String {
    let axes = axes.join(", ");
    match (title.is_empty(), axes.is_empty()) {
        (_, true) => title,
        (true, false) => axes,
        (false, false) => format!("{title} ({axes})"),
    }
}

/// Returns the text of a title or a name, which is literal or comes from a cell.
fn title_text(node: Node<'_, '_>) -> String {
    let paragraphs =
        below(node, "p").map(|paragraph| below(paragraph, "t").filter_map(|text| text.text()).collect::<String>());
    let kept = below(node, "v").filter_map(|kept| kept.text()).map(str::to_owned);
    one_line(&paragraphs.chain(kept).collect::<Vec<_>>().join(" "))
}

fn all_text(node: Node<'_, '_>) -> String {
    let parts = below(node, "p")
        .map(|part| part.descendants().filter(Node::is_text).filter_map(|text| text.text()).collect::<String>());
    parts.collect::<Vec<_>>().join(" ")
}

/// Reads the cached values of the cells of a chart.
struct Cache {
    is_1904: bool,
    is_cut: bool,
}

impl Cache {
    fn points(&mut self, source: Node<'_, '_>) -> Vec<String> {
        let levels: Vec<Vec<String>> =
            below(source, "lvl").take(MAX_LEVELS).map(|level| self.values(level, "")).collect();
        if levels.is_empty() {
            let is_cache =
                |node: &Node<'_, '_>| matches!(node.tag_name().name(), "strCache" | "numCache" | "strLit" | "numLit");
            let Some(cache) = source.descendants().find(is_cache) else { return Vec::new() };
            let format = child(cache, "formatCode").and_then(|format| format.text()).unwrap_or_default();
            return self.values(cache, format);
        }
        // The innermost level is first. An outer category is stored once for all inner ones.
        let mut joined = vec![String::new(); levels.iter().map(Vec::len).max().unwrap_or(0)];
        for (depth, level) in levels.iter().enumerate().rev() {
            let mut current = "";
            for (place, joined) in joined.iter_mut().enumerate() {
                let own = level.get(place).map_or("", String::as_str);
                let shown = if own.is_empty() && depth > 0 { current } else { own };
                *joined = one_line(&format!("{joined} {shown}"));
                current = &shown[..shown.floor_char_boundary(MAX_COPIED_BYTES)];
            }
        }
        joined
    }

    fn values(&mut self, cache: Node<'_, '_>, format: &str) -> Vec<String> {
        let mut values = Vec::new();
        for point in cache.children().filter(|node| node.tag_name().name() == "pt") {
            let Some(place) = attribute(point, "idx").and_then(|place| place.parse::<usize>().ok()) else { continue };
            if place >= MAX_POINTS {
                self.is_cut = true;
                continue;
            }
            if values.len() <= place {
                values.resize(place + 1, String::new());
            }
            let text = child(point, "v").and_then(|kept| kept.text()).unwrap_or_default().trim();
            let format = attribute(point, "formatCode").unwrap_or(format);
            values[place] = match text.parse::<f64>() {
                Ok(number) if number.is_finite() && is_number_cache(cache) => self.number(number, format),
                _ => text.to_owned(),
            };
        }
        values
    }

    /// Formats a number as in the chart: a date as a date, and any other number as in a cell, so that `0.1 + 0.2` is
    /// `0.3`.
    fn number(&self, number: f64, format: &str) -> String {
        if is_date(format) && (1.0..2_958_466.0).contains(&number) {
            let date = ExcelDateTime::new(number, ExcelDateTimeType::DateTime, self.is_1904);
            let (year, month, day, ..) = date.to_ymd_hms_milli();
            return format!("{year:04}-{month:02}-{day:02}");
        }
        if let Some(shown) = NumberFormat::parse(format).and_then(|format| format.show(number)) {
            return shown;
        }
        // Workbooks compute with fifteen digits.
        let shown = format!("{number:.14e}");
        let shown: f64 = shown.parse().unwrap_or(number);
        if shown != 0.0 && !(1e-6..1e17).contains(&shown.abs()) { format!("{shown:e}") } else { shown.to_string() }
    }
}

fn is_number_cache(cache: Node<'_, '_>) -> bool {
    matches!(cache.tag_name().name(), "numCache" | "numLit")
}

/// Whether a number format shows a date: all letters outside quotes and brackets are date and time letters.
fn is_date(format: &str) -> bool {
    let (mut letters, mut until, mut is_literal) = (String::new(), None, false);
    for c in format.chars().take(200) {
        match (c, until) {
            _ if std::mem::take(&mut is_literal) => {}
            (c, Some(end)) if c == end => until = None,
            ('"', None) => until = Some('"'),
            ('[', None) => until = Some(']'),
            ('\\' | '_' | '*', None) => is_literal = true,
            (';', None) => break,
            (c, None) if c.is_alphabetic() => letters.extend(c.to_lowercase()),
            _ => {}
        }
    }
    letters.chars().all(|c| "ymdhsapeg".contains(c)) && (letters.contains(['y', 'd']) || letters.contains("mmm"))
}

#[cfg(test)]
pub(super) mod fixture {
    /// Returns an Office chart with a title, a titled axis of each kind, and these series, each with its name,
    /// categories and values.
    pub(in super::super) fn chart(series: &[(&str, &[&str], &[&str])]) -> String {
        let points = |values: &[&str]| -> String {
            (0..).zip(values).map(|(at, value)| format!(r#"<c:pt idx="{at}"><c:v>{value}</c:v></c:pt>"#)).collect()
        };
        let one = |(name, categories, values): &(&str, &[&str], &[&str])| {
            format!(
                "<c:ser><c:tx><c:strRef><c:strCache><c:pt idx='0'><c:v>{name}</c:v></c:pt></c:strCache></c:strRef></c:tx>\
                <c:cat><c:strRef><c:strCache>{}</c:strCache></c:strRef></c:cat>\
                <c:val><c:numRef><c:numCache><c:formatCode>General</c:formatCode>{}</c:numCache></c:numRef></c:val></c:ser>",
                points(categories),
                points(values)
            )
        };
        let title = |text: &str| {
            format!("<c:title><c:tx><c:rich><a:p><a:r><a:t>{text}</a:t></a:r></a:p></c:rich></c:tx></c:title>")
        };
        format!(
            r#"<c:chartSpace xmlns:c="c" xmlns:a="a"><c:chart>{}<c:plotArea><c:barChart>{}</c:barChart><c:catAx>{}</c:catAx><c:valAx>{}</c:valAx></c:plotArea></c:chart></c:chartSpace>"#,
            title("Ducks by year"),
            series.iter().map(one).collect::<String>(),
            title("Year"),
            title("Birds"),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(part: &str) -> String {
        let mut writer = DocumentWriter::default();
        Chart::of_office(&Document::parse(part).unwrap()).write(&mut writer);
        writer.finish(Vec::new()).text
    }

    #[test]
    fn series_over_the_same_categories_are_one_table() {
        let part = fixture::chart(&[
            ("Fresh water", &["2019", "2020"], &["120", "0.30000000000000004"]),
            ("Salt water", &["2019", "2020"], &["80"]),
            ("Ponds", &["North"], &["7"]),
        ]);
        assert_eq!(
            text(&part),
            "Ducks by year (Birds)\n\n| Year | Fresh water | Salt water |\n| --- | --- | --- |\n| 2019 | 120 | 80 |\n| 2020 | 0.3 |\n\n| Year | Ponds |\n| North | 7 |\n"
        );
    }

    #[test]
    fn numbers_are_formatted_like_their_cells() {
        let read = Cache { is_1904: false, is_cut: false };
        assert_eq!(read.number(43_831.0, "m/d/yyyy"), "2020-01-01");
        assert_eq!(read.number(43_831.0, "[$-409]mmm\\-yy;@"), "2020-01-01");
        assert_eq!(read.number(0.455, "0.0%"), "45.5%");
        assert_eq!(read.number(0.125, "0.0%"), "12.5%");
        assert_eq!(read.number(7.0, "\"INV-\"00000"), "INV-00007");
        assert_eq!(read.number(1234.5, "#,##0.00\" days\""), "1234.50 days");
        assert_eq!(read.number(1e300, "General"), "1e300");
        assert!(!is_date("General") && !is_date("0.00_);[Red]\\(0.00\\)"));
    }

    #[test]
    fn nested_categories_are_repeated() {
        let level = |points: &[(usize, &str)]| -> String {
            let points = points.iter().map(|(at, text)| format!("<c:pt idx='{at}'><c:v>{text}</c:v></c:pt>"));
            format!("<c:lvl>{}</c:lvl>", points.collect::<String>())
        };
        let source = format!(
            "<c:cat xmlns:c='c'><c:multiLvlStrCache>{}{}</c:multiLvlStrCache></c:cat>",
            level(&[(0, "Q1"), (1, "Q2"), (2, "Q1")]),
            level(&[(0, "2023"), (2, "2024")])
        );
        let document = Document::parse(&source).unwrap();
        let points = Cache { is_1904: false, is_cut: false }.points(document.root_element());
        assert_eq!(points, ["2023 Q1", "2023 Q2", "2024 Q1"]);
    }

    #[test]
    fn long_names_of_outer_categories_are_not_repeated_in_full() {
        let long = "ü".repeat(1_000_000);
        let inner: String = (0..MAX_POINTS).map(|at| format!("<c:pt idx='{at}'><c:v>Q</c:v></c:pt>")).collect();
        let outer = format!("<c:pt idx='0'><c:v>{long}</c:v></c:pt>");
        let source = format!("<c:cat xmlns:c='c'><c:lvl>{inner}</c:lvl><c:lvl>{outer}</c:lvl></c:cat>");
        let document = Document::parse(&source).unwrap();
        let points = Cache { is_1904: false, is_cut: false }.points(document.root_element());
        assert_eq!(points[0], format!("{long} Q"));
        assert_eq!(points[MAX_POINTS - 1], format!("{} Q", "ü".repeat(MAX_COPIED_BYTES / 2)));
    }

    #[test]
    fn the_number_of_points_is_limited() {
        let points = "<c:pt idx='99999999999'><c:v>1</c:v></c:pt><c:pt idx='1500'><c:v>1</c:v></c:pt>";
        let part = format!(
            "<c:chartSpace xmlns:c='c'><c:chart><c:plotArea><c:ser><c:val><c:numLit>{points}</c:numLit></c:val></c:ser></c:plotArea></c:chart></c:chartSpace>"
        );
        let chart = Chart::of_office(&Document::parse(&part).unwrap());
        assert!(chart.is_cut && chart.line().is_empty(), "{chart:?}");
    }

    proptest! {
        #[test]
        fn any_values_are_shown(number: f64, format in "[ymd0#%\"\\[\\]\\\\;a-z]{0,12}") {
            let read = Cache { is_1904: true, is_cut: false };
            prop_assert!(!number.is_finite() || !read.number(number, &format).is_empty());
        }
    }
}

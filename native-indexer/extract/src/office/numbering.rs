//! Computes the numbers of paragraphs in Word files, which are not stored in the text.

use super::styles::{ListPlace, switch};
use super::xml::{attribute, below, child, value};
use roxmltree::{Document, Node};
use std::collections::BTreeMap;

const LEVELS: usize = 9;
/// Maximum number of characters around the numbers of a level, because every paragraph repeats them.
const MAX_LEVEL_TEXT: usize = 100;

#[derive(Clone, Debug)]
struct Level {
    start: u32,
    format: String,
    /// Format with placeholders, such as `%1.%2`.
    text: String,
    /// The style of paragraphs at this level.
    style: Option<String>,
    /// Whether the numbers of this level and of outer levels are written with Arabic digits.
    is_legal: bool,
    /// The level restarts after a paragraph of an outer level lower than this, starting at 0.
    begins_after: usize,
}

/// An abstract list. Several lists may share it, and continue its numbers.
#[derive(Debug, Default)]
struct Kind {
    levels: BTreeMap<usize, Level>,
}

/// A list.
#[derive(Debug, Default)]
struct List {
    kind: String,
    /// Levels that override the levels of the list's kind.
    levels: BTreeMap<usize, Level>,
    /// Numbers where levels restart. An entry is removed when its level restarts.
    starts: BTreeMap<usize, u32>,
}

/// Lists and their counters.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    kinds: BTreeMap<String, Kind>,
    lists: BTreeMap<String, List>,
    /// Counters by kind.
    counters: BTreeMap<String, [Option<u32>; LEVELS]>,
}

/// The mark of a paragraph in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ListMark {
    /// Number of lists around the paragraph's list.
    pub depth: usize,
    /// The number, such as `3.2`, or an empty text for a bullet.
    pub number: String,
}

impl Level {
    fn read(level: Node<'_, '_>) -> Self {
        Self {
            start: value(level, "start").and_then(|start| start.parse().ok()).unwrap_or(1),
            format: value(level, "numFmt").unwrap_or("decimal").to_owned(),
            text: value(level, "lvlText").unwrap_or_default().chars().take(MAX_LEVEL_TEXT).collect(),
            style: value(level, "pStyle").map(str::to_owned),
            is_legal: switch(level, "isLgl") == Some(true),
            begins_after: value(level, "lvlRestart").and_then(|depth| depth.parse().ok()).unwrap_or(LEVELS),
        }
    }
}

impl Numbering {
    pub(super) fn read(document: &Document<'_>) -> Self {
        let mut numbering = Self::default();
        let root = document.root_element();
        // A kind may refer to the kind of a list style.
        let (mut of_styles, mut stands_for) = (BTreeMap::new(), BTreeMap::new());
        for node in below(root, "abstractNum") {
            let Some(id) = attribute(node, "abstractNumId") else { continue };
            let levels = node.children().filter_map(|level| Some((depth_of(level, "lvl")?, Level::read(level))));
            numbering.kinds.insert(id.to_owned(), Kind { levels: levels.collect() });
            if let Some(style) = value(node, "styleLink") {
                of_styles.insert(style, id);
            }
            if let Some(style) = value(node, "numStyleLink") {
                stands_for.insert(id, style);
            }
        }
        for node in root.children().filter(|node| node.tag_name().name() == "num") {
            let (Some(id), Some(kind)) = (attribute(node, "numId"), value(node, "abstractNumId")) else { continue };
            let kind = stands_for.get(kind).and_then(|style| of_styles.get(style)).copied().unwrap_or(kind);
            let mut list = List { kind: kind.to_owned(), ..List::default() };
            for own in node.children() {
                let Some(depth) = depth_of(own, "lvlOverride") else { continue };
                if let Some(level) = child(own, "lvl") {
                    list.levels.insert(depth, Level::read(level));
                }
                if let Some(start) = value(own, "startOverride").and_then(|start| start.parse().ok()) {
                    list.starts.insert(depth, start);
                }
            }
            numbering.lists.insert(id.to_owned(), list);
        }
        numbering
    }

    /// Counts a paragraph with the style `style` at `place`. Returns `None` if the paragraph is not in a list.
    pub(super) fn count(&mut self, place: &ListPlace, style: Option<&str>) -> Option<ListMark> {
        let id = place.list.as_ref().filter(|id| *id != "0")?;
        let without =
            |depth: Option<usize>| ListMark { depth: depth.unwrap_or(0).min(LEVELS - 1), number: String::new() };
        let Some(list) = self.lists.get_mut(id) else { return Some(without(place.depth)) };
        let Some(kind) = self.kinds.get(&list.kind) else { return Some(without(place.depth)) };
        let level_of = |depth: usize| list.levels.get(&depth).or_else(|| kind.levels.get(&depth));
        let of_style = || {
            (0..LEVELS)
                .find(|depth| style.is_some() && level_of(*depth).is_some_and(|level| level.style.as_deref() == style))
        };
        let mark = without(place.depth.or_else(of_style));
        let depth = mark.depth;
        let counters = self.counters.entry(list.kind.clone()).or_default();
        let start_of = |depth: usize| level_of(depth).map_or(1, |level| level.start);
        let anew = list.starts.get(&depth).copied();
        counters[depth] = Some(match (anew, counters[depth]) {
            (Some(start), _) => start,
            (None, Some(count)) => count.saturating_add(1),
            (None, None) => start_of(depth),
        });
        for (above, counter) in counters.iter_mut().enumerate().take(depth) {
            counter.get_or_insert_with(|| start_of(above));
        }
        for (below, counter) in counters.iter_mut().enumerate().skip(depth + 1) {
            if level_of(below).is_none_or(|level| depth < level.begins_after) {
                *counter = None;
            }
        }
        let level = level_of(depth).filter(|level| !matches!(level.format.as_str(), "bullet" | "none"));
        let number = level.map(|level| {
            let mut number = level.text.clone();
            for (above, counter) in counters.iter().enumerate().take(depth + 1) {
                let format =
                    level_of(above).filter(|_| !level.is_legal).map_or("decimal", |level| level.format.as_str());
                number = number.replace(&format!("%{}", above + 1), &written(counter.unwrap_or(1), format));
            }
            number.trim().to_owned()
        });
        list.starts.remove(&depth);
        Some(ListMark { number: number.unwrap_or_default(), depth })
    }
}

/// Returns the level of `node`, if `node` is called `name`.
fn depth_of(node: Node<'_, '_>, name: &str) -> Option<usize> {
    let depth = attribute(node, "ilvl").filter(|_| node.tag_name().name() == name)?;
    depth.parse().ok().filter(|depth| *depth < LEVELS)
}

fn written(count: u32, format: &str) -> String {
    let letter = |first: u8| {
        let repeated = ((count.max(1) - 1) / 26 + 1).min(8) as usize;
        char::from(first + ((count.max(1) - 1) % 26) as u8).to_string().repeat(repeated)
    };
    match format {
        "lowerLetter" => letter(b'a'),
        "upperLetter" => letter(b'A'),
        "lowerRoman" => roman(count).to_lowercase(),
        "upperRoman" => roman(count),
        "decimalZero" => format!("{count:02}"),
        _ => count.to_string(),
    }
}

/// Returns `count` in Roman numerals, or in digits if it is large.
pub(crate) fn roman(count: u32) -> String {
    const VALUES: [(u32, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    if count == 0 || count >= 4000 {
        return count.to_string();
    }
    let mut rest = count;
    let mut out = String::new();
    for (value, letters) in VALUES {
        while rest >= value {
            out.push_str(letters);
            rest -= value;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_count_as_word_does() {
        let text = r#"<w:numbering xmlns:w="w">
            <w:abstractNum w:abstractNumId="7">
              <w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
              <w:lvl w:ilvl="1"><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2"/></w:lvl>
              <w:lvl w:ilvl="2"><w:numFmt w:val="bullet"/><w:lvlText w:val="x"/></w:lvl>
            </w:abstractNum>
            <w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>
        </w:numbering>"#;
        let mut numbering = Numbering::read(&Document::parse(text).unwrap());
        let mut mark = |list: &str, depth| {
            numbering.count(&ListPlace { list: Some(list.into()), depth: Some(depth) }, None).map(|mark| mark.number)
        };
        let numbers: Vec<_> = [0, 1, 1, 0, 1, 2].map(|depth| mark("1", depth).unwrap()).into();
        assert_eq!(numbers, ["3.", "3.a", "3.b", "4.", "4.a", ""]);
        assert_eq!(mark("0", 0), None);
        assert_eq!((roman(4), roman(1999), roman(4000)), ("IV".into(), "MCMXCIX".into(), "4000".into()));
    }

    #[test]
    fn lists_restart_and_use_levels_of_styles() {
        let text = r#"<w:numbering xmlns:w="w">
            <w:abstractNum w:abstractNumId="7"><w:styleLink w:val="Clauses"/>
              <w:lvl w:ilvl="0"><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1."/></w:lvl>
              <w:lvl w:ilvl="2"><w:lvlRestart w:val="1"/><w:lvlText w:val="(%3)"/></w:lvl>
              <w:lvl w:ilvl="1"><w:pStyle w:val="Clause"/><w:numFmt w:val="decimal"/><w:isLgl/><w:lvlText w:val="%1.%2"/></w:lvl>
            </w:abstractNum>
            <w:abstractNum w:abstractNumId="8"><w:numStyleLink w:val="Clauses"/></w:abstractNum>
            <w:num w:numId="1"><w:abstractNumId w:val="8"/></w:num>
            <w:num w:numId="2"><w:abstractNumId w:val="7"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>
        </w:numbering>"#;
        let mut numbering = Numbering::read(&Document::parse(text).unwrap());
        let mut mark = |list: &str, depth, style: Option<&str>| {
            numbering.count(&ListPlace { list: Some(list.into()), depth }, style).map(|mark| mark.number).unwrap()
        };
        let numbers = [
            mark("1", Some(0), None),
            mark("1", Some(0), None),
            mark("1", None, Some("Clause")),
            mark("1", Some(2), None),
            mark("1", None, Some("Clause")),
            mark("1", Some(2), None),
            mark("2", Some(0), None),
            mark("2", Some(0), None),
        ];
        assert_eq!(numbers, ["I.", "II.", "2.1", "(1)", "2.2", "(2)", "I.", "II."]);
    }
}

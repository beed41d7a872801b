//! The numbers that Word puts in front of paragraphs: they are not in the text.

use super::styles::ListPlace;
use super::xml::{attribute, below, child, value};
use roxmltree::Document;
use std::collections::BTreeMap;

const LEVELS: usize = 9;
/// Characters around the numbers of a level: it is written anew at every paragraph.
const MAX_LEVEL_TEXT: usize = 100;

#[derive(Clone, Debug)]
struct Level {
    start: u32,
    format: String,
    /// `%1.%2` and the text around.
    text: String,
}

#[derive(Debug, Default)]
struct List {
    levels: BTreeMap<usize, Level>,
}

/// Lists, and how far they were counted.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    /// The kind of each list.
    kinds: BTreeMap<String, String>,
    lists: BTreeMap<String, List>,
    counters: BTreeMap<String, [Option<u32>; LEVELS]>,
}

/// The mark of a paragraph in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ListMark {
    /// Lists around its own.
    pub depth: usize,
    /// `3.2`, or empty where it is a bullet.
    pub number: String,
}

impl Numbering {
    pub(super) fn read(document: &Document<'_>) -> Self {
        let mut numbering = Self::default();
        let root = document.root_element();
        for node in below(root, "abstractNum") {
            let Some(id) = attribute(node, "abstractNumId") else { continue };
            let mut list = List::default();
            for level in node.children().filter(|child| child.tag_name().name() == "lvl") {
                let Some(depth) = attribute(level, "ilvl").and_then(|depth| depth.parse().ok()) else { continue };
                let format = value(level, "numFmt").unwrap_or("decimal").to_owned();
                let start = value(level, "start").and_then(|start| start.parse().ok()).unwrap_or(1);
                let text = value(level, "lvlText").unwrap_or_default().chars().take(MAX_LEVEL_TEXT).collect();
                list.levels.insert(depth, Level { start, format, text });
            }
            numbering.lists.insert(id.to_owned(), list);
        }
        let lists = root.children().filter(|node| node.tag_name().name() == "num");
        for node in lists {
            let kind = child(node, "abstractNumId").and_then(|kind| attribute(kind, "val"));
            if let (Some(id), Some(kind)) = (attribute(node, "numId"), kind) {
                numbering.kinds.insert(id.to_owned(), kind.to_owned());
            }
        }
        numbering
    }

    /// Counts a paragraph at `place`; `None` if it is in no list.
    pub(super) fn count(&mut self, place: &ListPlace) -> Option<ListMark> {
        let id = place.list.as_ref().filter(|id| *id != "0")?;
        let depth = place.depth.unwrap_or(0).min(LEVELS - 1);
        let mark = ListMark { depth, number: String::new() };
        let Some(kind) = self.kinds.get(id) else { return Some(mark) };
        let Some(list) = self.lists.get(kind) else { return Some(mark) };
        let counters = self.counters.entry(kind.clone()).or_default();
        let start_of = |depth: usize| list.levels.get(&depth).map_or(1, |level| level.start);
        counters[depth] = Some(counters[depth].map_or_else(|| start_of(depth), |count| count.saturating_add(1)));
        for (above, counter) in counters.iter_mut().enumerate().take(depth) {
            counter.get_or_insert_with(|| start_of(above));
        }
        counters[depth + 1..].fill(None);
        let Some(level) = list.levels.get(&depth).filter(|level| !matches!(level.format.as_str(), "bullet" | "none"))
        else {
            return Some(mark);
        };
        let mut number = level.text.clone();
        for (above, counter) in counters.iter().enumerate().take(depth + 1) {
            let format = list.levels.get(&above).map_or("decimal", |level| level.format.as_str());
            number = number.replace(&format!("%{}", above + 1), &written(counter.unwrap_or(1), format));
        }
        Some(ListMark { number: number.trim().to_owned(), ..mark })
    }
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

/// `count` in Roman numerals; large ones in digits.
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
            numbering.count(&ListPlace { list: Some(list.into()), depth: Some(depth) }).map(|mark| mark.number)
        };
        let numbers: Vec<_> = [0, 1, 1, 0, 1, 2].map(|depth| mark("1", depth).unwrap()).into();
        assert_eq!(numbers, ["3.", "3.a", "3.b", "4.", "4.a", ""]);
        assert_eq!(mark("0", 0), None);
        assert_eq!((roman(4), roman(1999), roman(4000)), ("IV".into(), "MCMXCIX".into(), "4000".into()));
    }
}

//! Nests a document in another one. Its headings move to lower levels. Its marks get a prefix, because its anchors lead
//! nowhere in the outer document.

use crate::extracted::{Extracted, Heading, Mark};

/// Lowest level of headings.
const MAX_LEVEL: u8 = 6;

/// Returns `part` with its headings `levels` levels lower, and with `name` at the beginning of each label.
pub(crate) fn nested(part: &Extracted, levels: u8, name: &str) -> Extracted {
    let mut text = String::with_capacity(part.text.len());
    let mut inserted: Vec<(usize, usize)> = Vec::new();
    let (mut at, mut total) = (0, 0);
    let mut headings = Vec::with_capacity(part.headings.len());
    for heading in &part.headings {
        let level = heading.level.saturating_add(levels).min(MAX_LEVEL);
        let signs = part.text.get(heading.at..).map_or(0, |rest| rest.bytes().take_while(|byte| *byte == b'#').count());
        let is_new = heading.at >= at && inserted.last().is_none_or(|(last, _)| *last != heading.at);
        if signs > 0 && is_new {
            let more = usize::from(level).saturating_sub(signs);
            text.push_str(part.text.get(at..heading.at).unwrap_or_default());
            text.push_str(&"#".repeat(more));
            at = heading.at;
            total += more;
            inserted.push((heading.at, total));
        }
        headings.push((heading, level));
    }
    text.push_str(part.text.get(at..).unwrap_or_default());
    let moved = |at: usize| {
        let before = inserted.partition_point(|(place, _)| *place < at);
        at + before.checked_sub(1).and_then(|index| inserted.get(index)).map_or(0, |(_, total)| *total)
    };
    let headings = headings.into_iter().map(|(heading, level)| Heading {
        at: moved(heading.at),
        level,
        title: heading.title.clone(),
        anchor: String::new(),
    });
    let marks = part.marks.iter().map(|mark| Mark {
        at: moved(mark.at),
        anchor: String::new(),
        label: place(name, mark),
        context: mark.context.clone(),
    });
    Extracted {
        headings: headings.collect(),
        marks: marks.collect(),
        blocks: part.blocks.iter().map(|at| moved(*at)).collect(),
        text,
        ..Extracted::default()
    }
}

/// Returns the label of a place in the attachment `name`.
fn place(name: &str, mark: &Mark) -> String {
    let of_anchor = mark.anchor.strip_prefix("page=").map(|page| format!("p. {page}"));
    let label = if mark.label.is_empty() { of_anchor.unwrap_or_default() } else { mark.label.clone() };
    if label.is_empty() || name.is_empty() { format!("{name}{label}") } else { format!("{name}, {label}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document_writer::DocumentWriter;

    #[test]
    fn headings_and_places_are_shifted() {
        let mut writer = DocumentWriter::default();
        writer.mark("page=1", "", "");
        writer.heading(1, "One");
        writer.paragraph("Text");
        writer.mark("page=2", "p. ii", "");
        writer.heading(5, "Two");
        writer.paragraph("More");
        let part = nested(&writer.finish(Vec::new()), 2, "a.pdf");
        assert_eq!(part.text, "### One\n\nText\n\n###### Two\n\nMore\n");
        let levels: Vec<_> = part.headings.iter().map(|h| (h.level, h.at, &part.text[h.at..=h.at])).collect();
        assert_eq!(levels, [(3, 0, "#"), (6, 15, "#")]);
        let marks: Vec<_> = part.marks.iter().map(|mark| (mark.at, mark.label.as_str())).collect();
        assert_eq!(marks, [(0, "a.pdf, p. 1"), (15, "a.pdf, p. ii")]);
        assert_eq!(part.blocks, [0, 9, 15, 27]);
    }
}

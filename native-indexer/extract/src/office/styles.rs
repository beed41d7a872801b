//! Determines the roles of paragraphs in Word files by their styles.

use super::xml::{attribute, below, child, value};
use roxmltree::{Document, Node};
use std::collections::BTreeMap;

/// Maximum length of a chain of styles. A longer chain is probably circular.
const MAX_BASES: usize = 16;

/// The role of a paragraph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A heading of this level, starting at 1.
    Heading(usize),
    /// The title of the document.
    Title,
    /// A line in a table of contents.
    Contents,
    /// Anything else.
    Text,
}

/// A list, and the depth in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ListPlace {
    pub list: Option<String>,
    pub depth: Option<usize>,
}

#[derive(Debug, Default)]
struct Style {
    /// Name in lower case. Names are English in all language versions of Word, but ids are not.
    name: String,
    base: Option<String>,
    outline_level: Option<usize>,
    place: ListPlace,
    /// Whether the style hides or shows its text, if it specifies this.
    is_hidden: Option<bool>,
}

/// Styles by id.
#[derive(Debug, Default)]
pub(super) struct Styles {
    by_id: BTreeMap<String, Style>,
    /// Default paragraph style.
    usual: Option<String>,
    /// Whether text is hidden if no style specifies this.
    is_text_hidden: bool,
}

impl Styles {
    pub(super) fn read(document: &Document<'_>) -> Self {
        let defaults = child(document.root_element(), "docDefaults").and_then(|node| child(node, "rPrDefault"));
        let is_text_hidden = defaults.and_then(is_hidden) == Some(true);
        let mut styles = Self { is_text_hidden, ..Self::default() };
        for node in below(document.root_element(), "style") {
            let Some(id) = attribute(node, "styleId").map(str::to_owned) else { continue };
            if attribute(node, "type") == Some("paragraph") && attribute(node, "default").is_some_and(is_on) {
                styles.usual = Some(id.clone());
            }
            let paragraph = child(node, "pPr");
            let style = Style {
                name: value(node, "name").unwrap_or_default().to_lowercase(),
                base: value(node, "basedOn").map(str::to_owned),
                outline_level: paragraph.and_then(|paragraph| value(paragraph, "outlineLvl")?.parse().ok()),
                place: paragraph.map(list_place).unwrap_or_default(),
                is_hidden: is_hidden(node),
            };
            styles.by_id.insert(id, style);
        }
        styles
    }

    /// Returns the role of paragraphs with the style called `id`.
    pub(super) fn role(&self, id: Option<&str>) -> Role {
        let chain = || self.chain(id);
        for style in chain() {
            let name = style.name.as_str();
            let level = name.strip_prefix("heading ").and_then(|level| level.trim().parse::<usize>().ok());
            match level {
                Some(level) if (1..=9).contains(&level) => return Role::Heading(level),
                _ if name == "title" => return Role::Title,
                _ if name.starts_with("toc ") || name == "table of figures" => return Role::Contents,
                _ => {}
            }
        }
        match chain().find_map(|style| style.outline_level) {
            Some(level) if level < 9 => Role::Heading(level + 1),
            // If there is no part with styles, only ids are available.
            None if self.by_id.is_empty() => id.map_or(Role::Text, role_of_id),
            _ => Role::Text,
        }
    }

    /// Returns the list of paragraphs with the style called `id`.
    pub(super) fn place(&self, id: Option<&str>) -> ListPlace {
        let list = self.chain(id).find_map(|style| style.place.list.clone());
        ListPlace { list, depth: self.chain(id).find_map(|style| style.place.depth) }
    }

    /// Whether the text of paragraphs with the style called `id` is hidden.
    pub(super) fn hides_paragraph(&self, id: Option<&str>) -> bool {
        self.hides(id).unwrap_or(self.is_text_hidden)
    }

    /// Whether the table or character style called `id` hides its text.
    pub(super) fn hides_part(&self, id: &str) -> bool {
        self.hides(Some(id)) == Some(true)
    }

    /// Returns whether the style called `id` hides its text. It may inherit this from its bases.
    fn hides(&self, id: Option<&str>) -> Option<bool> {
        self.chain(id).find_map(|style| style.is_hidden)
    }

    /// Iterates over the style called `id` and its bases.
    fn chain<'a>(&'a self, id: Option<&'a str>) -> impl Iterator<Item = &'a Style> {
        let first = id.or(self.usual.as_deref()).and_then(|id| self.by_id.get(id));
        let next = |style: &&'a Style| style.base.as_ref().and_then(|base| self.by_id.get(base));
        std::iter::successors(first, next).take(MAX_BASES)
    }
}

fn role_of_id(id: &str) -> Role {
    let lower = id.to_lowercase();
    match lower.strip_prefix("heading").and_then(|level| level.parse().ok()) {
        Some(level) if (1..=9).contains(&level) => Role::Heading(level),
        _ if lower == "title" => Role::Title,
        _ => Role::Text,
    }
}

/// Returns the list in a paragraph's properties.
pub(super) fn list_place(paragraph: roxmltree::Node<'_, '_>) -> ListPlace {
    let Some(place) = child(paragraph, "numPr") else { return ListPlace::default() };
    ListPlace {
        list: value(place, "numId").map(str::to_owned),
        depth: value(place, "ilvl").and_then(|depth| depth.parse().ok()),
    }
}

/// Returns whether the properties of a run or a style hide its text. `webHidden` is ignored, because it only hides page
/// numbers in views without pages.
fn is_hidden(owner: roxmltree::Node<'_, '_>) -> Option<bool> {
    let properties = || owner.children().filter(|child| child.tag_name().name() == "rPr");
    if properties().any(|properties| switch(properties, "specVanish") == Some(true)) {
        return Some(true);
    }
    properties().find_map(|properties| switch(properties, "vanish"))
}

/// Returns whether the switch called `name` is on, or `None` if it is missing. A switch without a value is on.
pub(super) fn switch(properties: roxmltree::Node<'_, '_>, name: &str) -> Option<bool> {
    let switch = child(properties, name)?;
    Some(attribute(switch, "val").is_none_or(|value| !matches!(value, "0" | "false" | "off")))
}

/// Whether the value of a switch is on.
fn is_on(value: &str) -> bool {
    matches!(value, "1" | "true" | "on")
}

/// Whether the text of `run` is hidden, by its own properties, or else by its style or its paragraph's style. Word
/// shows text if both styles hide it. Authors hardly intend this, so the text stays hidden.
pub(super) fn hides_run(styles: &Styles, run: Node<'_, '_>, is_in_hidden: bool) -> bool {
    is_hidden(run).unwrap_or_else(|| {
        let properties = run.children().filter(|child| child.tag_name().name() == "rPr");
        let style = properties.into_iter().find_map(|properties| value(properties, "rStyle"));
        is_in_hidden || style.is_some_and(|style| styles.hides_part(style))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_found_by_localized_ids_and_bases() {
        let text = r#"<w:styles xmlns:w="w">
            <w:style w:type="paragraph" w:default="1" w:styleId="Standard"><w:name w:val="Normal"/></w:style>
            <w:style w:styleId="berschrift2"><w:name w:val="heading 2"/><w:basedOn w:val="Standard"/></w:style>
            <w:style w:styleId="Own"><w:name w:val="Chapter"/><w:basedOn w:val="berschrift2"/></w:style>
            <w:style w:styleId="Lvl"><w:name w:val="Lvl"/><w:pPr><w:outlineLvl w:val="0"/><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr></w:style>
            <w:style w:styleId="Verzeichnis1"><w:name w:val="toc 1"/></w:style>
            <w:style w:styleId="A"><w:name w:val="a"/><w:basedOn w:val="B"/></w:style>
            <w:style w:styleId="B"><w:name w:val="b"/><w:basedOn w:val="A"/></w:style>
        </w:styles>"#;
        let document = Document::parse(text).unwrap();
        let styles = Styles::read(&document);
        assert_eq!(styles.role(Some("berschrift2")), Role::Heading(2));
        assert_eq!(styles.role(Some("Own")), Role::Heading(2));
        assert_eq!(styles.role(Some("Lvl")), Role::Heading(1));
        assert_eq!(styles.role(Some("Verzeichnis1")), Role::Contents);
        assert_eq!(styles.role(Some("A")), Role::Text);
        assert_eq!(styles.role(None), Role::Text);
        assert_eq!(styles.place(Some("Lvl")).list.as_deref(), Some("3"));
        assert_eq!(Styles::default().role(Some("Heading3")), Role::Heading(3));
    }
}

//! Reads authors' descriptions of images. File names, and descriptions that programs generate, are ignored.

use super::xml::{attribute, below};
use crate::words::one_line;
use roxmltree::Node;
use std::collections::BTreeSet;

/// Maximum number of characters in a description.
const MAX_CHARS: usize = 2_000;
/// Maximum number of descriptions that are remembered to skip repetitions, such as a logo on every slide.
const MAX_SAID: usize = 10_000;

/// Phrases in descriptions that older versions of Office generate.
const GUESSED: [&str; 9] = [
    "description automatically generated",
    "automatisch generierte beschreibung",
    "description générée automatiquement",
    "descripción generada automáticamente",
    "descrizione generata automaticamente",
    "descrição gerada automaticamente",
    "automatisch gegenereerde beschrijving",
    "автоматически созданное описание",
    "opis wygenerowany automatycznie",
];
/// Warnings that newer versions append to generated descriptions. The rest of such a description consists of sentences,
/// and is kept.
const WARNED: [&str; 4] = [
    "ai-generated content may be incorrect.",
    "ki-generierte inhalte können fehlerhaft sein.",
    "le contenu généré par l’ia peut être incorrect.",
    "el contenido generado por ia puede ser incorrecto.",
];
/// Extensions of image files.
const ENDINGS: [&str; 13] =
    [".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".emf", ".wmf", ".svg", ".webp", ".heic", ".pct"];
/// Default names of inserted objects. A number may follow.
const NAMES: [&str; 32] = [
    "picture",
    "image",
    "img",
    "photo",
    "graphic",
    "graphics",
    "chart",
    "diagram",
    "object",
    "shape",
    "figure",
    "logo",
    "icon",
    "screenshot",
    "clipart",
    "placeholder",
    "bild",
    "grafik",
    "objekt",
    "diagramm",
    "imagen",
    "imagem",
    "immagine",
    "afbeelding",
    "gráfico",
    "graphique",
    "рисунок",
    "изображение",
    "图片",
    "图像",
    "画像",
    "図",
];

/// Descriptions that were already read.
#[derive(Debug, Default)]
pub(super) struct AltTexts {
    said: BTreeSet<String>,
}

impl AltTexts {
    /// Returns the description in the properties of a drawing (`docPr`, `cNvPr`, a VML shape), unless it was read
    /// before.
    pub(super) fn of(&mut self, properties: Node<'_, '_>) -> Option<String> {
        let is_decoration =
            below(properties, "decorative").any(|mark| matches!(attribute(mark, "val"), Some("1" | "true")));
        let said = ["descr", "title", "alt"].into_iter().find_map(|name| description(attribute(properties, name)?));
        self.first(said.filter(|_| !is_decoration)?)
    }

    /// Returns `text` as a description. Returns `None` if it is not a description or was read before.
    pub(super) fn of_text(&mut self, text: &str) -> Option<String> {
        self.first(description(text)?)
    }

    fn first(&mut self, said: String) -> Option<String> {
        if self.said.contains(&said) {
            return None;
        }
        if self.said.len() < MAX_SAID {
            self.said.insert(said.clone());
        }
        Some(said)
    }
}

/// Returns the description in `text`, if an author wrote it.
fn description(text: &str) -> Option<String> {
    let text = one_line(text);
    let lower = text.to_lowercase();
    if GUESSED.iter().any(|tail| lower.contains(tail)) {
        return None;
    }
    // Lower case may change the number of bytes, so the warning is cut off by characters.
    let tail = WARNED.iter().find(|tail| lower.ends_with(**tail)).map_or(0, |tail| tail.chars().count());
    let length = text.chars().count().saturating_sub(tail).min(MAX_CHARS);
    let said: String = text.chars().take(length).collect();
    let said = said.trim().to_owned();
    (!said.is_empty() && !is_file_name(&said) && !is_given_name(&said)).then_some(said)
}

fn is_file_name(text: &str) -> bool {
    let lower = text.to_lowercase();
    let is_one_word = !text.contains(' ');
    ENDINGS.iter().any(|ending| lower.ends_with(ending))
        || is_one_word && (lower.contains("://") || lower.starts_with("data:") || lower.starts_with("cid:"))
        // This may be an image identifier: a UUID or a hash.
        || is_one_word && text.len() >= 16 && text.bytes().any(|byte| byte.is_ascii_digit()) && text.is_ascii()
}

/// Whether `text` is a default name: `Picture 3`, `image001`, `Grafik`.
fn is_given_name(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    match (words.next(), words.next()) {
        (None, _) => true,
        (Some(only), None) => NAMES.contains(&only.to_lowercase().as_str()) || only.chars().count() < 2,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_texts_are_not_descriptions() {
        for text in [
            "",
            "Picture 3",
            "image001",
            "Grafik",
            "python-powered.png",
            "C:\\My Pictures\\Screen shot.PNG",
            "https://example.org/a/b",
            "A picture containing text, sky\n\nDescription automatically generated with medium confidence",
            "Ein Bild, das Text enthält. Automatisch generierte Beschreibung",
            "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
            "42",
        ] {
            assert_eq!(description(text), None, "{text}");
        }
    }

    #[test]
    fn descriptions_by_authors_are_read_once() {
        let mut read = AltTexts::default();
        assert_eq!(read.of_text("Floor plan\nof the museum").as_deref(), Some("Floor plan of the museum"));
        assert_eq!(read.of_text("Floor plan of the museum"), None);
        assert_eq!(read.of_text("Architecture").as_deref(), Some("Architecture"));
        let sentence = "A bar chart of İzmir. AI-generated content may be incorrect.";
        assert_eq!(read.of_text(sentence).as_deref(), Some("A bar chart of İzmir."));
        assert_eq!(read.of_text(&"long ".repeat(1_000)).map(|text| text.len()), Some(MAX_CHARS - 1));
    }
}

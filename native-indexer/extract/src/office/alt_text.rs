//! Descriptions of pictures, where an author wrote one: programs fill the same place with file names and with guesses.

use super::xml::{attribute, below};
use crate::words::one_line;
use roxmltree::Node;
use std::collections::BTreeSet;

/// A longer description is cut.
const MAX_CHARS: usize = 2_000;
/// Descriptions that are remembered as said: a logo is on every slide.
const MAX_SAID: usize = 10_000;

/// Pictures that a program described itself end so in older versions: a list of what it thinks to see.
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
/// Newer versions write sentences, and this after them.
const WARNED: [&str; 4] = [
    "ai-generated content may be incorrect.",
    "ki-generierte inhalte können fehlerhaft sein.",
    "le contenu généré par l’ia peut être incorrect.",
    "el contenido generado por ia puede ser incorrecto.",
];
/// Endings of pictures.
const ENDINGS: [&str; 13] =
    [".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".emf", ".wmf", ".svg", ".webp", ".heic", ".pct"];
/// Names that programs give to what is inserted, with or without a number.
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

/// Descriptions that were read so far.
#[derive(Debug, Default)]
pub(super) struct AltTexts {
    said: BTreeSet<String>,
}

impl AltTexts {
    /// The description of the drawing whose properties these are (`docPr`, `cNvPr`, a shape of VML), unless it was read before.
    pub(super) fn of(&mut self, properties: Node<'_, '_>) -> Option<String> {
        let is_decoration =
            below(properties, "decorative").any(|mark| matches!(attribute(mark, "val"), Some("1" | "true")));
        let said = ["descr", "title", "alt"].into_iter().find_map(|name| description(attribute(properties, name)?));
        self.first(said.filter(|_| !is_decoration)?)
    }

    /// `text` as a description, unless it is none or was read before.
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

/// The description in `text`, if an author wrote one.
fn description(text: &str) -> Option<String> {
    let text = one_line(text);
    let lower = text.to_lowercase();
    if GUESSED.iter().any(|tail| lower.contains(tail)) {
        return None;
    }
    // Lower case may be longer: what is cut off is counted in characters.
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
        // The number of a picture: a UUID, a hash.
        || is_one_word && text.len() >= 16 && text.bytes().any(|byte| byte.is_ascii_digit()) && text.is_ascii()
}

/// `Picture 3`, `image001`, `Grafik`.
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
    fn what_programs_write_is_no_description() {
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
    fn what_authors_write_is_read_once() {
        let mut read = AltTexts::default();
        assert_eq!(read.of_text("Floor plan\nof the museum").as_deref(), Some("Floor plan of the museum"));
        assert_eq!(read.of_text("Floor plan of the museum"), None);
        assert_eq!(read.of_text("Architecture").as_deref(), Some("Architecture"));
        let sentence = "A bar chart of İzmir. AI-generated content may be incorrect.";
        assert_eq!(read.of_text(sentence).as_deref(), Some("A bar chart of İzmir."));
        assert_eq!(read.of_text(&"long ".repeat(1_000)).map(|text| text.len()), Some(MAX_CHARS - 1));
    }
}

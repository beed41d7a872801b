//! Reads annotations, which people add to pages: form values, typed text, stamps and comments.

use super::attachments::{AttachedFile, Budget, attached_file};
use super::form_fields::{self, FieldValue};
use super::typed::Typed;
use crate::words::one_line;
use hayro_interpret::RectExt as _;
use hayro_syntax::object::{Array, Dict, Name, Rect as PdfRect, String as PdfString};
use hayro_syntax::page::Page;
use kurbo::Rect;

/// Maximum number of annotations to read per page.
const MAX_ANNOTATIONS: usize = 5_000;
/// Flags of annotations that viewers do not show: hidden, and no view.
const HIDDEN: i32 = (1 << 1) | (1 << 5);

/// The content that an annotation adds to its page.
#[derive(Debug)]
pub(super) enum Added<'a> {
    /// Text and its rectangle.
    Text(String, Rect),
    /// A checkbox, with its state and its rectangle.
    Check(bool, Rect),
    /// An annotation with an appearance to draw, and its rectangle.
    Drawn(Dict<'a>, Rect),
    File(AttachedFile),
    /// A comment, which is written after the page.
    Comment(Comment),
}

/// A comment.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Comment {
    pub author: String,
    pub text: String,
}

/// Reads the annotations of `page` in order, with attached files at the end. Rectangles are in the coordinates of the
/// page.
pub(super) fn read<'a>(page: &Page<'a>, typed: &mut Typed, budget: &mut Budget) -> Vec<Added<'a>> {
    let Some(annotations) = page.raw().get::<Array<'_>>("Annots") else { return Vec::new() };
    let annotations = || annotations.iter::<Dict<'_>>().take(MAX_ANNOTATIONS);
    let files = annotations().filter(|annotation| annotation.contains_key("FS"));
    let files = files.filter_map(|annotation| attached_file(&annotation.get::<Dict<'_>>("FS")?, budget));
    let mut all = Vec::new();
    for annotation in annotations() {
        if typed.is_full() {
            break;
        }
        all.extend(added(&annotation, typed));
    }
    all.extend(files.map(Added::File));
    all
}

fn added<'a>(annotation: &Dict<'a>, typed: &mut Typed) -> Option<Added<'a>> {
    if annotation.get::<i32>("F").unwrap_or(0) & HIDDEN != 0 {
        return None;
    }
    let said = |typed: &mut Typed| {
        let said = annotation.get::<PdfString<'_>>("Contents")?;
        Some(typed.text(&said).trim().to_owned()).filter(|said| !said.is_empty())
    };
    let rect = || annotation.get::<PdfRect>("Rect").map(|rect| rect.to_kurbo()).filter(Rect::is_finite);
    let drawn = || Some(Added::Drawn(annotation.clone(), rect()?));
    match annotation.get::<Name<'_>>("Subtype")?.as_str() {
        "Widget" => match form_fields::value(annotation, typed)? {
            FieldValue::Text(text) => Some(Added::Text(text, rect()?)),
            FieldValue::Check(is_on) => Some(Added::Check(is_on, rect()?)),
            FieldValue::Signature => drawn(),
        },
        "FreeText" => match said(typed) {
            Some(said) => Some(Added::Text(said, rect()?)),
            None => drawn(),
        },
        "Stamp" => drawn(),
        "Text" | "Highlight" | "Underline" | "StrikeOut" | "Squiggly" | "Caret" | "Ink" | "Line" | "Square"
        | "Circle" | "Polygon" | "PolyLine" | "FileAttachment" => {
            let author = annotation.get::<PdfString<'_>>("T").map(|author| one_line(&typed.text(&author)));
            Some(Added::Comment(Comment { author: author.unwrap_or_default(), text: one_line(&said(typed)?) }))
        }
        _ => None,
    }
}

impl Comment {
    /// Returns a paragraph that readers cannot mistake for the document's text.
    pub(super) fn paragraph(&self) -> String {
        if self.author.is_empty() {
            format!("Comment: {}", self.text)
        } else {
            format!("Comment by {}: {}", self.author, self.text)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::extract;
    use super::super::fixtures::{document_of_pages, show};

    /// Returns the text of a page with these annotations.
    fn text(content: &str, annotations: &[&str], catalog: &str) -> String {
        let entries = format!("/Annots [{}]", annotations.join(" "));
        extract(&document_of_pages(&[content], &entries, catalog, &["<< >>"])).unwrap().text
    }

    #[test]
    fn values_are_beside_their_labels() {
        let page = [
            show("Name:", 50, 700, 10),
            show("Born:", 300, 700, 10),
            show("City", 50, 650, 10),
            show("Member", 70, 600, 10),
            show("Guest", 170, 600, 10),
            show("The end.", 50, 500, 10),
        ];
        let widget = |x: u32, y: u32, width: u32, entries: &str| {
            format!("<< /Subtype /Widget /Rect [{x} {y} {} {}] {entries} >>", x + width, y + 12)
        };
        let fields = [
            widget(330, 697, 100, "/FT /Tx /V (1 May)"),
            widget(85, 697, 100, "/FT /Tx /V <FEFF00C5007300610020004C>"),
            widget(50, 632, 100, "/FT /Ch /V (x) /Opt [[(x) (Oslo)] [(y) (Bergen)]]"),
            widget(55, 597, 12, "/FT /Btn /AS /Yes"),
            widget(155, 597, 12, "/FT /Btn /AS /Off"),
            widget(400, 597, 50, "/FT /Btn /Ff 65536 /AS /Yes"),
            widget(400, 497, 50, "/FT /Tx /Ff 8192 /V (secret)"),
            widget(400, 397, 50, "/FT /Tx /F 2 /V (hidden)"),
        ];
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        assert_eq!(
            text(&page.concat(), &fields, ""),
            "| Name: Åsa L | Born: 1 May |\n\nCity Oslo\n\n| ☒ Member | ☐ Guest |\n\nThe end.\n"
        );
    }

    #[test]
    fn typed_text_is_read_and_comments_follow_the_page() {
        let page = [show("The contract ends", 50, 700, 10), show("in March.", 50, 688, 10)].concat();
        let annotations = [
            "<< /Subtype /FreeText /Rect [50 600 300 630] /Contents (Signed\r\nin Rome) >>",
            "<< /Subtype /Highlight /Rect [50 690 200 700] /Contents (in march) >>",
            "<< /Subtype /Text /Rect [50 690 200 700] /T (Ann) /Contents (# Or in\nApril?) >>",
            "<< /Subtype /Link /Rect [50 690 200 700] /Contents (somewhere) >>",
        ];
        assert_eq!(
            text(&page, &annotations, ""),
            "The contract ends in March.\n\nSigned in Rome\n\nComment by Ann: # Or in April?\n"
        );
    }

    #[test]
    fn values_of_xfa_are_read_where_fields_have_none() {
        let xfa = "<xfa:data xmlns:xfa='x'><form1><Surname>Ek</Surname><Age></Age><Sum>9</Sum></form1></xfa:data>";
        let xfa = format!("<< /Length {} >>\nstream\n{xfa}\nendstream", xfa.len());
        let form = "/AcroForm << /XFA [(template) 100 0 R (datasets) 101 0 R] >>";
        let document = super::super::fixtures::document(&[&show("Wait", 50, 700, 10)], form, &["<< >>", &xfa]);
        assert_eq!(extract(&document).unwrap().text, "Wait\n\n| Surname | Ek |\n| Sum | 9 |\n");
    }
}

//! Formulas in MathML, which often contain the author's source as an annotation.

use scraper::{ElementRef, Node};

/// Returns the text of a formula: its TeX source if available, otherwise its signs. Returns `None` for any other
/// element.
pub(super) fn formula(element: ElementRef<'_>) -> Option<String> {
    let name = element.value().name();
    if name == "script" && element.attr("type").is_some_and(|kind| kind.starts_with("math/tex")) {
        return Some(element.text().collect::<String>().trim().to_owned());
    }
    if name != "math" {
        return None;
    }
    let inside = element.descendants().filter_map(ElementRef::wrap);
    let mut annotations = inside.filter(|inner| inner.value().name() == "annotation");
    let tex = annotations.find(|inner| inner.attr("encoding").is_some_and(|encoding| encoding.contains("tex")));
    let written = tex.map(|tex| tex.text().collect::<String>()).or_else(|| element.attr("alttext").map(str::to_owned));
    let written = written.filter(|written| !written.trim().is_empty());
    Some(written.map_or_else(|| signs(element), |written| without_style(written.trim()).to_owned()))
}

/// Removes the style command that Wikipedia puts around every formula.
fn without_style(tex: &str) -> &str {
    let inside = tex.strip_prefix("{\\displaystyle").or_else(|| tex.strip_prefix("{\\textstyle"));
    inside.and_then(|inside| inside.strip_suffix('}')).map_or(tex, str::trim)
}

/// Returns the signs that are drawn, without annotations.
fn signs(element: ElementRef<'_>) -> String {
    let mut signs = String::new();
    add_signs(element, &mut signs);
    signs
}

/// Appends the signs inside `parent`. Recursion is safe, because the parser refuses pages that are nested too deeply.
fn add_signs(parent: ElementRef<'_>, signs: &mut String) {
    // Without separators, the parts of a power, an index or a fraction would run together.
    let between: &[&str] = match parent.value().name() {
        "msup" => &["", "^"],
        "msub" => &["", "_"],
        "msubsup" => &["", "_", "^"],
        "mfrac" => &["", "/"],
        _ => &[],
    };
    let mut between = between.iter();
    for child in parent.children() {
        if let Node::Text(text) = child.value() {
            signs.push_str(text.trim());
        } else if let Some(inner) =
            ElementRef::wrap(child).filter(|inner| !inner.value().name().starts_with("annotation"))
        {
            signs.push_str(between.next().copied().unwrap_or_default());
            add_signs(inner, signs);
        }
    }
}

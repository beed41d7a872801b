//! Prints an answer as text for people.

use nearfind_base::facets::CodeClass;
use nearfind_base::terminal::visible;
use nearfind_bundles::library::{FoundHit, Reply};
use nearfind_core::search::{Corrected, ListEvidence, Why};
use std::io::{Result, Write};

/// How an answer is printed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    /// Whether found words are bold, as on a terminal.
    pub(super) bold: bool,
    /// Whether to explain why each document was found and which bytes were read.
    pub(super) explain: bool,
}

/// Prints an answer that took `took_ms`.
pub(super) fn print_reply(out: &mut impl Write, reply: &Reply, took_ms: f64, style: Style) -> Result<()> {
    for (number, found) in reply.hits.iter().enumerate() {
        print_hit(out, number + 1, found, style)?;
    }
    if let Some(searched) = &reply.searched {
        let words: Vec<_> =
            reply.corrections.iter().map(|Corrected { word, .. }| format!("`{}`", plain(word))).collect();
        writeln!(out, "no page contains {}: showing results for `{}`", words.join(", "), plain(searched))?;
    } else {
        for Corrected { word, meant } in &reply.corrections {
            writeln!(out, "no page contains `{}`: searched for `{}`", plain(word), plain(meant))?;
        }
    }
    for phrase in &reply.missing_phrases {
        writeln!(out, "no page contains the phrase \"{}\": searched for its words", plain(phrase))?;
    }
    if reply.hits.is_empty() {
        let advice = if reply.nearest.is_empty() { "" } else { "; these come nearest" };
        writeln!(out, "nothing found that fits: try different or fewer keywords{advice}")?;
    }
    for (number, found) in reply.nearest.iter().enumerate() {
        print_hit(out, number + 1, found, style)?;
    }
    let tier = u8::from(reply.tier);
    let documents = if reply.hits.len() == 1 { "document" } else { "documents" };
    writeln!(out, "{} {documents} by {} (tier {tier}) in {took_ms:.0} ms", reply.hits.len(), reply.mode.name())?;
    if style.explain {
        let total: u64 = reply.cost.bytes.iter().map(|(_, bytes)| bytes).sum();
        let parts: Vec<_> = reply.cost.bytes.iter().map(|(part, bytes)| format!("{part} {bytes}")).collect();
        writeln!(out, "read {total} bytes in {} rounds: {}", reply.cost.rounds, parts.join(", "))?;
        if let Some(vectors) = reply.cost.vectors {
            writeln!(out, "vectors: {:?}, {} compared", vectors.method, vectors.compared)?;
        }
    }
    Ok(())
}

fn print_hit(out: &mut impl Write, number: usize, found: &FoundHit, style: Style) -> Result<()> {
    let FoundHit { hit, content, .. } = found;
    let section = if hit.section.is_empty() { String::new() } else { format!(" › {}", plain(&hit.section)) };
    writeln!(out, "{number}. {}{section}", plain(&hit.title))?;
    let anchor = if hit.anchor.is_empty() { String::new() } else { format!("#{}", hit.anchor) };
    match found.code().unwrap_or_default() {
        Some(code) => {
            let stale = if code.is_stale { ", has changed since it was indexed" } else { "" };
            let class = if code.class == CodeClass::Source.name() { "" } else { &format!(", {}", plain(&code.class)) };
            let (first, last) = code.lines;
            writeln!(out, "   {}/{}:{first}-{last}{class}{stale}", plain(&hit.project), plain(&hit.path))?;
            if let Some(url) = &hit.url {
                writeln!(out, "   {}{}", plain(url), plain(&anchor))?;
            }
        }
        None => writeln!(out, "   {}{}", plain(hit.url.as_deref().unwrap_or(&hit.document)), plain(&anchor))?,
    }
    if let Some(commit) = found.commit().unwrap_or_default() {
        writeln!(out, "   {}", plain(&commit))?;
    }
    writeln!(out, "   {}", highlighted(&hit.excerpt.text, &hit.excerpt.highlights, style.bold))?;
    for passage in &hit.more {
        let section = if passage.section.is_empty() { String::new() } else { format!("{}: ", plain(&passage.section)) };
        writeln!(out, "   + {section}{}", highlighted(&passage.excerpt.text, &passage.excerpt.highlights, style.bold))?;
    }
    if let [_, others @ ..] = &hit.versions[..] {
        let names: Vec<_> = others.iter().map(|version| plain(&version.version)).collect();
        writeln!(out, "   also in version {}", names.join(", "))?;
    }
    for line in content.iter().flat_map(|content| content.lines()) {
        writeln!(out, "   | {}", plain(line))?;
    }
    if style.explain {
        let (words, meaning) = (evidence("words", hit.why.words), evidence("meaning", hit.why.meaning));
        let pinned = if hit.pinned { ", pinned" } else { "" };
        let named = if hit.why.named { ", has this name" } else { "" };
        let Why { fused, fit, defines, aside, .. } = hit.why;
        let defines = if defines > 0.0 { format!(", defines it {defines:+.1}") } else { String::new() };
        let aside = if aside > 0.0 { format!(", aside {:+.1}", -aside) } else { String::new() };
        writeln!(
            out,
            "   score {:.2}, fused {fused:.4}{words}{meaning}{named}{defines}{aside}, fit {fit:.2}{pinned}",
            hit.score
        )?;
    }
    Ok(())
}

fn evidence(name: &str, list: Option<ListEvidence>) -> String {
    let Some(list) = list else { return String::new() };
    let rank = list.rank.map_or("not in its list".to_owned(), |rank| format!("rank {rank}"));
    format!(", {name} {:+.3} ({rank}, {:.3})", list.z, list.score)
}

/// Returns text of a document without control characters, so that it cannot steer a terminal.
pub(super) fn plain(text: &str) -> String {
    visible(text).chars().filter(|c| !c.is_control()).collect()
}

fn highlighted(text: &str, highlights: &[[u32; 2]], bold: bool) -> String {
    let units: Vec<u16> = text.encode_utf16().collect();
    let mut out = String::new();
    let mut at = 0;
    let cut = |from: usize, to: usize| plain(&String::from_utf16_lossy(&units[from..to]));
    for &[from, to] in highlights {
        out.push_str(&cut(at, from as usize));
        let word = cut(from as usize, to as usize);
        out.push_str(&if bold { format!("\u{1b}[1m{word}\u{1b}[0m") } else { word });
        at = to as usize;
    }
    out + &cut(at, units.len())
}

/// Returns whether `out` is a terminal that shows bold text, unless the user has turned that off
/// (<https://no-color.org>).
pub(super) fn takes_styles(out: &impl std::io::IsTerminal) -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    out.is_terminal() && !is_set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_documents_steers_no_terminal() {
        assert_eq!(plain("a\u{1b}[2Jb\u{7}"), "a[2Jb");
        assert_eq!(highlighted("a\u{1b} word", &[[3, 7]], true), "a \u{1b}[1mword\u{1b}[0m");
    }

    #[test]
    fn highlights_count_utf16_units() {
        assert_eq!(highlighted("🦀 word é", &[[3, 7]], false), "🦀 word é");
        assert_eq!(highlighted("🦀 word é", &[[8, 9]], true), "🦀 word \u{1b}[1mé\u{1b}[0m");
    }
}

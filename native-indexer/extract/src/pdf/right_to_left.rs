//! Converts lines in Arabic, Hebrew and related scripts from the visual order of glyphs to reading order.

use super::glyph::Glyph;
use super::spacing::gap;

/// Whether `c` is a letter of a script that is written from right to left.
pub(super) const fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
        && !is_digit(c)
}

const fn is_digit(c: char) -> bool {
    matches!(c, '0'..='9' | '\u{660}'..='\u{669}' | '\u{6f0}'..='\u{6f9}')
}

/// Whether `c` is a mark that combines with a letter.
const fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}'..='\u{5c7}' | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{6d6}'..='\u{6ed}')
}

/// The characters of a glyph, including its marks.
struct Cluster {
    text: String,
    x: f32,
    end: f32,
    size: f32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Left,
    /// Words in other scripts, and numbers.
    Right,
    Neutral,
}

impl Cluster {
    fn direction(&self) -> Direction {
        match self.text.chars().next() {
            Some(c) if is_right_to_left(c) => Direction::Left,
            Some(c) if c.is_alphanumeric() => Direction::Right,
            _ => Direction::Neutral,
        }
    }

    /// Whether both clusters are letters, with opposite directions.
    fn is_word_beside(&self, other: &Self) -> bool {
        let is_letter = |cluster: &Self| cluster.text.chars().next().is_some_and(char::is_alphabetic);
        self.is_against(other) && is_letter(self) && is_letter(other)
    }

    /// Whether the clusters have opposite directions.
    fn is_against(&self, other: &Self) -> bool {
        let directions = (self.direction(), other.direction());
        matches!(directions, (Direction::Left, Direction::Right) | (Direction::Right, Direction::Left))
    }
}

/// Distance between words that are drawn as one glyph, in points. Only their order matters.
const BESIDE: f32 = 0.01;

/// Returns the text of the line of `glyphs` in reading order.
pub(super) fn text(glyphs: &[Glyph], space: f32) -> String {
    let mut clusters: Vec<Cluster> = Vec::new();
    for glyph in glyphs.iter().filter(|glyph| !glyph.c.is_whitespace()) {
        let new = Cluster { text: glyph.c.to_string(), x: glyph.x, end: glyph.end, size: glyph.size };
        match clusters.last_mut() {
            // This glyph represents a word and the first letter of another word, which continues with the next glyph.
            Some(last) if glyph.is_joined && new.is_against(last) => {
                let left = if new.direction() == Direction::Left { clusters.len() } else { clusters.len() - 1 };
                clusters.push(new);
                clusters[left].x -= BESIDE;
                clusters[left].end -= BESIDE;
            }
            Some(last)
                if glyph.is_joined || (is_mark(glyph.c) && glyph.x < last.end && glyph.end > last.x - glyph.size) =>
            {
                last.text.push(glyph.c);
            }
            _ => clusters.push(new),
        }
    }
    clusters.sort_by(|a, b| (b.x + b.end).total_cmp(&(a.x + a.end)));
    let directions = directions(&clusters);
    let mut out = String::new();
    let mut at = 0;
    while at < clusters.len() {
        let length = directions[at..].iter().take_while(|direction| **direction == directions[at]).count();
        let run = &clusters[at..at + length];
        if let Some(before) = at.checked_sub(1) {
            let gap = between(&clusters[before], &run[0], space);
            // Words in different scripts are separate words, even if there is no gap.
            out.push_str(if gap.is_empty() && run[0].is_word_beside(&clusters[before]) { " " } else { gap });
        }
        let mut part = String::new();
        if directions[at] == Direction::Right {
            for (number, cluster) in run.iter().rev().enumerate() {
                if number > 0 {
                    part.push_str(between(&run[run.len() - number - 1], &run[run.len() - number], space));
                }
                part.push_str(&cluster.text);
            }
        } else {
            for (number, cluster) in run.iter().enumerate() {
                if number > 0 {
                    part.push_str(between(&run[number - 1], cluster, space));
                }
                part.extend(cluster.text.chars().map(mirrored));
            }
        }
        out.push_str(&part);
        at += length;
    }
    out
}

/// Returns the separator between two clusters. `left` is to the left of `right`.
fn between(right: &Cluster, left: &Cluster, space: f32) -> &'static str {
    gap(right.x - left.end, right.size.min(left.size), space)
}

/// Returns the direction of each cluster. Neutral clusters run to the right if both neighbors do, and otherwise to the
/// left.
fn directions(clusters: &[Cluster]) -> Vec<Direction> {
    let own: Vec<Direction> = clusters.iter().map(Cluster::direction).collect();
    own.iter()
        .enumerate()
        .map(|(at, direction)| match direction {
            Direction::Neutral => {
                let is_strong = |direction: &&Direction| **direction != Direction::Neutral;
                let before = own[..at].iter().rev().find(is_strong).copied();
                let after = own[at..].iter().find(is_strong).copied();
                let is_inside = before == Some(Direction::Right) && after == Some(Direction::Right);
                if is_inside { Direction::Right } else { Direction::Left }
            }
            direction => *direction,
        })
        .collect()
}

/// Returns the mirrored form of a bracket, because the glyph shows the visual form.
const fn mirrored(c: char) -> char {
    match c {
        '(' => ')',
        ')' => '(',
        '[' => ']',
        ']' => '[',
        '{' => '}',
        '}' => '{',
        '<' => '>',
        '>' => '<',
        '«' => '»',
        '»' => '«',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::lines;
    use super::super::lines::tests::glyphs;

    /// Reads a line that is given in visual order, from left to right.
    fn read(shown: &str) -> String {
        lines(&glyphs(shown, 0.0, 0.0, 10.0)).into_iter().map(|line| line.text).collect::<Vec<_>>().join(" / ")
    }

    #[test]
    fn lines_are_read_from_the_right() {
        assert_eq!(read("םלוע םולש"), "שלום עולם");
    }

    #[test]
    fn numbers_and_foreign_words_keep_their_order() {
        assert_eq!(read("תנשב 2024 הסרג PDF Reader שדח"), "חדש PDF Reader גרסה 2024 בשנת");
        assert_eq!(read("(3.14) ךרע"), "ערך (3.14)");
    }

    #[test]
    fn glyphs_may_be_drawn_in_any_order() {
        let mut shown = glyphs("םולש", 0.0, 0.0, 10.0);
        shown.reverse();
        assert_eq!(lines(&shown)[0].text, "שלום");
    }

    #[test]
    fn a_date_drawn_from_right_to_left_keeps_its_order() {
        let mut shown = glyphs("ךיראת", 120.0, 0.0, 10.0);
        for (text, x) in [("19", 90.0), ("/", 82.0), ("09", 69.0), ("/", 61.0), ("1403", 38.0)] {
            shown.extend(glyphs(text, x, 0.0, 10.0));
        }
        let text = lines(&shown).into_iter().map(|line| line.text).collect::<Vec<_>>();
        assert_eq!(text, ["תאריך 1403 / 09 / 19"]);
    }

    #[test]
    fn a_foreign_word_stays_whole_if_its_first_glyph_represents_more() {
        let mut shown = glyphs("שw", 0.0, 0.0, 10.0);
        (shown[1].x, shown[1].end, shown[1].is_joined) = (shown[0].x, shown[0].end, true);
        shown.extend(glyphs("ord", 5.0, 0.0, 10.0));
        shown.extend(glyphs("םולש", 25.0, 0.0, 10.0));
        assert_eq!(lines(&shown)[0].text, "שלום word ש");
    }

    #[test]
    fn presentation_forms_become_letters() {
        // Final, medial and initial forms.
        assert_eq!(read("\u{fe90}\u{fe98}\u{fedb}"), "كتب");
    }
}

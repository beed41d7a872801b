//! Sorts lines into reading order.
//!
//! Most producers draw text in reading order, including columns. Some draw a title, a box or a whole form after the
//! text below it. If two blocks share a column, the upper one comes first. Otherwise, the drawing order is kept.

use super::lines::Line;

/// Maximum number of blocks on a page. Pages with more blocks are drawings, and comparing all pairs would take too
/// long.
const MAX_BLOCKS: usize = 1_000;
/// Maximum distance between the baselines of lines that are side by side, in multiples of the font size.
const SAME_ROW: f32 = 0.5;
/// Minimum distance between a line and the first line of the next block, in multiples of the font size.
const LEADING: f32 = 1.8;
/// Minimum distance between a block and a block below it, in multiples of the smaller font size.
const BELOW: f32 = 0.8;
/// Minimum share of the narrower block that two blocks in the same column have in common.
const SHARED: f32 = 0.3;

/// Sorts `lines` into reading order.
pub(super) fn arrange(lines: Vec<Line>) -> Vec<Line> {
    let blocks = blocks(&lines);
    if blocks.len() > MAX_BLOCKS || !is_out_of_order(&blocks) {
        return lines;
    }
    let order = order(&blocks);
    let mut lines: Vec<Option<Line>> = lines.into_iter().map(Some).collect();
    let in_order = order.into_iter().flat_map(|number| blocks[number].first..blocks[number].after);
    in_order.filter_map(|number| lines[number].take()).collect()
}

/// Lines that were drawn in succession, each beside or below the previous one.
struct Block {
    /// Range of the block's lines.
    first: usize,
    after: usize,
    x: f32,
    end: f32,
    /// The first and last baselines.
    top: f32,
    bottom: f32,
    /// The smallest font size.
    size: f32,
    is_upright: bool,
}

impl Block {
    const fn of(number: usize, line: &Line) -> Self {
        let Line { x, end, y, size, .. } = *line;
        Self { first: number, after: number + 1, x, end, top: y, bottom: y, size, is_upright: line.turn == 0 }
    }

    fn add(&mut self, line: &Line) {
        self.after += 1;
        (self.x, self.end) = (self.x.min(line.x), self.end.max(line.end));
        (self.top, self.bottom) = (self.top.min(line.y), self.bottom.max(line.y));
        self.size = self.size.min(line.size);
    }

    /// Whether this block is read before `lower`, because they share a column.
    fn is_above(&self, lower: &Self) -> bool {
        let is_below = lower.top - self.bottom >= BELOW * self.size.min(lower.size);
        if !is_below || !self.is_upright || !lower.is_upright {
            return false;
        }
        let shared = self.end.min(lower.end) - self.x.max(lower.x);
        shared > SHARED * (self.end - self.x).min(lower.end - lower.x)
    }
}

fn blocks(lines: &[Line]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let last = number.checked_sub(1).map(|before| &lines[before]);
        match blocks.last_mut() {
            Some(block) if last.is_some_and(|last| goes_on(last, line)) => block.add(line),
            _ => blocks.push(Block::of(number, line)),
        }
    }
    blocks
}

fn goes_on(last: &Line, line: &Line) -> bool {
    let (down, size) = (line.y - last.y, last.size.max(line.size));
    let is_beside = down.abs() < SAME_ROW * size;
    let is_below = down > 0.0 && down < LEADING * size && line.x < last.end && line.end > last.x;
    last.turn == line.turn && (is_beside || is_below)
}

fn is_out_of_order(blocks: &[Block]) -> bool {
    let mut bottom = f32::NEG_INFINITY;
    blocks.iter().enumerate().any(|(number, block)| {
        // No previous block is lower.
        let is_lowest = block.bottom >= bottom;
        bottom = bottom.max(block.bottom);
        !is_lowest && blocks[..number].iter().any(|before| block.is_above(before))
    })
}

/// Returns the numbers of the blocks in drawing order, except that each block follows all blocks above it.
fn order(blocks: &[Block]) -> Vec<usize> {
    let mut order = Order {
        blocks,
        above: vec![0; blocks.len()],
        below: vec![0; blocks.len()],
        is_taken: vec![false; blocks.len()],
        waiting: Vec::new(),
        out: Vec::with_capacity(blocks.len()),
    };
    for (upper, block) in blocks.iter().enumerate() {
        for lower in (0..blocks.len()).filter(|lower| block.is_above(&blocks[*lower])) {
            order.above[lower] += 1;
            order.below[upper] += 1;
        }
    }
    for number in 0..blocks.len() {
        // A footer that was drawn first is postponed until the page is complete. Other blocks first take the blocks
        // above them, such as a title that was drawn last.
        if order.above[number] > order.below[number] + 1 {
            order.waiting.push(number);
        } else {
            order.take(number);
        }
        order.take_waiting();
    }
    order.out
}

struct Order<'a> {
    blocks: &'a [Block],
    /// For each block, the number of blocks above it that are not taken yet.
    above: Vec<usize>,
    /// For each block, the number of blocks below it.
    below: Vec<usize>,
    is_taken: Vec<bool>,
    /// Postponed blocks, which are taken after all blocks above them.
    waiting: Vec<usize>,
    out: Vec<usize>,
}

impl Order<'_> {
    /// Takes a block, after all blocks above it.
    fn take(&mut self, number: usize) {
        // Blocks to take, each with the next block that may be above it.
        let mut open = vec![(number, 0)];
        while let Some((number, next)) = open.last_mut() {
            let block = &self.blocks[*number];
            let is_missing = |other: &usize| !self.is_taken[*other] && self.blocks[*other].is_above(block);
            let missing = if self.above[*number] == 0 || self.is_taken[*number] {
                None
            } else {
                (*next..self.blocks.len()).find(is_missing)
            };
            if let Some(other) = missing {
                *next = other + 1;
                open.push((other, 0));
            } else {
                let number = *number;
                open.pop();
                self.push(number);
            }
        }
    }

    fn push(&mut self, number: usize) {
        if std::mem::replace(&mut self.is_taken[number], true) {
            return;
        }
        self.out.push(number);
        let block = &self.blocks[number];
        for (above, lower) in self.above.iter_mut().zip(self.blocks) {
            *above -= usize::from(block.is_above(lower));
        }
    }

    fn take_waiting(&mut self) {
        while let Some(at) = self.waiting.iter().position(|number| self.above[*number] == 0 || self.is_taken[*number]) {
            let number = self.waiting.remove(at);
            self.push(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::lines;
    use super::super::lines::tests::glyphs;
    use super::*;

    fn arranged(drawn: &[(&str, f32, f32)]) -> Vec<String> {
        let glyphs: Vec<_> = drawn.iter().flat_map(|(text, x, y)| glyphs(text, *x, *y, 10.0)).collect();
        arrange(lines(&glyphs)).into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn a_title_that_was_drawn_last_is_read_first() {
        let drawn = [
            ("Hours", 0.0, 60.0),
            ("Parts", 0.0, 72.0),
            ("Note", 0.0, 120.0),
            ("Form", 10.0, 20.0),
            ("Costs", 5.0, 40.0),
        ];
        assert_eq!(arranged(&drawn), ["Form", "Costs", "Hours", "Parts", "Note"]);
    }

    #[test]
    fn columns_stay_and_a_line_across_both_separates_them() {
        let drawn = [
            ("left one", 0.0, 20.0),
            ("left two", 0.0, 32.0),
            ("left three", 0.0, 80.0),
            ("right one", 100.0, 20.0),
            ("right two", 100.0, 32.0),
            ("right three", 100.0, 80.0),
        ];
        assert_eq!(arranged(&drawn), drawn.map(|(text, ..)| text));
        let mut with_title = drawn.to_vec();
        with_title.push(("a title over both columns", 20.0, 50.0));
        assert_eq!(
            arranged(&with_title),
            [
                "left one",
                "left two",
                "right one",
                "right two",
                "a title over both columns",
                "left three",
                "right three"
            ]
        );
    }

    #[test]
    fn a_footer_that_was_drawn_first_is_read_last() {
        let drawn = [
            ("a footer over both columns", 20.0, 200.0),
            ("left one", 0.0, 20.0),
            ("left two", 0.0, 32.0),
            ("right one", 100.0, 20.0),
            ("right two", 100.0, 32.0),
        ];
        assert_eq!(arranged(&drawn), ["left one", "left two", "right one", "right two", "a footer over both columns"]);
    }
}

//! Runs stemmers compiled from the Snowball language, so that a page loads only the stemmer for its language.
//!
//! A program runs on a backtracking machine. A choice precedes each command that may fail, and a failure returns the
//! cursor to that choice. Programs come from the network. If a program is damaged, does not end or makes a word grow,
//! the word stays unchanged.

mod commands;

pub use commands::{number, op, relation};

/// Maximum number of variables in a program.
pub const MAX_VARIABLES: usize = 32;
/// Maximum length in bytes of a word that is stemmed.
const MAX_WORD_BYTES: usize = 256;
/// Maximum number of commands per word. The longest words in the known languages need a tenth of it.
const MAX_COMMANDS: usize = 50_000;
/// Number of table entries that take as long as one command.
const ENTRIES_OF_A_COMMAND: usize = 16;
/// Maximum depth of nested routines.
const MAX_CALLS: usize = 32;

/// Runs `program` on `word` and returns the stem. A program begins with its main routine.
pub fn stem(program: &[u8], word: &str) -> String {
    if word.len() > MAX_WORD_BYTES {
        return word.to_owned();
    }
    let mut run = Run {
        program,
        word: word.as_bytes().to_vec(),
        cursor: 0,
        limit: word.len(),
        back_limit: 0,
        slice: [0; 2],
        is_backward: false,
        variables: [0; MAX_VARIABLES],
        kept: Vec::new(),
        choices: Vec::new(),
        commands: 0,
        calls: 0,
    };
    run.routine(0);
    let stem = if run.commands < MAX_COMMANDS { std::str::from_utf8(&run.word).ok() } else { None };
    stem.unwrap_or(word).to_owned()
}

/// A state that a failure restores. The last state is restored first.
#[derive(Clone, Copy)]
struct Choice {
    /// The address where the program continues, or [`MARK`] or [`LIMIT`].
    address: usize,
    /// The position of the cursor or the limit.
    place: usize,
    is_backward: bool,
}

/// Used instead of an address for a mark, which is not a choice.
const MARK: usize = usize::MAX;
/// Used instead of an address for a saved limit.
const LIMIT: usize = MARK - 1;

/// The state of a program. A byte that a damaged program lacks reads as 0 and ends the program. Commands thus need no
/// checks, which keeps the code of pages small.
struct Run<'a> {
    program: &'a [u8],
    word: Vec<u8>,
    cursor: usize,
    limit: usize,
    back_limit: usize,
    /// Start and end of the slice.
    slice: [usize; 2],
    is_backward: bool,
    variables: [i32; MAX_VARIABLES],
    kept: Vec<u8>,
    choices: Vec<Choice>,
    /// Number of commands run so far, or [`MAX_COMMANDS`] if the program must stop.
    commands: usize,
    calls: usize,
}

impl<'a> Run<'a> {
    /// Runs the routine at an address and returns whether it succeeds.
    fn routine(&mut self, mut at: usize) -> bool {
        let base = self.choices.len();
        let mut found = 0;
        self.calls += 1;
        if self.calls > MAX_CALLS {
            self.leave();
        }
        loop {
            self.commands += 1;
            if self.commands >= MAX_COMMANDS || self.word.len() > MAX_WORD_BYTES {
                self.leave();
                return false;
            }
            let succeeds = match self.byte(&mut at) {
                op::CHOICE => {
                    let address = self.target(&mut at);
                    self.remember(address)
                }
                op::MARK => self.remember(MARK),
                which @ (op::COMMIT | op::BACK_COMMIT) => {
                    at = self.target(&mut at);
                    let choice = self.pop();
                    if which == op::BACK_COMMIT {
                        self.go_back(choice);
                    }
                    true
                }
                op::RESTORE => {
                    let choice = self.pop();
                    self.go_back(choice)
                }
                op::FAIL_TWICE => {
                    self.pop();
                    false
                }
                op::JUMP => {
                    at = self.target(&mut at);
                    true
                }
                op::CALL => {
                    let address = self.address(&mut at);
                    self.routine(address)
                }
                op::RETURN => {
                    self.calls -= 1;
                    return true;
                }
                op::TEXT => {
                    let text = self.text(&mut at);
                    self.passes(text)
                }
                which @ (op::IN | op::OUT) => {
                    let mut letters = self.address(&mut at);
                    let letters = self.text(&mut letters);
                    let letter = self.letter();
                    let is_in = letters.windows(letter.len().max(1)).any(|other| *other == *letter);
                    let bytes = letter.len();
                    bytes > 0 && is_in == (which == op::IN) && self.pass(bytes)
                }
                op::FIND => {
                    let table = self.address(&mut at);
                    found = self.find(table);
                    found > 0
                }
                op::DISPATCH => {
                    // `found` is the action plus 1.
                    let actions = usize::from(self.byte(&mut at));
                    let mut entry = at + 2 * found.saturating_sub(2);
                    at = if found == 1 { at + 2 * actions } else { self.target(&mut entry) };
                    true
                }
                which @ (op::LEFT | op::RIGHT) => {
                    self.slice[usize::from((which == op::RIGHT) != self.is_backward)] = self.cursor;
                    true
                }
                op::REPLACE => {
                    let text = self.text(&mut at);
                    let [from, to] = self.slice;
                    self.slice[1] = from + text.len();
                    self.replace(from, to, text)
                }
                which @ (op::INSERT | op::ATTACH) => {
                    let text = self.text(&mut at);
                    self.insert(text, which == op::ATTACH)
                }
                op::KEEP => {
                    self.kept = self.word.get(self.slice[0]..self.slice[1]).unwrap_or_default().to_vec();
                    true
                }
                which @ (op::KEPT | op::INSERT_KEPT) => {
                    let kept = std::mem::take(&mut self.kept);
                    let succeeds = if which == op::KEPT { self.passes(&kept) } else { self.insert(&kept, false) };
                    self.kept = kept;
                    succeeds
                }
                op::ASSIGN => {
                    let variable = usize::from(self.byte(&mut at)) % MAX_VARIABLES;
                    self.variables[variable] = self.number(&mut at);
                    true
                }
                op::COMPARE => {
                    let relation = self.byte(&mut at);
                    let (a, b) = (self.number(&mut at), self.number(&mut at));
                    relation & (1 << (1 + a.cmp(&b) as i8)) != 0
                }
                op::HOP => {
                    let letters = self.number(&mut at);
                    let from = self.cursor;
                    for _ in 0..letters {
                        let bytes = self.letter().len();
                        if bytes == 0 {
                            self.cursor = from;
                            break;
                        }
                        self.pass(bytes);
                    }
                    letters == 0 || self.cursor != from
                }
                op::TO_MARK => {
                    let mark = self.number(&mut at) as usize;
                    let is_ahead =
                        if self.is_backward { mark <= self.cursor } else { (self.cursor..=self.limit).contains(&mark) };
                    if is_ahead {
                        self.cursor = mark;
                    }
                    is_ahead
                }
                op::BACKWARDS => {
                    (self.back_limit, self.cursor, self.is_backward) = (self.cursor, self.limit, true);
                    true
                }
                op::FORWARDS => {
                    (self.cursor, self.is_backward) = (self.back_limit, false);
                    true
                }
                op::SET_LIMIT => {
                    let mark = self.pop();
                    let cursor = self.cursor;
                    let before = std::mem::replace(self.end(), cursor);
                    let place = if self.is_backward { before } else { self.word.len() - before.min(self.word.len()) };
                    self.choices.push(Choice { address: LIMIT, place, is_backward: self.is_backward });
                    self.go_back(mark)
                }
                op::RESET_LIMIT => {
                    let limit = self.pop();
                    self.reset_limit(limit)
                }
                _ => false,
            };
            if !succeeds {
                match self.go_on_after_failure(base) {
                    Some(address) => at = address,
                    None => return false,
                }
            }
        }
    }

    /// Undoes changes back to the last choice since `base`, and returns the address where the program continues.
    fn go_on_after_failure(&mut self, base: usize) -> Option<usize> {
        while self.choices.len() > base {
            let choice = self.pop();
            if choice.address == LIMIT {
                self.reset_limit(choice);
            } else if choice.address != MARK {
                self.go_back(choice);
                return Some(choice.address);
            }
        }
        self.calls -= 1;
        None
    }

    /// Stops a program that is damaged or does not end.
    fn leave(&mut self) {
        self.commands = MAX_COMMANDS;
    }

    fn byte(&mut self, at: &mut usize) -> u8 {
        let byte = self.program.get(*at).copied();
        *at += 1;
        byte.unwrap_or_else(|| {
            self.leave();
            0
        })
    }

    fn address(&mut self, at: &mut usize) -> usize {
        usize::from(self.byte(at)) | (usize::from(self.byte(at)) << 8)
    }

    fn target(&mut self, at: &mut usize) -> usize {
        let distance = self.address(at);
        (*at + distance) & usize::from(u16::MAX)
    }

    fn text(&mut self, at: &mut usize) -> &'a [u8] {
        let length = usize::from(self.byte(at));
        let text = self.program.get(*at..*at + length);
        *at += length;
        text.unwrap_or_default()
    }

    fn number(&mut self, at: &mut usize) -> i32 {
        match self.byte(at) {
            number::LITERAL => i32::from(self.byte(at)),
            number::VARIABLE => self.variables[usize::from(self.byte(at)) % MAX_VARIABLES],
            number::CURSOR => self.cursor as i32,
            number::LIMIT => *self.end() as i32,
            number::LENGTH => self.word.iter().filter(|byte| !is_continuation(**byte)).count() as i32,
            // Operands cannot be sums, so sums do not nest.
            which => {
                let (a, b) = (self.operand(at), self.operand(at));
                if which == number::ADD { a.wrapping_add(b) } else { a.wrapping_sub(b) }
            }
        }
    }

    fn operand(&mut self, at: &mut usize) -> i32 {
        if self.program.get(*at).is_none_or(|operator| *operator >= number::ADD) {
            self.leave();
            return 0;
        }
        self.number(at)
    }

    /// Remembers the cursor. Its position is measured so that changes to the text already read do not move it.
    fn remember(&mut self, address: usize) -> bool {
        let place = if self.is_backward { self.limit.saturating_sub(self.cursor) } else { self.cursor };
        self.choices.push(Choice { address, place, is_backward: self.is_backward });
        true
    }

    fn pop(&mut self) -> Choice {
        self.choices.pop().unwrap_or_else(|| {
            self.leave();
            Choice { address: MARK, place: 0, is_backward: false }
        })
    }

    fn go_back(&mut self, choice: Choice) -> bool {
        self.is_backward = choice.is_backward;
        self.cursor = if self.is_backward { self.limit.saturating_sub(choice.place) } else { choice.place };
        true
    }

    fn reset_limit(&mut self, choice: Choice) -> bool {
        let length = self.word.len();
        *self.end() = if choice.is_backward { choice.place } else { length.saturating_sub(choice.place) };
        true
    }

    /// Returns the limit where reading ends.
    fn end(&mut self) -> &mut usize {
        if self.is_backward { &mut self.back_limit } else { &mut self.limit }
    }

    /// Returns the bytes that are still to be read.
    fn rest(&self) -> &[u8] {
        let rest = if self.is_backward { self.back_limit..self.cursor } else { self.cursor..self.limit };
        self.word.get(rest).unwrap_or_default()
    }

    /// Returns the next letter, or nothing at the limit.
    fn letter(&self) -> &[u8] {
        let rest = self.rest();
        if self.is_backward {
            let start = rest.iter().rposition(|byte| !is_continuation(*byte));
            &rest[start.unwrap_or(rest.len())..]
        } else {
            let end = rest.iter().skip(1).position(|byte| !is_continuation(*byte));
            &rest[..end.map_or(rest.len(), |end| end + 1)]
        }
    }

    /// Moves the cursor past this many bytes.
    fn pass(&mut self, bytes: usize) -> bool {
        self.cursor = if self.is_backward { self.cursor - bytes } else { self.cursor + bytes };
        true
    }

    fn passes(&mut self, text: &[u8]) -> bool {
        let rest = self.rest();
        let is_there = if self.is_backward { rest.ends_with(text) } else { rest.starts_with(text) };
        is_there && self.pass(text.len())
    }

    /// Finds the first text of a table that is next at the cursor. Returns its action plus 1, or 0 if there is no such
    /// text. The texts are sorted by length, longest first.
    fn find(&mut self, mut at: usize) -> usize {
        let entries = self.address(&mut at);
        let has_routines = self.byte(&mut at) != 0;
        self.commands += entries / ENTRIES_OF_A_COMMAND;
        for _ in 0..entries {
            let text = self.text(&mut at);
            let action = usize::from(self.byte(&mut at));
            let routine = if has_routines { self.address(&mut at) } else { 0 };
            let from = self.cursor;
            if self.passes(text) {
                let behind = self.cursor;
                if routine == 0 || self.routine(routine) {
                    self.cursor = behind;
                    return action + 1;
                }
                self.cursor = from;
            }
        }
        0
    }

    fn replace(&mut self, from: usize, to: usize, text: &[u8]) -> bool {
        let Some(behind) = self.word.get(to..).filter(|_| from <= to) else {
            self.leave();
            return false;
        };
        let behind = behind.to_vec();
        self.word.truncate(from);
        self.word.extend_from_slice(text);
        self.word.extend(behind);
        let moved = |place: usize| (place + text.len()).saturating_sub(to - from);
        self.limit = moved(self.limit);
        if self.cursor >= to {
            self.cursor = moved(self.cursor);
        } else if self.cursor > from {
            self.cursor = from;
        }
        true
    }

    fn insert(&mut self, text: &[u8], is_attached: bool) -> bool {
        let from = self.cursor;
        self.replace(from, from, text);
        for end in &mut self.slice {
            if from <= *end {
                *end += text.len();
            }
        }
        if is_attached != self.is_backward {
            self.cursor = from;
        }
        true
    }
}

/// Whether a byte continues a UTF-8 character.
const fn is_continuation(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ENGLISH: &[u8] = include_bytes!("../english.stem");

    #[test]
    fn words_have_the_stems_of_snowball() {
        for (word, expected) in [("undoing", "undo"), ("commits", "commit"), ("generally", "general"), ("skies", "sky")]
        {
            assert_eq!(stem(ENGLISH, word), expected);
        }
    }

    #[test]
    fn a_word_stays_as_it_is_under_a_program_that_does_not_end() {
        // A jump to itself, a routine that calls itself, and an insertion in a loop.
        for program in [&[op::JUMP, 0xfd, 0xff][..], &[op::CALL, 0, 0], &[op::INSERT, 1, b'a', op::JUMP, 0xfa, 0xff]] {
            assert_eq!(stem(program, "word"), "word");
        }
        assert_eq!(stem(&[], "word"), "word");
    }

    proptest! {
        #[test]
        fn damaged_programs_leave_words_alone_or_stem_them(at in 0..ENGLISH.len(), byte: u8, word in "[a-zéß']{0,20}") {
            let mut program = ENGLISH.to_vec();
            program[at] = byte;
            prop_assert!(stem(&program, &word).len() <= MAX_WORD_BYTES + 256);
        }

        #[test]
        fn any_bytes_are_a_program(program in prop::collection::vec(0u8..34, 0..60), word in ".{0,12}") {
            prop_assert!(stem(&program, &word).len() <= MAX_WORD_BYTES + 256 + word.len());
        }
    }
}

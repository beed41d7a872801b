//! What the bytes of a program mean.

/// The commands of a program. An address has two bytes, the lower first, and a distance too, which is counted from the byte after it,
/// modulo 65,536; a text has its length in one byte, and its bytes in UTF-8.
pub mod op {
    /// Signals failure.
    pub const FAIL: u8 = 0;
    /// Distance. A failure goes on there, with the cursor where it is now.
    pub const CHOICE: u8 = 1;
    /// Distance. Forgets the last choice and goes on there.
    pub const COMMIT: u8 = 2;
    /// Distance. Forgets the last choice and goes on there, with the cursor where it was at the choice.
    pub const BACK_COMMIT: u8 = 3;
    /// Forgets the last choice and fails.
    pub const FAIL_TWICE: u8 = 4;
    /// Remembers the cursor.
    pub const MARK: u8 = 5;
    /// Moves the cursor to the last mark, which is forgotten.
    pub const RESTORE: u8 = 6;
    /// Distance. Goes on there.
    pub const JUMP: u8 = 7;
    /// Address. Runs the routine there, and fails if it does.
    pub const CALL: u8 = 8;
    /// Ends a routine.
    pub const RETURN: u8 = 9;
    /// Text. Passes it, or fails.
    pub const TEXT: u8 = 10;
    /// Address of a text. Passes a letter that it has, or fails.
    pub const IN: u8 = 11;
    /// Address of a text. Passes a letter that it does not have, or fails.
    pub const OUT: u8 = 12;
    /// Address of a table: entries in two bytes, whether they have routines, and by entry a text, an action and the address of a
    /// routine. Passes the first text whose routine, if it has one, does not fail; fails without one.
    pub const FIND: u8 = 13;
    /// Number of actions, and the distance of each from 1. Goes on at the action that was found; after the distances for none.
    pub const DISPATCH: u8 = 14;
    /// Begins a slice at the cursor.
    pub const LEFT: u8 = 15;
    /// Ends a slice at the cursor.
    pub const RIGHT: u8 = 16;
    /// Text. Replaces the slice.
    pub const REPLACE: u8 = 17;
    /// Text. Puts it before the cursor in the direction of reading.
    pub const INSERT: u8 = 18;
    /// Text. Puts it after the cursor in the direction of reading.
    pub const ATTACH: u8 = 19;
    /// Keeps the slice.
    pub const KEEP: u8 = 20;
    /// Passes what was kept, or fails.
    pub const KEPT: u8 = 21;
    /// Puts what was kept before the cursor.
    pub const INSERT_KEPT: u8 = 22;
    /// Variable and number. Sets it.
    pub const ASSIGN: u8 = 23;
    /// Relation and two numbers. Fails where it does not hold.
    pub const COMPARE: u8 = 24;
    /// Number. Passes so many letters, or fails.
    pub const HOP: u8 = 25;
    /// Number. Moves the cursor there, or fails if it is behind.
    pub const TO_MARK: u8 = 26;
    /// Reads from the end.
    pub const BACKWARDS: u8 = 27;
    /// Reads from the start again.
    pub const FORWARDS: u8 = 28;
    /// Makes the cursor the limit, and moves it to the last mark, which is forgotten.
    pub const SET_LIMIT: u8 = 29;
    /// Has the limit of before.
    pub const RESET_LIMIT: u8 = 30;
}

/// Relations of numbers.
pub mod relation {
    /// Less.
    pub const LESS: u8 = 1;
    /// Equal.
    pub const EQUAL: u8 = 2;
    /// Greater.
    pub const GREATER: u8 = 4;
}

/// Numbers: an operator comes before its operands.
pub mod number {
    /// One byte, the number.
    pub const LITERAL: u8 = 0;
    /// One byte, the variable.
    pub const VARIABLE: u8 = 1;
    /// Where the cursor is.
    pub const CURSOR: u8 = 2;
    /// Where the limit is.
    pub const LIMIT: u8 = 3;
    /// Letters of the word.
    pub const LENGTH: u8 = 4;
    /// A sum.
    pub const ADD: u8 = 5;
    /// A difference.
    pub const SUBTRACT: u8 = 6;
}

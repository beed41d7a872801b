//! The instruction set of stemmer programs.

/// The commands of a program and their operands. An address has two bytes, the lower byte first. A distance has two
/// bytes as well, and is counted from the byte after it, modulo 65,536. A text has one byte for its length, followed by
/// its bytes in UTF-8.
pub mod op {
    /// Signals failure.
    pub const FAIL: u8 = 0;
    /// Distance. Remembers a choice: after a failure, the program continues at the distance, with the cursor where it
    /// was at this command.
    pub const CHOICE: u8 = 1;
    /// Distance. Forgets the last choice and continues at the distance.
    pub const COMMIT: u8 = 2;
    /// Distance. Forgets the last choice and continues at the distance, with the cursor where it was at the choice.
    pub const BACK_COMMIT: u8 = 3;
    /// Forgets the last choice and fails.
    pub const FAIL_TWICE: u8 = 4;
    /// Remembers the cursor.
    pub const MARK: u8 = 5;
    /// Moves the cursor back to the last mark and forgets the mark.
    pub const RESTORE: u8 = 6;
    /// Distance. Continues at the distance.
    pub const JUMP: u8 = 7;
    /// Address. Runs the routine at the address, and fails if the routine fails.
    pub const CALL: u8 = 8;
    /// Ends a routine.
    pub const RETURN: u8 = 9;
    /// Text. Passes the text if it is next, or fails.
    pub const TEXT: u8 = 10;
    /// Address of a text. Passes the next letter if the text contains it, or fails.
    pub const IN: u8 = 11;
    /// Address of a text. Passes the next letter if the text does not contain it, or fails.
    pub const OUT: u8 = 12;
    /// Address of a table: the number of entries in two bytes, a byte that tells whether entries have routines, and for
    /// each entry a text, an action and, if entries have routines, the address of its routine or 0. Passes the first
    /// text that is next and whose routine, if any, does not fail. Fails if there is no such text.
    pub const FIND: u8 = 13;
    /// Number of actions, and a distance for each action, numbered from 1. Continues at the action that `FIND` found,
    /// or after the distances if the entry has action 0.
    pub const DISPATCH: u8 = 14;
    /// Begins the slice at the cursor.
    pub const LEFT: u8 = 15;
    /// Ends the slice at the cursor.
    pub const RIGHT: u8 = 16;
    /// Text. Replaces the slice.
    pub const REPLACE: u8 = 17;
    /// Text. Inserts the text before the cursor in the reading direction.
    pub const INSERT: u8 = 18;
    /// Text. Inserts the text after the cursor in the reading direction.
    pub const ATTACH: u8 = 19;
    /// Keeps a copy of the slice.
    pub const KEEP: u8 = 20;
    /// Passes the kept text if it is next, or fails.
    pub const KEPT: u8 = 21;
    /// Inserts the kept text before the cursor.
    pub const INSERT_KEPT: u8 = 22;
    /// Variable and number. Sets the variable to the number.
    pub const ASSIGN: u8 = 23;
    /// Relation and two numbers. Fails unless the relation holds.
    pub const COMPARE: u8 = 24;
    /// Number. Passes this many letters, or fails.
    pub const HOP: u8 = 25;
    /// Number. Moves the cursor to this position, or fails if the cursor is already past it.
    pub const TO_MARK: u8 = 26;
    /// Reads from the end of the word.
    pub const BACKWARDS: u8 = 27;
    /// Reads from the start of the word again.
    pub const FORWARDS: u8 = 28;
    /// Sets the limit to the cursor, moves the cursor to the last mark, and forgets the mark.
    pub const SET_LIMIT: u8 = 29;
    /// Restores the previous limit.
    pub const RESET_LIMIT: u8 = 30;
}

/// Relations between numbers.
pub mod relation {
    /// Less.
    pub const LESS: u8 = 1;
    /// Equal.
    pub const EQUAL: u8 = 2;
    /// Greater.
    pub const GREATER: u8 = 4;
}

/// Numbers. An operator comes before its operands.
pub mod number {
    /// A literal: one byte, the number.
    pub const LITERAL: u8 = 0;
    /// A variable: one byte, its index.
    pub const VARIABLE: u8 = 1;
    /// The position of the cursor.
    pub const CURSOR: u8 = 2;
    /// The position of the limit.
    pub const LIMIT: u8 = 3;
    /// The length of the word in letters.
    pub const LENGTH: u8 = 4;
    /// A sum.
    pub const ADD: u8 = 5;
    /// A difference.
    pub const SUBTRACT: u8 = 6;
}

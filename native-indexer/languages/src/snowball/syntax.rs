//! Syntax tree of a Snowball source: commands, numbers, letter groups, and the strings of each `among`.

/// A stemmer.
#[derive(Debug, Default)]
pub(super) struct Syntax {
    /// Routines. Each of them has a definition.
    pub routines: Vec<Command>,
    /// The main routine.
    pub main: usize,
    /// Letters of each group.
    pub groups: Vec<String>,
    /// Strings of each `among`.
    pub tables: Vec<Vec<Entry>>,
}

/// One string of an `among`.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub text: String,
    pub routine: Option<usize>,
    /// Number of the action, starting at 1, or 0 if the string has no action.
    pub action: usize,
}

/// A number.
#[derive(Clone, Debug)]
pub(super) enum Number {
    Literal(u8),
    Variable(usize),
    Cursor,
    Limit,
    Length,
    Add(Box<[Number; 2]>),
    Subtract(Box<[Number; 2]>),
}

/// A command, named after its keyword unless another name is usual.
#[derive(Clone, Debug)]
pub(super) enum Command {
    Sequence(Vec<Command>),
    Or(Vec<Command>),
    And(Vec<Command>),
    Not(Box<Command>),
    Test(Box<Command>),
    Try(Box<Command>),
    Do(Box<Command>),
    Fail(Box<Command>),
    Goto(Box<Command>),
    Gopast(Box<Command>),
    Repeat(Box<Command>),
    Backwards(Box<Command>),
    SetLimit(Box<[Command; 2]>),
    Text(String),
    Group { group: usize, has: bool },
    Find(usize),
    Dispatch(Vec<Command>),
    Call(usize),
    Left,
    Right,
    Replace(String),
    Insert(String),
    Attach(String),
    Keep,
    Kept,
    InsertKept,
    Assign(usize, Number),
    Compare(u8, Number, Number),
    Hop(Number),
    ToMark(Number),
    False,
}

//! Generates the bytes of a program from commands.

use super::error::CompileError;
use super::syntax::{Command, Number, Syntax};
use nearfind_core::analysis::snowball::{MAX_VARIABLES, number, op};

/// A position that waits for an address, and the target of that address.
#[derive(Clone, Copy, Debug)]
enum Target {
    Routine(usize),
    Group(usize),
    Table(usize),
}

#[derive(Debug, Default)]
pub(super) struct Writer {
    bytes: Vec<u8>,
    targets: Vec<(usize, Target)>,
}

fn too_large(what: &str) -> CompileError {
    CompileError { line: 0, what: format!("{what} is too large") }
}

impl Writer {
    pub(super) fn program(mut self, syntax: &Syntax) -> Result<Vec<u8>, CompileError> {
        let mut routines = vec![0; syntax.routines.len()];
        let others = (0..syntax.routines.len()).filter(|routine| *routine != syntax.main);
        for routine in std::iter::once(syntax.main).chain(others) {
            routines[routine] = self.bytes.len();
            self.last_command(&syntax.routines[routine])?;
            self.bytes.push(op::RETURN);
        }
        let mut groups = Vec::with_capacity(syntax.groups.len());
        for letters in &syntax.groups {
            groups.push(self.bytes.len());
            self.text(letters)?;
        }
        let mut tables = Vec::with_capacity(syntax.tables.len());
        for table in &syntax.tables {
            tables.push(self.bytes.len());
            let entries = u16::try_from(table.len()).map_err(|_| too_large("an `among`"))?;
            self.bytes.extend(entries.to_le_bytes());
            let has_routines = table.iter().any(|entry| entry.routine.is_some());
            self.bytes.push(u8::from(has_routines));
            for entry in table {
                self.text(&entry.text)?;
                self.bytes.push(u8::try_from(entry.action).map_err(|_| too_large("an `among`"))?);
                match entry.routine {
                    Some(routine) => self.refer(Target::Routine(routine)),
                    None if has_routines => self.bytes.extend([0; 2]),
                    None => {}
                }
            }
        }
        for (at, target) in std::mem::take(&mut self.targets) {
            let address = match target {
                Target::Routine(routine) => routines[routine],
                Target::Group(group) => groups[group],
                Target::Table(table) => tables[table],
            };
            self.write(at, address)?;
        }
        Ok(self.bytes)
    }

    fn write(&mut self, at: usize, address: usize) -> Result<(), CompileError> {
        let address = u16::try_from(address).map_err(|_| too_large("the program"))?;
        self.bytes[at..at + 2].copy_from_slice(&address.to_le_bytes());
        Ok(())
    }

    fn text(&mut self, text: &str) -> Result<(), CompileError> {
        self.bytes.push(u8::try_from(text.len()).map_err(|_| too_large("a text"))?);
        self.bytes.extend(text.as_bytes());
        Ok(())
    }

    fn refer(&mut self, target: Target) {
        self.targets.push((self.bytes.len(), target));
        self.bytes.extend([0; 2]);
    }

    /// Writes a command whose distance is filled in later, and returns the position of the distance.
    fn placeholder(&mut self, command: u8) -> usize {
        self.bytes.extend([command, 0, 0]);
        self.bytes.len() - 2
    }

    /// Writes a command that jumps back to an address.
    fn back(&mut self, command: u8, address: usize) {
        let at = self.placeholder(command);
        let distance = (address as u16).wrapping_sub(at as u16 + 2);
        self.bytes[at..].copy_from_slice(&distance.to_le_bytes());
    }

    /// Fills in the distance at `at`, so that it leads to the end of the program so far.
    fn here(&mut self, at: usize) -> Result<(), CompileError> {
        self.write(at, self.bytes.len() - at - 2)
    }

    /// Writes the last command of a routine. The command's actions may return from the routine themselves.
    fn last_command(&mut self, command: &Command) -> Result<(), CompileError> {
        match command {
            Command::Sequence(commands) => {
                let Some((last, others)) = commands.split_last() else { return Ok(()) };
                others.iter().try_for_each(|command| self.command(command))?;
                self.last_command(last)
            }
            Command::Dispatch(actions) if !actions.is_empty() => {
                let addresses = self.addresses(actions)?;
                for (number, action) in actions.iter().enumerate() {
                    self.bytes.push(op::RETURN);
                    self.here(addresses + 2 * number)?;
                    self.last_command(action)?;
                }
                Ok(())
            }
            _ => self.command(command),
        }
    }

    fn command(&mut self, command: &Command) -> Result<(), CompileError> {
        match command {
            Command::Sequence(commands) => {
                for command in commands {
                    self.command(command)?;
                }
            }
            Command::Or(commands) => {
                let mut ends = Vec::new();
                let (last, others) = commands.split_last().ok_or_else(|| too_large("nothing"))?;
                for command in others {
                    let next = self.placeholder(op::CHOICE);
                    self.command(command)?;
                    ends.push(self.placeholder(op::COMMIT));
                    self.here(next)?;
                }
                self.command(last)?;
                for end in ends {
                    self.here(end)?;
                }
            }
            Command::And(commands) => {
                let (last, others) = commands.split_last().ok_or_else(|| too_large("nothing"))?;
                for command in others {
                    self.bytes.push(op::MARK);
                    self.command(command)?;
                    self.bytes.push(op::RESTORE);
                }
                self.command(last)?;
            }
            Command::Not(command) => {
                let end = self.placeholder(op::CHOICE);
                self.command(command)?;
                self.bytes.push(op::FAIL_TWICE);
                self.here(end)?;
            }
            Command::Test(command) => {
                self.bytes.push(op::MARK);
                self.command(command)?;
                self.bytes.push(op::RESTORE);
            }
            Command::Try(command) => {
                let failed = self.placeholder(op::CHOICE);
                self.command(command)?;
                let end = self.placeholder(op::COMMIT);
                self.here(failed)?;
                self.here(end)?;
            }
            Command::Do(command) => {
                let failed = self.placeholder(op::CHOICE);
                self.command(command)?;
                let end = self.placeholder(op::BACK_COMMIT);
                self.here(failed)?;
                self.here(end)?;
            }
            Command::Fail(command) => {
                self.command(command)?;
                self.bytes.push(op::FAIL);
            }
            Command::Goto(command) => self.search(command, op::BACK_COMMIT)?,
            Command::Gopast(command) => self.search(command, op::COMMIT)?,
            Command::Repeat(command) => {
                let again = self.bytes.len();
                let failed = self.placeholder(op::CHOICE);
                self.command(command)?;
                self.back(op::COMMIT, again);
                self.here(failed)?;
            }
            Command::Backwards(command) => {
                self.bytes.push(op::BACKWARDS);
                self.command(command)?;
                self.bytes.push(op::FORWARDS);
            }
            Command::SetLimit(commands) => {
                self.bytes.push(op::MARK);
                self.command(&commands[0])?;
                self.bytes.push(op::SET_LIMIT);
                self.command(&commands[1])?;
                self.bytes.push(op::RESET_LIMIT);
            }
            Command::Text(text) => self.with_text(op::TEXT, text)?,
            Command::Replace(text) => self.with_text(op::REPLACE, text)?,
            Command::Insert(text) => self.with_text(op::INSERT, text)?,
            Command::Attach(text) => self.with_text(op::ATTACH, text)?,
            Command::Group { group, has } => {
                self.bytes.push(if *has { op::IN } else { op::OUT });
                self.refer(Target::Group(*group));
            }
            Command::Find(table) => {
                self.bytes.push(op::FIND);
                self.refer(Target::Table(*table));
            }
            Command::Dispatch(actions) => self.dispatch(actions)?,
            Command::Call(routine) => {
                self.bytes.push(op::CALL);
                self.refer(Target::Routine(*routine));
            }
            Command::Left => self.bytes.push(op::LEFT),
            Command::Right => self.bytes.push(op::RIGHT),
            Command::Keep => self.bytes.push(op::KEEP),
            Command::Kept => self.bytes.push(op::KEPT),
            Command::InsertKept => self.bytes.push(op::INSERT_KEPT),
            Command::False => self.bytes.push(op::FAIL),
            Command::Assign(variable, value) => {
                self.bytes.push(op::ASSIGN);
                self.variable(*variable)?;
                self.number(value)?;
            }
            Command::Compare(relation, a, b) => {
                self.bytes.extend([op::COMPARE, *relation]);
                self.number(a)?;
                self.number(b)?;
            }
            Command::Hop(letters) => {
                self.bytes.push(op::HOP);
                self.number(letters)?;
            }
            Command::ToMark(mark) => {
                self.bytes.push(op::TO_MARK);
                self.number(mark)?;
            }
        }
        Ok(())
    }

    /// Skips letters until the command succeeds, and then ends with `found`.
    fn search(&mut self, command: &Command, found: u8) -> Result<(), CompileError> {
        let again = self.bytes.len();
        let failed = self.placeholder(op::CHOICE);
        self.command(command)?;
        let end = self.placeholder(found);
        self.here(failed)?;
        self.bytes.extend([op::HOP, number::LITERAL, 1]);
        self.back(op::JUMP, again);
        self.here(end)
    }

    fn with_text(&mut self, command: u8, text: &str) -> Result<(), CompileError> {
        self.bytes.push(command);
        self.text(text)
    }

    fn dispatch(&mut self, actions: &[Command]) -> Result<(), CompileError> {
        if actions.is_empty() {
            return Ok(());
        }
        let addresses = self.addresses(actions)?;
        let mut ends = vec![self.placeholder(op::JUMP)];
        for (number, action) in actions.iter().enumerate() {
            self.here(addresses + 2 * number)?;
            self.command(action)?;
            ends.push(self.placeholder(op::JUMP));
        }
        ends.into_iter().try_for_each(|end| self.here(end))
    }

    /// Writes the command that selects an action. The distances are filled in later. Returns the position of the first
    /// distance.
    fn addresses(&mut self, actions: &[Command]) -> Result<usize, CompileError> {
        self.bytes.extend([op::DISPATCH, u8::try_from(actions.len()).map_err(|_| too_large("an `among`"))?]);
        let addresses = self.bytes.len();
        self.bytes.extend(std::iter::repeat_n(0, 2 * actions.len()));
        Ok(addresses)
    }

    fn variable(&mut self, variable: usize) -> Result<(), CompileError> {
        if variable >= MAX_VARIABLES {
            return Err(too_large("the number of variables"));
        }
        self.bytes.push(variable as u8);
        Ok(())
    }

    fn number(&mut self, value: &Number) -> Result<(), CompileError> {
        match value {
            Number::Literal(literal) => self.bytes.extend([number::LITERAL, *literal]),
            Number::Variable(variable) => {
                self.bytes.push(number::VARIABLE);
                self.variable(*variable)?;
            }
            Number::Cursor => self.bytes.push(number::CURSOR),
            Number::Limit => self.bytes.push(number::LIMIT),
            Number::Length => self.bytes.push(number::LENGTH),
            Number::Add(operands) => self.sum(number::ADD, operands)?,
            Number::Subtract(operands) => self.sum(number::SUBTRACT, operands)?,
        }
        Ok(())
    }

    fn sum(&mut self, operator: u8, operands: &[Number; 2]) -> Result<(), CompileError> {
        self.bytes.push(operator);
        for operand in operands {
            if matches!(operand, Number::Add(_) | Number::Subtract(_)) {
                return Err(too_large("a sum of sums"));
            }
            self.number(operand)?;
        }
        Ok(())
    }
}

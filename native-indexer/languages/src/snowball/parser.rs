//! Parses the commands of a Snowball source.

use super::error::CompileError;
use super::syntax::{Command, Entry, Number, Syntax};
use super::tokens::{Token, tokens};
use std::collections::HashMap;

/// The kind of a declared name.
#[derive(Clone, Copy, Debug)]
enum Name {
    Routine(usize),
    Group(usize),
    Variable(usize),
    String,
}

pub(super) struct Parser {
    tokens: Vec<(usize, Token)>,
    at: usize,
    names: HashMap<String, Name>,
    variables: usize,
    routines: Vec<Option<Command>>,
    syntax: Syntax,
    /// Table of a `substring` that waits for its `among`.
    found: Option<usize>,
}

type Parsed<T> = Result<T, CompileError>;

impl Parser {
    pub(super) fn new(source: &str) -> Parsed<Self> {
        let tokens = tokens(source)?;
        let (names, routines, syntax) = (HashMap::new(), Vec::new(), Syntax::default());
        Ok(Self { tokens, at: 0, names, variables: 0, routines, syntax, found: None })
    }

    fn error<T>(&self, what: impl Into<String>) -> Parsed<T> {
        let line = self.tokens.get(self.at.saturating_sub(1)).map_or(0, |token| token.0);
        Err(CompileError { line, what: what.into() })
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|token| &token.1)
    }

    fn next(&mut self) -> Parsed<Token> {
        let token = self.peek().cloned();
        self.at += 1;
        token.map_or_else(|| self.error("the text ends too early"), Ok)
    }

    fn is_next(&self, word: &str) -> bool {
        match self.peek() {
            Some(Token::Name(name)) => name == word,
            Some(Token::Sign(sign)) => *sign == word,
            _ => false,
        }
    }

    /// Consumes `word` if it is next. Returns whether it was next.
    fn takes(&mut self, word: &str) -> bool {
        let is_next = self.is_next(word);
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, word: &str) -> Parsed<()> {
        if self.takes(word) { Ok(()) } else { self.error(format!("{word:?} is missing")) }
    }

    fn word(&mut self) -> Parsed<String> {
        match self.next()? {
            Token::Name(name) => Ok(name),
            other => self.error(format!("{other:?} is not a name")),
        }
    }

    fn name(&mut self) -> Parsed<Name> {
        let word = self.word()?;
        match self.names.get(&word) {
            Some(name) => Ok(*name),
            None => self.error(format!("{word} was not declared")),
        }
    }

    fn variable(&mut self) -> Parsed<usize> {
        match self.name()? {
            Name::Variable(variable) => Ok(variable),
            _ => self.error("this is not the name of a number"),
        }
    }

    fn string(&mut self) -> Parsed<()> {
        match self.name()? {
            Name::String => Ok(()),
            _ => self.error("this is not the name of a string"),
        }
    }

    pub(super) fn program(mut self) -> Parsed<Syntax> {
        self.definitions()?;
        let undefined = self.names.iter().find_map(|(name, kind)| match kind {
            Name::Routine(routine) if self.routines[*routine].is_none() => Some(name.clone()),
            _ => None,
        });
        if let Some(name) = undefined {
            return self.error(format!("{name} is not defined"));
        }
        let Some(Name::Routine(main)) = self.names.get("stem") else { return self.error("there is no routine `stem`") };
        self.syntax.main = *main;
        self.syntax.routines = self.routines.into_iter().flatten().collect();
        Ok(self.syntax)
    }

    fn definitions(&mut self) -> Parsed<()> {
        while self.peek().is_some() && !self.is_next(")") {
            let word = self.word()?;
            match word.as_str() {
                "routines" | "externals" | "groupings" | "integers" | "booleans" | "strings" => self.declare(&word)?,
                "define" => self.define()?,
                "backwardmode" => {
                    self.expect("(")?;
                    self.definitions()?;
                    self.expect(")")?;
                }
                _ => return self.error(format!("{word} is not a definition")),
            }
        }
        Ok(())
    }

    fn declare(&mut self, kind: &str) -> Parsed<()> {
        self.expect("(")?;
        while !self.takes(")") {
            let word = self.word()?;
            let name = match kind {
                "routines" | "externals" => {
                    self.routines.push(None);
                    Name::Routine(self.routines.len() - 1)
                }
                "groupings" => {
                    self.syntax.groups.push(String::new());
                    Name::Group(self.syntax.groups.len() - 1)
                }
                "strings" if self.names.values().any(|name| matches!(name, Name::String)) => {
                    return self.error("a stemmer can have one string");
                }
                "strings" => Name::String,
                _ => {
                    self.variables += 1;
                    Name::Variable(self.variables - 1)
                }
            };
            self.names.insert(word, name);
        }
        Ok(())
    }

    fn define(&mut self) -> Parsed<()> {
        match self.name()? {
            Name::Routine(routine) => {
                self.expect("as")?;
                let command = self.command()?;
                if self.found.is_some() {
                    return self.error("a `substring` without its `among`");
                }
                self.routines[routine] = Some(command);
                Ok(())
            }
            Name::Group(group) => self.group(group),
            _ => self.error("this name cannot be defined"),
        }
    }

    fn group(&mut self, group: usize) -> Parsed<()> {
        let mut letters = self.letters()?;
        loop {
            if self.takes("+") {
                letters.push_str(&self.letters()?);
            } else if self.takes("-") {
                let without = self.letters()?;
                letters.retain(|letter| !without.contains(letter));
            } else {
                self.syntax.groups[group] = letters;
                return Ok(());
            }
        }
    }

    fn letters(&mut self) -> Parsed<String> {
        if let Some(Token::Text(text)) = self.peek().cloned() {
            self.at += 1;
            return Ok(text);
        }
        match self.name()? {
            Name::Group(group) => Ok(self.syntax.groups[group].clone()),
            _ => self.error("this is not a group of letters"),
        }
    }

    /// Parses commands up to a closing bracket.
    fn sequence(&mut self) -> Parsed<Command> {
        let mut commands = Vec::new();
        while !self.takes(")") {
            let mut command = self.command()?;
            // Both operators have the same precedence and associate to the left.
            while let Some(word) = ["or", "and"].into_iter().find(|word| self.is_next(word)) {
                let mut joined = vec![command];
                while self.takes(word) {
                    joined.push(self.command()?);
                }
                command = if word == "or" { Command::Or(joined) } else { Command::And(joined) };
            }
            commands.push(command);
        }
        Ok(Command::Sequence(commands))
    }

    fn boxed(&mut self) -> Parsed<Box<Command>> {
        self.command().map(Box::new)
    }

    fn command(&mut self) -> Parsed<Command> {
        match self.next()? {
            Token::Text(text) => Ok(Command::Text(text)),
            Token::Number(number) => self.error(format!("{number} is not a command")),
            Token::Sign("(") => self.sequence(),
            Token::Sign("[") => Ok(Command::Left),
            Token::Sign("]") => Ok(Command::Right),
            Token::Sign("<-") => Ok(Command::Replace(self.text()?)),
            Token::Sign("<+") => self.insert(),
            Token::Sign("->") => self.string().map(|()| Command::Keep),
            Token::Sign("$") => self.calculation(),
            Token::Sign(sign) => self.error(format!("{sign} is not a command")),
            Token::Name(word) => self.keyword(&word),
        }
    }

    fn keyword(&mut self, word: &str) -> Parsed<Command> {
        Ok(match word {
            "not" => Command::Not(self.boxed()?),
            "test" => Command::Test(self.boxed()?),
            "try" => Command::Try(self.boxed()?),
            "do" => Command::Do(self.boxed()?),
            "fail" => Command::Fail(self.boxed()?),
            "goto" => Command::Goto(self.boxed()?),
            "gopast" => Command::Gopast(self.boxed()?),
            "repeat" => Command::Repeat(self.boxed()?),
            "backwards" => Command::Backwards(self.boxed()?),
            "loop" | "atleast" => {
                let Token::Number(times) = self.next()? else { return self.error("how many times is not a number") };
                let command = self.command()?;
                let mut commands = vec![command.clone(); usize::from(times)];
                if word == "atleast" {
                    commands.push(Command::Repeat(Box::new(command)));
                }
                Command::Sequence(commands)
            }
            "setlimit" => {
                let limit = self.command()?;
                self.expect("for")?;
                Command::SetLimit(Box::new([limit, self.command()?]))
            }
            "setmark" => Command::Assign(self.variable()?, Number::Cursor),
            "atmark" => Command::Compare(relation("=="), Number::Cursor, self.number()?),
            "atlimit" => Command::Compare(relation("=="), Number::Cursor, Number::Limit),
            "tomark" => Command::ToMark(self.number()?),
            "tolimit" => Command::ToMark(Number::Limit),
            "hop" => Command::Hop(self.number()?),
            "next" => Command::Hop(Number::Literal(1)),
            "delete" => Command::Replace(String::new()),
            "insert" => self.insert()?,
            "attach" => Command::Attach(self.text()?),
            "set" => Command::Assign(self.variable()?, Number::Literal(1)),
            "unset" => Command::Assign(self.variable()?, Number::Literal(0)),
            "true" => Command::Sequence(Vec::new()),
            "false" => Command::False,
            "non" => {
                self.takes("-");
                let Name::Group(group) = self.name()? else { return self.error("this is not a group of letters") };
                Command::Group { group, has: false }
            }
            "substring" => {
                self.syntax.tables.push(Vec::new());
                let table = self.syntax.tables.len() - 1;
                if self.found.replace(table).is_some() {
                    return self.error("two `substring` with one `among`");
                }
                Command::Find(table)
            }
            "among" => self.among()?,
            _ => {
                self.at -= 1;
                match self.name()? {
                    Name::Routine(routine) => Command::Call(routine),
                    Name::Group(group) => Command::Group { group, has: true },
                    Name::Variable(variable) => {
                        Command::Compare(relation("=="), Number::Variable(variable), Number::Literal(1))
                    }
                    Name::String => Command::Kept,
                }
            }
        })
    }

    fn text(&mut self) -> Parsed<String> {
        match self.next()? {
            Token::Text(text) => Ok(text),
            other => self.error(format!("{other:?} is not a text")),
        }
    }

    fn insert(&mut self) -> Parsed<Command> {
        if let Some(Token::Name(_)) = self.peek() {
            return self.string().map(|()| Command::InsertKept);
        }
        self.text().map(Command::Insert)
    }

    fn among(&mut self) -> Parsed<Command> {
        self.expect("(")?;
        let found = self.found.take();
        let (mut entries, mut actions, mut without) = (Vec::new(), Vec::new(), 0);
        loop {
            match self.next()? {
                Token::Sign(")") => break,
                Token::Text(text) => {
                    let is_routine = matches!(self.peek(), Some(Token::Name(_)));
                    let routine = match if is_routine { Some(self.name()?) } else { None } {
                        Some(Name::Routine(routine)) => Some(routine),
                        Some(_) => return self.error("this is not the name of a routine"),
                        None => None,
                    };
                    entries.push(Entry { text, routine, action: 0 });
                }
                Token::Sign("(") if !entries.is_empty() => {
                    actions.push(self.sequence()?);
                    entries[without..].iter_mut().for_each(|entry: &mut Entry| entry.action = actions.len());
                    without = entries.len();
                }
                other => return self.error(format!("{other:?} has no place in an `among`")),
            }
        }
        // The longest match wins.
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.text.len()));
        let dispatch = Command::Dispatch(actions);
        if let Some(table) = found {
            self.syntax.tables[table] = entries;
            return Ok(dispatch);
        }
        self.syntax.tables.push(entries);
        Ok(Command::Sequence(vec![Command::Find(self.syntax.tables.len() - 1), dispatch]))
    }

    /// Parses the command after a `$`.
    fn calculation(&mut self) -> Parsed<Command> {
        if self.takes("(") {
            let a = self.number()?;
            let sign = self.sign()?;
            let b = self.number()?;
            self.expect(")")?;
            return Ok(Command::Compare(relation(sign), a, b));
        }
        let variable = self.variable()?;
        let sign = self.sign()?;
        let number = self.number()?;
        let itself = Number::Variable(variable);
        Ok(match sign {
            "=" => Command::Assign(variable, number),
            "+=" => Command::Assign(variable, Number::Add(Box::new([itself, number]))),
            "-=" => Command::Assign(variable, Number::Subtract(Box::new([itself, number]))),
            _ => Command::Compare(relation(sign), itself, number),
        })
    }

    fn sign(&mut self) -> Parsed<&'static str> {
        match self.next()? {
            Token::Sign(sign @ ("=" | "+=" | "-=" | "==" | "!=" | "<" | "<=" | ">" | ">=")) => Ok(sign),
            other => self.error(format!("{other:?} does not compare numbers")),
        }
    }

    fn number(&mut self) -> Parsed<Number> {
        let mut number = self.operand()?;
        loop {
            if self.takes("+") {
                number = Number::Add(Box::new([number, self.operand()?]));
            } else if self.takes("-") {
                number = Number::Subtract(Box::new([number, self.operand()?]));
            } else {
                return Ok(number);
            }
        }
    }

    fn operand(&mut self) -> Parsed<Number> {
        if let Some(&Token::Number(number)) = self.peek() {
            self.at += 1;
            return Ok(Number::Literal(number));
        }
        if self.takes("sizeof") {
            let bytes = self.text()?.len();
            return u8::try_from(bytes)
                .map_or_else(|_| self.error("a text is too long"), |size| Ok(Number::Literal(size)));
        }
        for (word, number) in [("cursor", Number::Cursor), ("limit", Number::Limit), ("len", Number::Length)] {
            if !self.names.contains_key(word) && self.takes(word) {
                return Ok(number);
            }
        }
        self.variable().map(Number::Variable)
    }
}

/// Returns the relation of an operator: see [`nearfind_core::analysis::snowball::relation`].
fn relation(sign: &str) -> u8 {
    use nearfind_core::analysis::snowball::relation::{EQUAL, GREATER, LESS};
    match sign {
        "==" => EQUAL,
        "!=" => LESS | GREATER,
        "<" => LESS,
        "<=" => LESS | EQUAL,
        ">" => GREATER,
        _ => GREATER | EQUAL,
    }
}

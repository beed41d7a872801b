//! What the braces around a place of C or C++ are.

use super::names::{is_keyword, is_macro};
use super::tokens::Directive;

/// What is between two braces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// A file or a namespace.
    Outer,
    Class,
    /// Statements.
    Body,
    /// An enumeration, or the values of a variable.
    Values,
}

/// The braces that are open. Branches of the preprocessor begin with the same ones, and it counts what the first of them
/// leaves open: of two heads of one block only one is there.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    /// All that ever opened, with what is around it, so that a place is a number.
    made: Vec<Made>,
    /// The innermost one, from 1; 0 is the file.
    current: usize,
    conditions: Vec<Open>,
}

/// A condition of the preprocessor that is open.
#[derive(Debug)]
struct Open {
    /// Its token.
    begins: usize,
    /// What is open where it begins.
    began: usize,
    /// The token that ends the first branch, and what is open there.
    first: Option<(usize, usize)>,
}

/// A condition whose first branch leaves other braces open than it began with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unbalanced {
    /// Its token.
    pub begins: usize,
    /// The token with which the other branches begin, or that ends it.
    pub branches: usize,
}

#[derive(Debug)]
struct Made {
    around: usize,
    scope: Scope,
    class: String,
}

impl Scopes {
    pub(super) fn current(&self) -> Scope {
        self.innermost().map_or(Scope::Outer, |made| made.scope)
    }

    /// Whether the innermost braces are those of the class `name`.
    pub(super) fn is_class(&self, name: &str) -> bool {
        !name.is_empty() && self.innermost().is_some_and(|made| made.class == name)
    }

    fn innermost(&self) -> Option<&Made> {
        self.made.get(self.current.checked_sub(1)?)
    }

    /// A brace opens after `head`, the tokens of its statement.
    pub(super) fn open(&mut self, head: &[&str]) {
        let head = &head[parameters_of_template(head)..];
        let place = |word: &str| head.iter().position(|other| *other == word);
        let class = ["class", "struct", "union"].iter().filter_map(|word| place(word)).min();
        let call = place("(").unwrap_or(head.len());
        let (mut scope, mut name) = (Scope::Body, "");
        if self.current() == Scope::Values
            || place("=").is_some_and(|at| at < call)
            || place("enum").is_some_and(|at| at < call)
        {
            scope = Scope::Values;
        } else if place("namespace").is_some() || place("extern").is_some() && head.len() <= 2 {
            scope = Scope::Outer;
        } else if let Some(at) = class {
            let end = head[at..].iter().position(|word| matches!(*word, ":" | "<" | "final")).map(|end| at + end);
            let named = &head[at + 1..end.unwrap_or(head.len())];
            // With parameters it is a function that returns one, unless a mark has them.
            let is_function = named.windows(2).any(|pair| pair[1] == "(" && !is_macro(pair[0]) && !is_keyword(pair[0]));
            if !is_function {
                name = named.last().copied().unwrap_or_default();
                scope = Scope::Class;
            }
        }
        self.made.push(Made { around: self.current, scope, class: name.to_owned() });
        self.current = self.made.len();
    }

    pub(super) fn close(&mut self) {
        self.current = self.innermost().map_or(0, |made| made.around);
    }

    /// Takes the line of the preprocessor that is this token; what to make of the condition that it ends.
    pub(super) fn directive(&mut self, directive: Directive, at: usize) -> Option<Unbalanced> {
        match directive {
            Directive::If => self.conditions.push(Open { begins: at, began: self.current, first: None }),
            Directive::Else => {
                let condition = self.conditions.last_mut()?;
                condition.first.get_or_insert((at, self.current));
                self.current = condition.began;
            }
            Directive::EndIf => {
                let condition = self.conditions.pop()?;
                let (branches, ended) = condition.first.unwrap_or((at, self.current));
                self.current = ended;
                return (ended != condition.began).then_some(Unbalanced { begins: condition.begins, branches });
            }
            Directive::Other => {}
        }
        None
    }
}

/// How many of the tokens of a statement are `template` and what is between its angle brackets.
fn parameters_of_template(head: &[&str]) -> usize {
    if head.first() != Some(&"template") {
        return 0;
    }
    let mut depth = 0usize;
    for (at, word) in head.iter().enumerate() {
        match *word {
            "<" => depth += 1,
            ">" => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    0
}

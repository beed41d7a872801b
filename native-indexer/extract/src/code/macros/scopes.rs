//! Keeps track of the braces around a position in C or C++.

use super::names::{is_keyword, is_macro};
use super::tokens::Directive;

/// The content of a pair of braces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// A file or a namespace.
    Outer,
    Class,
    /// Statements.
    Body,
    /// Constants of an enumeration, or the values of a variable.
    Values,
}

/// The open braces. All branches of a preprocessor conditional begin with the same braces. After the conditional, the
/// braces of its first branch are open, because only one branch is compiled.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    /// All braces that were opened so far, with the braces around them. A number is therefore enough to restore a
    /// state.
    made: Vec<Made>,
    /// Number of the innermost open braces, starting at 1, or 0 outside all braces.
    current: usize,
    conditions: Vec<Open>,
}

/// A preprocessor conditional that is still open.
#[derive(Debug)]
struct Open {
    /// The token that begins the conditional.
    begins: usize,
    /// Innermost braces at the start of the conditional.
    began: usize,
    /// The token that ends the first branch, and the innermost braces there.
    first: Option<(usize, usize)>,
}

/// A conditional with a first branch that changes which braces are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unbalanced {
    /// The token that begins the conditional.
    pub begins: usize,
    /// The token that begins the second branch, or that ends the conditional if there is only one branch.
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

    /// Whether the innermost braces belong to the class `name`.
    pub(super) fn is_class(&self, name: &str) -> bool {
        !name.is_empty() && self.innermost().is_some_and(|made| made.class == name)
    }

    fn innermost(&self) -> Option<&Made> {
        self.made.get(self.current.checked_sub(1)?)
    }

    /// Opens a brace after `head`, which contains the tokens of its statement.
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
            // A head with parameters is a function that returns a class, unless the parameters belong to a mark.
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

    /// Handles the directive at the token `at`. If the directive ends an unbalanced conditional, returns the
    /// conditional.
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

/// Returns the number of tokens in `template <…>` at the start of a statement.
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

//! Makes the plan of a regular expression in JavaScript's syntax. Unknown syntax adds no condition, so that a plan is
//! never too narrow. A plan that is too wide is only slow.

use super::plan::Plan;

/// Maximum depth of nested groups. A plan for deeper groups has no condition.
const MAX_DEPTH: u32 = 50;

/// Returns the plan of an expression, which is given without slashes and flags. `any_case` is the `i` flag. The `v`
/// flag has a different syntax, which is not supported.
pub fn plan_of_expression(source: &str, any_case: bool) -> Plan {
    let mut reader = Reader { rest: source.chars().collect(), at: 0, any_case };
    let plan = reader.alternatives(0);
    // If some characters are left, this is not an expression, and the engine refuses it.
    if reader.at == reader.rest.len() { plan.unwrap_or(Plan::All) } else { Plan::All }
}

struct Reader {
    rest: Vec<char>,
    at: usize,
    any_case: bool,
}

/// A step of an expression.
enum Atom {
    /// A character.
    Char(char),
    /// The plan of a group. For any other step, the plan has no condition.
    Group(Plan),
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.rest.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek();
        self.at += usize::from(c.is_some());
        c
    }

    fn takes(&mut self, text: &str) -> bool {
        let is_next = text.chars().enumerate().all(|(ahead, c)| self.rest.get(self.at + ahead) == Some(&c));
        self.at += if is_next { text.chars().count() } else { 0 };
        is_next
    }

    /// Skips everything up to and including `end`.
    fn skip_to(&mut self, end: char) {
        while self.next().is_some_and(|c| c != end) {}
    }

    fn skip(&mut self, count: usize, is_one: fn(char) -> bool) {
        for _ in 0..count {
            if !self.peek().is_some_and(is_one) {
                break;
            }
            self.at += 1;
        }
    }

    /// Reads alternatives up to the end or to a closing parenthesis. Returns `None` if groups are nested too deeply.
    fn alternatives(&mut self, depth: u32) -> Option<Plan> {
        let mut alternatives = vec![self.sequence(depth)?];
        while self.peek() == Some('|') {
            self.at += 1;
            alternatives.push(self.sequence(depth)?);
        }
        Some(Plan::or(alternatives))
    }

    fn sequence(&mut self, depth: u32) -> Option<Plan> {
        let mut plans = Vec::new();
        let mut run = String::new();
        while self.peek().is_some_and(|c| !matches!(c, '|' | ')')) {
            let atom = self.atom(depth)?;
            let mut least = self.quantifier();
            while let Some(again) = self.quantifier() {
                least = least.min(Some(again));
            }
            match (atom, least) {
                (Atom::Char(c), None) => {
                    run.push(c);
                    continue;
                }
                (Atom::Char(c), Some(1..)) => run.push(c),
                (Atom::Group(plan), None | Some(1..)) => plans.push(plan),
                (_, Some(0)) => {}
            }
            plans.push(self.literal(&std::mem::take(&mut run)));
        }
        plans.push(self.literal(&run));
        Some(Plan::and(plans))
    }

    fn literal(&self, run: &str) -> Plan {
        if self.any_case { Plan::of_text_in_any_case(run) } else { Plan::of_text(run) }
    }

    /// Reads a quantifier, if there is one, and returns the minimum number of repetitions.
    fn quantifier(&mut self) -> Option<u32> {
        let least = match self.peek()? {
            '*' | '?' => 0,
            '+' => 1,
            '{' => {
                let end = self.rest[self.at..].iter().position(|&c| c == '}')?;
                let inside: String = self.rest[self.at + 1..self.at + end].iter().collect();
                let is_count = inside.starts_with(|c: char| c.is_ascii_digit())
                    && inside.chars().all(|c| c.is_ascii_digit() || c == ',')
                    && inside.matches(',').count() <= 1;
                if !is_count {
                    return None;
                }
                self.at += end;
                // A number that is too large for `u32` is above 0.
                inside.split(',').next().map_or(0, |least| least.parse().unwrap_or(1))
            }
            _ => return None,
        };
        self.at += 1;
        self.takes("?");
        Some(least)
    }

    /// Reads the next step. Returns `None` if it is nested too deeply or unknown.
    fn atom(&mut self, depth: u32) -> Option<Atom> {
        let nothing = Atom::Group(Plan::All);
        Some(match self.next()? {
            '(' => self.group(depth)?,
            '[' => {
                while let Some(c) = self.next().filter(|&c| c != ']') {
                    self.at += usize::from(c == '\\');
                }
                nothing
            }
            '\\' => self.escape(),
            '.' | '^' | '$' => nothing,
            c => Atom::Char(c),
        })
    }

    fn group(&mut self, depth: u32) -> Option<Atom> {
        if depth == MAX_DEPTH {
            return None;
        }
        // A lookaround adds no condition, because it may be negative and is not part of the match.
        let is_beside = ["?=", "?!", "?<=", "?<!"].iter().any(|start| self.takes(start));
        if !is_beside && !self.takes("?:") {
            if self.takes("?<") {
                self.skip_to('>');
            } else if self.peek() == Some('?') {
                return None;
            }
        }
        let plan = self.alternatives(depth + 1)?;
        // If the parenthesis is not closed, the engine refuses the expression.
        (self.next() == Some(')')).then_some(Atom::Group(if is_beside { Plan::All } else { plan }))
    }

    fn escape(&mut self) -> Atom {
        let is_hex = |c: char| c.is_ascii_hexdigit();
        match self.next() {
            Some('x') => self.skip(2, is_hex),
            Some('u') if self.peek() != Some('{') => self.skip(4, is_hex),
            Some('u' | 'p' | 'P') if self.peek() == Some('{') => self.skip_to('}'),
            Some('c') => self.skip(1, |c| c.is_ascii_alphabetic()),
            Some('k') if self.peek() == Some('<') => self.skip_to('>'),
            Some(c) if c.is_ascii_digit() => self.skip(3, |c| c.is_ascii_digit()),
            Some(c) if !c.is_ascii_alphanumeric() => return Atom::Char(c),
            _ => {}
        }
        Atom::Group(Plan::All)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grep::trigrams_of;
    use proptest::prelude::*;

    fn plan(source: &str) -> Plan {
        plan_of_expression(source, false)
    }

    fn all(texts: &[&str]) -> Plan {
        Plan::and(texts.iter().map(|text| Plan::of_text(text)))
    }

    #[test]
    fn texts_of_an_expression_are_found() {
        assert_eq!(plan("spin_lock_irqsave"), all(&["spin_lock_irqsave"]));
        assert_eq!(plan(r"kfree\(.*->name\)"), all(&["kfree(", "->name)"]));
        assert_eq!(plan(r"static\s+int\s+\w+_init\("), all(&["static", "int", "_init("]));
        assert_eq!(plan("todo|fixme"), Plan::or([all(&["todo"]), all(&["fixme"])]));
        assert_eq!(plan("ab(?:cde|fgh)+ijk"), Plan::and([Plan::or([all(&["cde"]), all(&["fgh"])]), all(&["ijk"])]));
        assert_eq!(plan("abc?def"), all(&["def"]));
        assert_eq!(plan("abc+def{0,3}ghi{2}"), all(&["abc", "de", "ghi"]));
        assert_eq!(plan("a{b}c"), all(&["a{b}c"]), "no number in braces");
        assert_eq!(plan_of_expression("straße", true), all(&["stra"]));
    }

    #[test]
    fn what_is_not_known_says_nothing() {
        for source in
            ["abc|", "(?i:abc)", "(abc", "abc)", "[abc]", r"\x61bcd?", r"\u0061bc?", "(?!abc)", r"\p{Lu}", "a|bcd", ""]
        {
            assert_eq!(plan(source), Plan::All, "{source:?}");
        }
        assert_eq!(plan(&format!("{}abc{}", "(".repeat(100), ")".repeat(100))), Plan::All);
        assert_eq!(plan(r"[\]abc]def"), all(&["def"]));
    }

    proptest! {
        /// The oracle is an engine: every line that it finds must be admitted.
        #[test]
        fn no_line_that_matches_is_left_out(
            source in r"([abk]{1,4}|\([abk]{1,3}\||\)|[*+?.]|\{1,2\}|\{0\}|\[ab\]|\\w|\\x61|\|){1,8}",
            lines in prop::collection::vec("[abkABK]{0,12}", 1..20),
            any_case in any::<bool>(),
        ) {
            if let Ok(regex) = regex::RegexBuilder::new(&source).case_insensitive(any_case).build() {
                let plan = plan_of_expression(&source, any_case);
                for line in lines.iter().filter(|line| regex.is_match(line)) {
                    let trigrams = trigrams_of(line.to_lowercase().as_bytes());
                    prop_assert!(plan.admits(&|trigram| trigrams.contains(&trigram)), "{source} {line}");
                }
            }
        }

        #[test]
        fn any_expression_has_a_plan(source in ".{0,60}", any_case in any::<bool>()) {
            plan_of_expression(&source, any_case);
        }
    }
}

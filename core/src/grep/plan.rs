//! Conditions that a line must meet to match, as far as sequences of three bytes can express them.

use super::trigrams::{Trigram, fold};

/// A condition that every matching line meets. Other lines may meet it as well.
///
/// ```
/// use nearfind_core::grep::{Plan, plan_of_expression};
///
/// assert_eq!(Plan::of_text("Commit"), Plan::Has(b"commit".to_vec()));
/// // Two letters are not a condition: every line may match.
/// assert_eq!(Plan::of_text("if"), Plan::All);
/// assert_eq!(plan_of_expression(r"merge.*base", false), Plan::And(vec![Plan::of_text("merge"), Plan::of_text("base")]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plan {
    /// There is no condition: any line may match.
    All,
    /// The line contains these bytes, at least three, with ASCII letters in any case.
    Has(Vec<u8>),
    /// All of these conditions hold.
    And(Vec<Plan>),
    /// One of these conditions holds.
    Or(Vec<Plan>),
}

impl Plan {
    /// Requires that a line contains `text`, with ASCII letters in any case.
    pub fn of_text(text: &str) -> Self {
        Self::of_bytes(text.as_bytes())
    }

    /// Requires that a line contains `bytes`, with ASCII letters in any case.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let folded = fold(bytes);
        if folded.len() < 3 { Self::All } else { Self::Has(folded) }
    }

    /// Requires that a line contains `text` in any case. The cases of letters beyond ASCII have different bytes, so
    /// only the text between such letters is required.
    pub fn of_text_in_any_case(text: &str) -> Self {
        Self::and(text.split(|c: char| !c.is_ascii()).map(Self::of_text))
    }

    /// Requires all of `plans`.
    pub fn and(plans: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Vec::new();
        for plan in plans {
            match plan {
                Self::All => {}
                Self::And(plans) => all.extend(plans),
                plan if all.contains(&plan) => {}
                plan => all.push(plan),
            }
        }
        if all.len() > 1 { Self::And(all) } else { all.pop().unwrap_or(Self::All) }
    }

    /// Requires one of `plans`. Without plans, any line may match.
    pub fn or(plans: impl IntoIterator<Item = Self>) -> Self {
        let mut any = Vec::new();
        for plan in plans {
            match plan {
                Self::All => return Self::All,
                Self::Or(plans) => any.extend(plans),
                plan if any.contains(&plan) => {}
                plan => any.push(plan),
            }
        }
        if any.len() > 1 { Self::Or(any) } else { any.pop().unwrap_or(Self::All) }
    }

    /// Whether a line may match. `has` tells whether the line contains a trigram.
    pub fn admits(&self, has: &dyn Fn(Trigram) -> bool) -> bool {
        match self {
            Self::All => true,
            Self::Has(bytes) => super::trigrams::trigrams_of(bytes).into_iter().all(has),
            Self::And(plans) => plans.iter().all(|plan| plan.admits(has)),
            Self::Or(plans) => plans.iter().any(|plan| plan.admits(has)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_nothing_is_left_out() {
        let has = |text: &str| Plan::of_text(text);
        assert_eq!(Plan::and([Plan::All, has("abc"), has("ab")]), has("ABC"));
        assert_eq!(Plan::or([has("abc"), Plan::All]), Plan::All);
        assert_eq!(Plan::or([has("abc"), has("abc")]), has("abc"));
        assert_eq!(Plan::and([]), Plan::All);
        assert_eq!(Plan::of_text_in_any_case("né à Ú"), Plan::All, "no three bytes between the accents");
        assert_eq!(Plan::of_text_in_any_case("Straße nach"), Plan::and([has("stra"), has("e nach")]));
    }

    #[test]
    fn a_plan_admits_what_has_all_of_it() {
        let plan = Plan::and([Plan::of_text("spin_lock"), Plan::or([Plan::of_text("irq"), Plan::of_text("bh ")])]);
        let admits = |text: &str| {
            let trigrams = super::super::trigrams::trigrams_of(&fold(text.as_bytes()));
            plan.admits(&|trigram| trigrams.contains(&trigram))
        };
        assert!(admits("SPIN_LOCK_IRQSAVE(") && admits("spin_lock_bh (x)"));
        assert!(!admits("spin_lock(") && !admits("spin irq lock"));
    }
}

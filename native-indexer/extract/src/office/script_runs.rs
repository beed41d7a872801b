//! Superscripts and subscripts in texts that consist of runs.

use crate::scripts::Script;

/// The superscripts and subscripts in a text that is assembled from runs.
#[derive(Debug, Default)]
pub(super) struct ScriptRuns {
    /// End of the last superscript or subscript. Programs may split a superscript into several runs.
    end: Option<usize>,
}

impl ScriptRuns {
    /// Separates the end of `text` from byte `start` on, which is a superscript or a subscript, from the text before
    /// it.
    pub(super) fn set_apart(&mut self, text: &mut String, start: usize, script: Script) {
        if self.end != Some(start) {
            let (before, run) = text.split_at(start);
            text.insert_str(start, script.separator(before, run.chars()));
        }
        self.end = Some(text.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_that_was_split_into_runs_is_one() {
        let (mut text, mut scripts) = (String::new(), ScriptRuns::default());
        for (is_raised, run) in [(false, "10"), (true, "1"), (true, "2"), (false, " bytes, 7"), (false, "0")] {
            let start = text.len();
            text.push_str(run);
            if is_raised {
                scripts.set_apart(&mut text, start, Script::Raised);
            }
        }
        assert_eq!(text, "10^12 bytes, 70");
    }
}

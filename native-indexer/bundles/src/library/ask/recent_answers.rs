//! Caches the last answers, because agents repeat questions in the same words to find what they have read before.

use crate::library::ask::question::{Question, Reply};
use crate::library::open::view::View;
use clru::CLruCache;
use nearfind_core::content::ContentMode;
use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Number of answers that are kept, enough for a session.
const KEPT: NonZeroUsize = NonZeroUsize::new(64).expect("it is not zero");

/// Answers by question, for the current generations of the bundles.
#[derive(Debug)]
pub(crate) struct RecentAnswers(Mutex<State>);

#[derive(Debug)]
struct State {
    /// The bundles that answered. Answers from other bundles are dropped.
    generations: Vec<String>,
    replies: CLruCache<String, Reply>,
}

impl Default for RecentAnswers {
    fn default() -> Self {
        Self(Mutex::new(State { generations: Vec::new(), replies: CLruCache::new(KEPT) }))
    }
}

impl RecentAnswers {
    /// Returns the cached answer of the bundles in `view` to `question`, if there is one. If the view has problems,
    /// nothing is returned, because the answer must report them.
    pub(crate) fn get(&self, view: &View, question: &Question) -> Option<Reply> {
        let key = key(question).filter(|_| view.problems.is_empty())?;
        self.of(view).replies.get(&key).cloned()
    }

    /// Caches an answer. An answer with notices is not cached, because the same question may get a better answer later.
    pub(crate) fn put(&self, view: &View, question: &Question, reply: &Reply) {
        if let Some(key) = key(question).filter(|_| reply.notices.is_empty()) {
            self.of(view).replies.put(key, reply.clone());
        }
    }

    fn of(&self, view: &View) -> MutexGuard<'_, State> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.generations != view.generations() {
            state.generations = view.generations().into_iter().map(str::to_owned).collect();
            state.replies.clear();
        }
        state
    }
}

/// Returns everything that an answer depends on other than the bundles. Returns `None` if a filter of the question is
/// code, which cannot be compared, or if the question requests whole documents, which are large and read only once.
fn key(question: &Question) -> Option<String> {
    let Question {
        text,
        mode,
        encoder,
        near,
        offset,
        limit,
        looks_further,
        passages,
        filters,
        path,
        language,
        sort,
        unfit,
        nearest,
        content,
        rerank,
    } = question;
    let is_kept = path.is_none() && content.mode != ContentMode::Full;
    is_kept.then(|| {
        format!(
            "{:?}",
            (
                (text.as_typed(), mode, encoder, near, offset, limit, looks_further, passages),
                (filters, language, sort, unfit, nearest, content, rerank),
            )
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::PathFilter;
    use nearfind_core::search::{Cost, Mode, Tier};

    fn reply(notices: &[&str]) -> Reply {
        Reply {
            mode: Mode::Words,
            tier: Tier::Words,
            hits: Vec::new(),
            nearest: Vec::new(),
            has_more: true,
            corrections: Vec::new(),
            searched: None,
            missing_phrases: Vec::new(),
            notices: notices.iter().map(|&notice| notice.to_owned()).collect(),
            cost: Cost::default(),
        }
    }

    #[test]
    fn the_same_question_has_the_same_answer_and_another_one_has_none() {
        let answers = RecentAnswers::default();
        let view = View { bundles: Vec::new(), problems: Vec::new() };
        let question = Question { text: "a table".into(), limit: 5, ..Question::default() };
        assert!(answers.get(&view, &question).is_none());
        answers.put(&view, &question, &reply(&[]));
        assert!(answers.get(&view, &question).unwrap().has_more);
        for other in [
            Question { text: "A table".into(), ..question.clone() },
            Question { limit: 6, ..question.clone() },
            Question { language: Some("fr".to_owned()), ..question.clone() },
        ] {
            assert!(answers.get(&view, &other).is_none());
        }
        // Current problems must be reported.
        let problems = vec!["docs: there is no index here".to_owned()];
        assert!(answers.get(&View { problems, ..view }, &question).is_none());
    }

    #[test]
    fn what_may_differ_the_next_time_is_not_kept() {
        let answers = RecentAnswers::default();
        let view = View { bundles: Vec::new(), problems: Vec::new() };
        let question = Question { text: "a table".into(), ..Question::default() };
        answers.put(&view, &question, &reply(&["the model is being fetched"]));
        assert!(answers.get(&view, &question).is_none());
        let any = PathFilter::of_paths(|_| true);
        let by_code = Question { path: Some(any), ..question };
        answers.put(&view, &by_code, &reply(&[]));
        assert!(answers.get(&view, &by_code).is_none());
    }
}

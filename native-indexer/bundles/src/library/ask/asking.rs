//! Sends a question to all bundles of a view. Bundles made with the same model answer as one. Bundles made with
//! different models are queried separately, because their scores cannot be compared, and their answers take turns.

use crate::library::ask::about_history::turns;
use crate::library::ask::filters::filters_for;
use crate::library::ask::misspelt_names::with_names_in_case;
use crate::library::ask::question::{FoundHit, Question, Reply, Rerank};
use crate::library::open::open_bundle::OpenBundle;
use crate::library::open::view::View;
use crate::library::open_library::Library;
use anyhow::Result;
use nearfind_core::embed::bert_words::decomposed;
use nearfind_core::reader::BundleReader;
use nearfind_core::search::{
    Advance, Answer, Cost, Filter, Mode, PATH_REGEX, PathPattern, Query, QueryError, Reach, Session, Tier,
};
use std::sync::Arc;
use unicode_normalization::UnicodeNormalization as _;

/// Advice for a question without a letter or a digit.
const SIGNS_ALONE: &str = "the question has symbols but no words: use grep, which searches exact text";

impl Library {
    /// Answers a question from the bundles of `view`, or returns their cached answer.
    pub fn ask(&self, view: &View, question: &Question) -> Result<Reply> {
        let typed = question.text.as_typed();
        let in_usual_letters =
            (!typed.is_ascii()).then(|| Question { text: usual_letters(typed).into(), ..question.clone() });
        let question = in_usual_letters.as_ref().unwrap_or(question);
        if let Some(reply) = self.recent_answers.get(view, question) {
            return Ok(reply);
        }
        let named = view.with_defined_names(question.text.as_typed());
        let corrected = named.as_ref().map(|(text, _)| Question { text: text.as_str().into(), ..question.clone() });
        let asked = corrected.as_ref().unwrap_or(question);
        let mut reply = match question.rerank {
            _ if question.sort.is_some() => self.ask_anew(view, asked)?,
            Rerank::No => self.ask_anew(view, asked)?,
            Rerank::Best => self.ask_reranked(view, asked)?,
            Rerank::MultiHop => self.ask_in_hops(view, asked)?,
        };
        if let Some((text, corrections)) = named {
            reply.corrections.splice(..0, corrections);
            reply.searched.get_or_insert(text);
        }
        for found in &mut reply.hits {
            // Only the reranker needed the text.
            found.hit.text = None;
            found.content = found.bundle.content(&found.terms, &found.hit, question.content)?;
        }
        let is_signs = !question.text.as_typed().trim().is_empty() && !question.text.has_words();
        if is_signs && !question.unfit {
            reply.notices.push(SIGNS_ALONE.to_owned());
        }
        if question.nearest && reply.hits.is_empty() && !is_signs {
            reply.nearest = self.nearest(view, asked)?;
        }
        self.recent_answers.put(view, question, &reply);
        Ok(reply)
    }

    /// Returns the documents that are nearest to a question that no document fits.
    fn nearest(&self, view: &View, question: &Question) -> Result<Vec<FoundHit>> {
        if question.offset > 0 || question.unfit || question.sort.is_some() {
            return Ok(Vec::new());
        }
        let limit = question.limit.min(Reply::MOST_NEAREST);
        let weak = Question { unfit: true, limit, looks_further: false, rerank: Rerank::No, ..question.clone() };
        Ok(self.ask_anew(view, &weak)?.hits)
    }

    /// Queries all bundles, without the cache. The contents of the documents are not read yet.
    pub(crate) fn ask_anew(&self, view: &View, question: &Question) -> Result<Reply> {
        let mut reply = Reply {
            mode: Mode::Words,
            tier: Tier::Words,
            hits: Vec::new(),
            nearest: Vec::new(),
            has_more: false,
            corrections: Vec::new(),
            searched: None,
            missing_phrases: Vec::new(),
            notices: view.problems.clone(),
            cost: Cost::default(),
        };
        let groups = groups(&view.bundles);
        let mut refused = None;
        let mut answers = Vec::new();
        let mut models = 0;
        for group in groups {
            let Some(filters) = filters_for(&group, &view.bundles, &question.filters) else { continue };
            models += 1;
            let first = answers.len();
            let turns = turns(question.text.as_typed(), &group, filters);
            for filters in &turns {
                match self.ask_group(&group, question, filters.clone(), &mut reply.notices) {
                    Ok(answer) => {
                        let answer = self.ask_corrected(&group, question, filters.clone(), answer);
                        answers.push((group.clone(), answer));
                    }
                    // Another group may have the property or value that this one lacks.
                    Err(error) if is_about_filters(&error) => drop(refused.get_or_insert(error)),
                    Err(error) => return Err(error),
                }
            }
            // A question about history also gets the nearest commits, even if none of them fits.
            if let [(_, commits), (_, others)] = &mut answers[first..]
                && commits.hits.is_empty()
                && !others.hits.is_empty()
            {
                let weak = Question { unfit: true, ..question.clone() };
                *commits = self.ask_group(&group, &weak, turns[0].clone(), &mut Vec::new())?;
            }
        }
        if let (true, Some(error)) = (answers.is_empty(), refused) {
            return Err(error);
        }
        if models > 1 {
            let names: Vec<String> = answers.iter().map(|(group, _)| labels(group)).collect();
            reply.notices.push(format!(
                "{} were made with different models: they are searched separately, their results alternate, and their scores cannot be compared",
                names.join(" and ")
            ));
        }
        let deepest = answers.iter().map(|(_, answer)| answer.hits.len()).max().unwrap_or_default();
        let terms: Vec<Arc<[String]>> = answers.iter().map(|(_, answer)| answer.terms.clone().into()).collect();
        let in_turns = (0..deepest).flat_map(|rank| {
            let of_answers = answers.iter().zip(&terms);
            of_answers.filter_map(move |((group, answer), terms)| Some((group, terms, answer.hits.get(rank)?)))
        });
        let mut wanted: Vec<_> = in_turns.skip(question.offset).take(question.limit + 1).collect();
        reply.has_more = wanted.len() > question.limit;
        wanted.truncate(question.limit);
        for (group, terms, hit) in wanted {
            let bundle = &group[hit.bundle];
            let (mut hit, terms) = (hit.clone(), Arc::clone(terms));
            hit.url = hit.url.map(|url| bundle.origin().address(&url));
            reply.hits.push(FoundHit { hit, bundle: Arc::clone(bundle), content: None, relevance: None, terms });
        }
        // A word that one of the groups has was not mistyped.
        let are_mistyped = answers.iter().all(|(_, answer)| !answer.corrections.is_empty());
        for (_, answer) in answers {
            reply.mode = if answer.mode == Mode::Words { reply.mode } else { answer.mode };
            reply.tier = reply.tier.max(answer.tier);
            reply.cost.add(&answer.cost);
            for corrected in answer.corrections.into_iter().filter(|_| are_mistyped) {
                if !reply.corrections.contains(&corrected) {
                    reply.corrections.push(corrected);
                }
            }
            reply.searched = reply.searched.or(answer.searched.filter(|_| are_mistyped));
            if reply.missing_phrases.is_empty() {
                reply.missing_phrases = answer.missing_phrases;
            }
        }
        Ok(reply)
    }

    /// If words were mistyped, queries the bundles of a model again with the corrected question, because titles,
    /// headings and encoders match only correct words.
    fn ask_corrected(
        &self,
        group: &[Arc<OpenBundle>],
        question: &Question,
        filters: Vec<Filter>,
        answer: Answer,
    ) -> Answer {
        let Some(searched) = &answer.searched else { return answer };
        let name_of = |word: &str| group.iter().find_map(|bundle| bundle.name_in_case(word));
        let text = with_names_in_case(question.text.as_typed(), searched, &answer.corrections, name_of);
        let corrected = Question { text: text.as_str().into(), ..question.clone() };
        // Notices are dropped, because the first query has already added them.
        match self.ask_group(group, &corrected, filters, &mut Vec::new()) {
            Ok(mut again) => {
                again.cost.add(&answer.cost);
                Answer { query: answer.query, corrections: answer.corrections, searched: answer.searched, ..again }
            }
            Err(_) => answer,
        }
    }

    /// Queries bundles of one model.
    fn ask_group(
        &self,
        group: &[Arc<OpenBundle>],
        question: &Question,
        mut filters: Vec<Filter>,
        notices: &mut Vec<String>,
    ) -> Result<Answer> {
        let vector = self.encoders.vector(group, question, notices)?;
        if question.path.is_some() {
            filters.push(Filter { name: PATH_REGEX.to_owned(), values: Vec::new() });
        }
        let reach = if question.near || vector.is_none() { Reach::Near } else { Reach::Full };
        let wanted = question.offset + question.limit;
        let limit = if question.looks_further { (wanted + 1).min(Query::MAX_LIMIT) } else { wanted };
        let mut asked = limit;
        loop {
            let path_pattern = question.path.clone().map(|wanted| PathPattern::new(move |path| wanted.may_admit(path)));
            let mut found = answer(
                group,
                Query {
                    text: question.text.clone(),
                    decomposed: Some(decomposed(question.text.meant())),
                    mode: question.mode,
                    limit: asked,
                    vector: vector.clone(),
                    reach,
                    passages: question.passages,
                    texts: question.rerank != Rerank::No && self.has_reranker(),
                    filters: filters.clone(),
                    path_pattern,
                    language: question.language.clone(),
                    sort: question.sort.clone(),
                    unfit: question.unfit,
                    ..Query::default()
                },
            )?;
            // Bundles filter only by path, and this code filters by project as well. If files of other projects took up
            // places, it queries for more documents.
            let is_all = found.hits.len() < asked;
            if let Some(wanted) = &question.path {
                found.hits.retain(|hit| wanted.admits(&hit.project, &hit.path));
            }
            if is_all || found.hits.len() >= limit || asked >= Query::MAX_LIMIT {
                found.hits.truncate(limit);
                return Ok(found);
            }
            asked = (asked * 2).min(Query::MAX_LIMIT);
        }
    }
}

/// Returns `text` with composed letters, as in bundles, and without the forms that only some keyboards and fonts
/// produce: full-width letters, half-width kana, and ligatures. Pages do the same: see `usualLetters` in their code.
fn usual_letters(text: &str) -> String {
    let is_form = |c: &char| matches!(c, '\u{fb00}'..='\u{fb06}' | '\u{ff01}'..='\u{ff9f}');
    let plain = text.chars().flat_map(|c| {
        let plain = is_form(&c).then(|| std::iter::once(c).nfkc());
        plain.is_none().then_some(c).into_iter().chain(plain.into_iter().flatten())
    });
    plain.nfc().collect()
}

/// Answers a query, and reads the blocks that it needs.
fn answer(group: &[Arc<OpenBundle>], query: Query) -> Result<Answer> {
    let mut session = with_searchers(group, |readers| Session::new(readers, query))?;
    loop {
        match with_searchers(group, |readers| session.advance(readers))? {
            Advance::Done(answer) => return Ok(*answer),
            Advance::Preview(_) => {}
            Advance::Need(blocks) => {
                for (number, bundle) in group.iter().enumerate() {
                    bundle.bring(blocks.iter().filter(|(of, _)| *of == number).map(|(_, id)| *id))?;
                }
            }
        }
    }
}

fn with_searchers<T>(group: &[Arc<OpenBundle>], run: impl FnOnce(&[&BundleReader]) -> T) -> T {
    let guards: Vec<_> = group.iter().map(|bundle| bundle.reader()).collect();
    let readers: Vec<&BundleReader> = guards.iter().map(|guard| &**guard).collect();
    run(&readers)
}

/// Groups bundles by model. The groups are ordered by their first bundles.
fn groups(bundles: &[Arc<OpenBundle>]) -> Vec<Vec<Arc<OpenBundle>>> {
    let mut groups: Vec<Vec<Arc<OpenBundle>>> = Vec::new();
    for bundle in bundles {
        let is_of = |group: &&mut Vec<Arc<OpenBundle>>| group[0].manifest().model.hash == bundle.manifest().model.hash;
        match groups.iter_mut().find(is_of) {
            Some(group) => group.push(Arc::clone(bundle)),
            None => groups.push(vec![Arc::clone(bundle)]),
        }
    }
    groups
}

fn labels(group: &[Arc<OpenBundle>]) -> String {
    let labels: Vec<&str> = group.iter().map(|bundle| bundle.label.as_str()).collect();
    format!("{} ({})", labels.join(", "), group[0].manifest().model.name)
}

fn is_about_filters(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(QueryError::UnknownFilter(_) | QueryError::UnknownValue { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_have_the_letters_of_bundles() {
        for (typed, usual) in [
            ("Ｐｙｔｈｏｎ", "Python"),
            ("ｶﾞｲﾄﾞ", "ガイド"),
            ("ﬁle", "file"),
            ("cafe\u{301}", "café"),
            // Signs that would become letters, and thus change the words.
            ("Word™ x² ½", "Word™ x² ½"),
        ] {
            assert_eq!(usual_letters(typed), usual, "{typed}");
        }
    }
}

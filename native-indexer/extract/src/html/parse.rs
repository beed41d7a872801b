//! Parses HTML into a tree in time proportional to the size of the page.
//!
//! html5ever does not limit its work (servo/html5ever#788): if elements are left open, it searches all of them at every
//! tag. Each step of these searches calls the sink, so the sink counts the steps.

use crate::error::ExtractError;
use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode};
use html5ever::tendril::{StrTendril, TendrilSink as _};
use html5ever::tree_builder::TreeSink;
use html5ever::{Attribute, ParseOpts, QualName, driver};
use scraper::{Html, HtmlTreeSink};
use std::borrow::Cow;
use std::cell::{Cell, Ref};

/// Maximum depth of elements, below which browsers flatten the tree.
const MAX_DEPTH: usize = 512;
/// Maximum number of steps per byte. Published pages need less than one.
const MAX_STEPS_OF_BYTE: u64 = 32;
/// Number of steps that every page may take, regardless of its size.
const FREE_STEPS: u64 = 1 << 20;
/// Maximum number of attributes in a tag, because each attribute is compared with all previous ones in its tag.
const MAX_ATTRIBUTES: usize = 1024;
/// Number of bytes to parse between two checks of the steps.
const FEED_BYTES: usize = 4096;

/// Parses `source` into a tree.
pub(super) fn parse(source: &str) -> Result<Html, ExtractError> {
    parse_counting(source).map(|(page, _)| page)
}

/// Parses `source`, and also returns the number of steps.
fn parse_counting(source: &str) -> Result<(Html, u64), ExtractError> {
    if has_too_many_attributes(source.as_bytes()) {
        return Err(ExtractError::TooManyAttributes(MAX_ATTRIBUTES));
    }
    let max_steps = FREE_STEPS.saturating_add(MAX_STEPS_OF_BYTE * source.len() as u64);
    let mut parser = driver::parse_document(Counted::default(), ParseOpts::default());
    let mut rest = source;
    while !rest.is_empty() {
        let (now, later) = rest.split_at(rest.floor_char_boundary(FEED_BYTES));
        parser.process(StrTendril::from_slice(now));
        rest = later;
        let sink = &parser.tokenizer.sink.sink;
        if sink.depth_of_last() > MAX_DEPTH {
            return Err(ExtractError::TooDeep(MAX_DEPTH));
        }
        if sink.steps.get() > max_steps {
            return Err(ExtractError::LeftOpen);
        }
    }
    let (page, steps) = parser.finish();
    if depth(&page) > MAX_DEPTH { Err(ExtractError::TooDeep(MAX_DEPTH)) } else { Ok((page, steps)) }
}

/// Returns the depth of the deepest element of `page`.
fn depth(page: &Html) -> usize {
    let (mut depth, mut deepest) = (0usize, 0);
    for edge in page.tree.root().traverse() {
        match edge {
            ego_tree::iter::Edge::Open(_) => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            ego_tree::iter::Edge::Close(_) => depth -= 1,
        }
    }
    deepest
}

/// Whether a tag has more than [`MAX_ATTRIBUTES`]. Text that only looks like a tag, as in a script, also counts.
fn has_too_many_attributes(source: &[u8]) -> bool {
    let mut end = 0;
    for start in memchr::memchr_iter(b'<', source) {
        if start < end || !source.get(start + 1).is_some_and(u8::is_ascii_alphabetic) {
            continue;
        }
        let (attributes, after) = attributes(source, start + 1);
        if attributes > MAX_ATTRIBUTES {
            return true;
        }
        end = after;
    }
    false
}

/// Returns the number of attributes in the tag whose name begins at `at`, and the position of the tag's end.
fn attributes(source: &[u8], mut at: usize) -> (usize, usize) {
    let mut count = 0;
    let mut is_between = false;
    while let Some(&byte) = source.get(at) {
        match byte {
            b'>' => break,
            b'"' | b'\'' if source[at - 1] == b'=' => {
                let value = &source[at + 1..];
                at += memchr::memchr(byte, value).map_or(value.len(), |end| end + 1);
                is_between = true;
            }
            b' ' | b'\t' | b'\n' | b'\r' | b'\x0c' | b'/' => is_between = true,
            _ => count += usize::from(std::mem::take(&mut is_between)),
        }
        at += 1;
    }
    (count, at)
}

/// A sink that writes the tree, and counts its calls.
struct Counted {
    tree: HtmlTreeSink,
    steps: Cell<u64>,
    /// Number of attributes that were added to existing elements. Adding an attribute moves other attributes.
    later_attributes: Cell<u64>,
    last: Cell<Option<ego_tree::NodeId>>,
}

impl Default for Counted {
    fn default() -> Self {
        let tree = HtmlTreeSink::new(Html::new_document());
        Self { tree, steps: Cell::default(), later_attributes: Cell::default(), last: Cell::default() }
    }
}

impl Counted {
    fn count(&self, steps: u64) {
        self.steps.set(self.steps.get().saturating_add(steps));
    }

    /// Returns the depth of the element that was created last.
    fn depth_of_last(&self) -> usize {
        let page = self.tree.0.borrow();
        let last = self.last.get().and_then(|last| page.tree.get(last));
        last.map_or(0, |last| last.ancestors().count())
    }
}

impl TreeSink for Counted {
    type Handle = ego_tree::NodeId;
    type Output = (Html, u64);
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> Self::Output {
        (self.tree.finish(), self.steps.get())
    }

    fn elem_name<'a>(&'a self, target: &'a Self::Handle) -> Self::ElemName<'a> {
        self.count(1);
        self.tree.elem_name(target)
    }

    fn same_node(&self, x: &Self::Handle, y: &Self::Handle) -> bool {
        self.count(1);
        self.tree.same_node(x, y)
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> Self::Handle {
        // Elements that are left open across other elements are created again, with all of their attributes.
        self.count(1 + attributes.len() as u64);
        let made = self.tree.create_element(name, attributes, flags);
        self.last.set(Some(made));
        made
    }

    fn add_attrs_if_missing(&self, target: &Self::Handle, attributes: Vec<Attribute>) {
        let count = attributes.len() as u64;
        self.later_attributes.set(self.later_attributes.get() + count);
        self.count(count * self.later_attributes.get() / MAX_ATTRIBUTES as u64);
        self.tree.add_attrs_if_missing(target, attributes);
    }

    fn reparent_children(&self, node: &Self::Handle, new_parent: &Self::Handle) {
        let children = self.tree.0.borrow().tree.get(*node).map_or(0, |node| node.children().count());
        self.count(children as u64);
        self.tree.reparent_children(node, new_parent);
    }

    fn append(&self, parent: &Self::Handle, child: NodeOrText<Self::Handle>) {
        self.tree.append(parent, child);
    }

    fn append_based_on_parent_node(
        &self,
        element: &Self::Handle,
        previous: &Self::Handle,
        child: NodeOrText<Self::Handle>,
    ) {
        self.tree.append_based_on_parent_node(element, previous, child);
    }

    fn append_before_sibling(&self, sibling: &Self::Handle, new: NodeOrText<Self::Handle>) {
        self.tree.append_before_sibling(sibling, new);
    }

    fn append_doctype_to_document(&self, name: StrTendril, public_id: StrTendril, system_id: StrTendril) {
        self.tree.append_doctype_to_document(name, public_id, system_id);
    }

    fn create_comment(&self, text: StrTendril) -> Self::Handle {
        self.tree.create_comment(text)
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> Self::Handle {
        self.tree.create_pi(target, data)
    }

    fn get_document(&self) -> Self::Handle {
        self.tree.get_document()
    }

    fn get_template_contents(&self, target: &Self::Handle) -> Self::Handle {
        self.tree.get_template_contents(target)
    }

    fn remove_from_parent(&self, target: &Self::Handle) {
        self.tree.remove_from_parent(target);
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.tree.set_quirks_mode(mode);
    }
}

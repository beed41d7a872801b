//! Finds phrases that are typical of translated English.

use regex::Regex;
use std::path::Path;
use std::process::Command;

/// Patterns to avoid, and what to write instead.
const AVOIDED: [(&str, &str); 44] = [
    (
        r"\bstands? (?:in (?:a|an|the|each|its|their|no|one|two|several|some|which|front)|at|there|before|behind|above|under|around|between|nowhere|beside|side by side|together|one after)\b",
        "is, are, lies, occurs",
    ),
    (r"\b[Ww]hat stands\b", "what is"),
    (
        r"\bbehind (?:it|its|them|their|these|this one|that one|the (?:name|header|match|mark|digits|day|end|folder|one|other|model|first|last))\b",
        "after",
    ),
    (r"\bone behind the other\b", "one after the other"),
    (r"\bif (?:it is )?not said\b|\bif nothing(?: else)? is said\b", "by default"),
    (r"\bis said so\b", "is explained"),
    (r"\b(?:that|one) (?:that )?is none\b", "is not one"),
    (r"\bthat are none\b", "that are not"),
    (r"\bis said\b", "is explained, is reported"),
    (r"\b(?:cannot|could|to) be had\b", "be loaded, be found, be obtained"),
    (r"\bis found out\b", "is detected"),
    (r"\bwith (?:commas|spaces) between\b", "separated by commas"),
    (r"\bhears of\b", "is told of, gets"),
    (r"\b[Ww]hoever\b", "a reader, a client, you"),
    (r"\bhow to come from\b", "how to switch from"),
    (r"\bas people have it\b", "as people write it"),
    (r"\bare spoken to\b", "are called"),
    (r"\b(?:informations|softwares|advices|evidences)\b", "the singular"),
    (r"(?:\bit|\bthis|\bthat|\bwhat|\bwhich|\}) is no [A-Za-kn-z]", "is not a"),
    (r"\bas (?:it|they) stands?\b", "unchanged, exactly"),
    (r"\bcalled so\b", "has this name"),
    (r"\b(?:is|are) there already\b", "already exists"),
    (r"\bgiven again\b", "can be repeated"),
    (r"\b(?:sites?|servers?|models?|machines) of others\b", "third-party"),
    (r"\bhangs? together\b", "are related"),
    (r"\bsays no more\b", "gives no details"),
    (r"\bone a line\b", "one per line"),
    (r"\boutside of\b", "outside"),
    (r"\bgoes? on answering\b", "still answers"),
    (r"\bno one (?:passage|page|file)\b", "no single"),
    (r"\bnobody knows\b", "is unknown"),
    (r"\bas asked for\b", "as requested"),
    (r"\bmend(?:s|ed|ing)?\b", "fix, repair"),
    (r"\bmakes? no words\b", "is not made of words"),
    (r"\bin place of\b", "instead of"),
    (
        r"^\s*(?://[/!]?|\*|/\*\*|#) .*\b(?:colour|behaviours?|favour|neighbour(?:s|ing)?|labelled|licences?|judgements?|misspelt|towards|recognised?|normalised?)\b",
        "American English",
    ),
    (r"\b[Ww]here (?:there (?:is|are) (?:no|several|none|nothing)|none fits|nothing is known|it has none)\b", "if"),
    (r"\b(?:that|which) (?:is|are|was|were) asked for\b", "requested"),
    (r"\bsure to answer\b", "clearly answers"),
    (r"\bno page has (?:`|\{|“|the phrase|, )", "no page contains"),
    (r"\b(?:is|are) gone already\b", "has already ended, has already left"),
    (r"\bnobody wrote\b", "no document contains"),
    (r"\bby (?:its|their) place\b", "by its position, by its offset"),
    (r"^\s*//[/!]? What (?:was|is|follows|only|begins|every|the|a) [^?]* (?:is|are|was|were) [^?]*$", "the noun"),
];
/// This file contains all patterns, judged questions keep their original wording, and sample source code and stemmers are not ours.
const EXEMPT: [&str; 4] = ["tests/tests/prose.rs", "questions/", "extract/tests/languages/", "languages/stemmers/"];

#[test]
fn prose_is_english() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let listed = Command::new("git").arg("-C").arg(&root).args(["ls-files", "-z"]).output().expect("git is installed");
    assert!(listed.status.success(), "a checkout of the repository is needed");
    let avoided: Vec<_> = AVOIDED.iter().map(|(pattern, instead)| (Regex::new(pattern).unwrap(), instead)).collect();
    let mut found = Vec::new();
    let names = String::from_utf8(listed.stdout).expect("names are UTF-8");
    for name in names.split_terminator('\0').filter(|name| !EXEMPT.iter().any(|exempt| name.contains(exempt))) {
        // Other files are binary, or deleted and not committed yet.
        let Ok(text) = std::fs::read_to_string(root.join(name)) else { continue };
        for (number, line) in text.lines().enumerate() {
            for (pattern, instead) in &avoided {
                if let Some(hit) = pattern.find(line) {
                    found.push(format!("{name}:{}: \"{}\": write {instead}", number + 1, hit.as_str()));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

//! Formats the macros in BSD manual pages (mdoc). A macro is a word that describes the words after it.

/// Punctuation that follows a word without a space, and punctuation that precedes one without a space.
const CLOSING: [&str; 8] = [".", ",", ":", ";", ")", "]", "?", "!"];
const OPENING: [&str; 2] = ["(", "["];

/// Whether `name` is a macro that may occur inside a line.
pub(super) fn is_callable(name: &str) -> bool {
    matches!(
        name,
        "Ac" | "Ad"
            | "An"
            | "Ao"
            | "Ap"
            | "Aq"
            | "Ar"
            | "At"
            | "Bc"
            | "Bo"
            | "Bq"
            | "Brc"
            | "Bro"
            | "Brq"
            | "Bsx"
            | "Bx"
            | "Cd"
            | "Cm"
            | "Dc"
            | "Do"
            | "Dq"
            | "Dv"
            | "Dx"
            | "Ec"
            | "Em"
            | "En"
            | "Eo"
            | "Er"
            | "Ev"
            | "Fa"
            | "Fc"
            | "Fl"
            | "Fn"
            | "Fo"
            | "Fr"
            | "Ft"
            | "Fx"
            | "Ic"
            | "In"
            | "Lb"
            | "Li"
            | "Lk"
            | "Ms"
            | "Mt"
            | "Nm"
            | "No"
            | "Ns"
            | "Nx"
            | "Oc"
            | "Oo"
            | "Op"
            | "Ot"
            | "Ox"
            | "Pa"
            | "Pc"
            | "Pf"
            | "Po"
            | "Pq"
            | "Qc"
            | "Ql"
            | "Qo"
            | "Qq"
            | "Sc"
            | "So"
            | "Sq"
            | "St"
            | "Sx"
            | "Sy"
            | "Ta"
            | "Tn"
            | "Ux"
            | "Va"
            | "Vt"
            | "Xc"
            | "Xo"
            | "Xr"
    )
}

/// Returns the punctuation before and after the words of a macro.
fn around(name: &str) -> Option<(&'static str, &'static str)> {
    Some(match name {
        "Op" | "Bq" => ("[", "]"),
        "Aq" => ("<", ">"),
        "Brq" => ("{", "}"),
        "Pq" => ("(", ")"),
        "Dq" | "Qq" => ("“", "”"),
        "Sq" | "Ql" => ("‘", "’"),
        _ => return None,
    })
}

/// Returns the punctuation that a macro produces on its own.
fn sign(name: &str) -> Option<&'static str> {
    Some(match name {
        "Oo" | "Bo" => "[",
        "Oc" | "Bc" => "]",
        "Ao" => "<",
        "Ac" => ">",
        "Bro" => "{",
        "Brc" => "}",
        "Po" => "(",
        "Pc" => ")",
        "Do" | "Qo" => "“",
        "Dc" | "Qc" => "”",
        "So" => "‘",
        "Sc" => "’",
        _ => return None,
    })
}

/// Returns the text of the line with `words`, whose first word is a macro. `name` is the manual page's name.
/// `is_spaced` says whether there are spaces between words.
pub(super) fn text(words: &[String], name: &str, is_spaced: bool) -> String {
    let mut line = Line { is_spaced, ..Line::default() };
    // Punctuation at the end is outside the brackets and quotation marks of macros.
    let signs = words.iter().skip(1).rev().take_while(|word| CLOSING.contains(&word.as_str())).count();
    let (words, signs) = words.split_at(words.len() - signs);
    line.words(words, name);
    signs.iter().for_each(|sign| line.push(sign));
    line.text
}

#[derive(Debug, Default)]
struct Line {
    text: String,
    is_spaced: bool,
    /// Whether the next word follows without a space.
    joins: bool,
}

impl Line {
    fn push(&mut self, word: &str) {
        let closes = CLOSING.contains(&word);
        let space = self.is_spaced
            && !self.joins
            && !closes
            && !self.text.is_empty()
            && !self.text.ends_with([' ', '[', '(', '<', '{', '“', '‘']);
        if space {
            self.text.push(' ');
        }
        self.text.push_str(word);
        self.joins = OPENING.contains(&word);
    }

    fn words(&mut self, words: &[String], name: &str) {
        let mut closing: Vec<&str> = Vec::new();
        let mut at = 0;
        while let Some(word) = words.get(at).map(String::as_str) {
            at += 1;
            if !is_callable(word) {
                self.push(word);
                continue;
            }
            // The words up to the next macro belong to this macro.
            let length = words.iter().skip(at).take_while(|word| !is_callable(word)).count();
            let own = words.get(at..at + length).unwrap_or_default();
            if let Some((open, close)) = around(word) {
                self.push(open);
                self.joins = true;
                closing.push(close);
                continue;
            }
            if let Some(sign) = sign(word) {
                let opens = word.ends_with('o');
                self.joins |= !opens;
                self.push(sign);
                self.joins = opens;
                continue;
            }
            match word {
                "Ns" | "Ap" => {
                    self.joins = true;
                    if word == "Ap" {
                        self.push("'");
                        self.joins = true;
                    }
                }
                "Pf" => {
                    self.own(own.get(..1).unwrap_or_default());
                    self.joins = true;
                    self.own(own.get(1..).unwrap_or_default());
                    at += length;
                }
                "Fl" => {
                    if own.first().is_none_or(|first| CLOSING.contains(&first.as_str())) {
                        self.push("-");
                        // The dash belongs to the next macro, as in `Fl Fl all`.
                        self.joins = words.get(at).is_some_and(|next| next == "Fl");
                    }
                    for own in own {
                        if CLOSING.contains(&own.as_str()) || own == "|" {
                            self.push(own);
                        } else {
                            self.push(&format!("-{own}"));
                        }
                    }
                    at += length;
                }
                "Nm" if own.first().is_none_or(|first| CLOSING.contains(&first.as_str())) => self.push(name),
                "Ar" if own.is_empty() => self.push("file ..."),
                "Xr" => {
                    let mut own = own.iter().map(String::as_str);
                    match (own.next(), own.next()) {
                        (Some(page), Some(section)) if !CLOSING.contains(&section) => {
                            self.push(&format!("{page}({section})"));
                        }
                        (Some(page), sign) => {
                            self.push(page);
                            sign.into_iter().for_each(|sign| self.push(sign));
                        }
                        _ => {}
                    }
                    own.for_each(|word| self.push(word));
                    at += length;
                }
                "Fn" => {
                    let mut own = own.iter().map(String::as_str);
                    let function = own.next().unwrap_or_default();
                    let (arguments, signs): (Vec<&str>, Vec<&str>) = own.partition(|word| !CLOSING.contains(word));
                    self.push(&format!("{function}({})", arguments.join(", ")));
                    signs.into_iter().for_each(|sign| self.push(sign));
                    at += length;
                }
                "In" => {
                    self.push(&format!("#include <{}>", own.first().map_or("", String::as_str)));
                    at += length;
                }
                "Bx" | "Fx" | "Nx" | "Ox" | "Dx" | "Bsx" | "Ux" | "At" => self.push(match word {
                    "Bx" => "BSD",
                    "Fx" => "FreeBSD",
                    "Nx" => "NetBSD",
                    "Ox" => "OpenBSD",
                    "Dx" => "DragonFly",
                    "Bsx" => "BSD/OS",
                    "At" => "AT&T UNIX",
                    _ => "UNIX",
                }),
                _ => {}
            }
        }
        closing.iter().rev().for_each(|close| self.text.push_str(close));
    }

    fn own(&mut self, words: &[String]) {
        for word in words {
            self.push(word);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::arguments::arguments;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_are_as_a_manual_shows_them() {
        for (source, shown) in [
            ("Nm", "cat"),
            ("Op Fl benstuv", "[-benstuv]"),
            ("Op Ar", "[file ...]"),
            ("Op Fl o Ar file ,", "[-o file],"),
            ("Fl Fl all Ns = Ns Ar when", "--all=when"),
            ("Xr ls 1 ,", "ls(1),"),
            ("Fn open \"const char *path\" \"int flags\" .", "open(const char *path, int flags)."),
            ("Dq quoted text .", "“quoted text”."),
            ("Pq Em see Xr sh 1", "(see sh(1))"),
            ("Oo Fl a Oc", "[-a]"),
            ("In sys/types.h", "#include <sys/types.h>"),
        ] {
            assert_eq!(text(&arguments(source), "cat", true), shown, "{source}");
        }
    }

    proptest! {
        #[test]
        fn any_words_are_some_text(words in prop::collection::vec("Op|Fl|Ns|Nm|Xr|Fn|Pf|Oo|Oc|Dq|a|\\.|,|é", 0..10)) {
            let _ = text(&words, "x", true);
        }
    }
}

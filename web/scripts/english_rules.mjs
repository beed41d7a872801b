// The rules of English linters that the project turns off, each with the reason.

/** Rules of Harper. */
export const GRAMMAR = {
  SentenceCapitalization: "Cells of tables and items of lists are phrases, and “nearfind” is written in lower case.",
  UseTitleCase: "Headings are sentences.",
  OxfordComma: "Lists have no comma before “and”.",
  Spaces: "Numbers below one are written as .5.",
  ExpandMemoryShorthands: "Tables and limits are easier to read with KB and MB.",
  ExpandTimeShorthands: "Tables and limits are easier to read with ms.",
  ExpandMinimum: "“min” is a unit in tables.",
  ExpandControl: "<kbd>Ctrl</kbd> is the label of a key.",
  ExpandConfiguration: "It reports file names (`app.config.js`) and the names of arguments (<CONFIG>).",
  QuantifierNumeralConflict: "“some 40” means “about 40”.",
  CompoundNouns: "The style guides of Google and Microsoft have “file name” and “lower case” in two words.",
  SplitWords: "It splits names and terms that SpellCheck already reports: rust up, trig rams.",
  Dashes: "It reports options of the command line.",
  OrthographicConsistency: "It changes names: RoBERTa, Javadoc, MyST.",
  DisjointPrefixes: "“re-exports” is what Rust and JavaScript call them.",
  PhrasalVerbAsCompoundNoun: "“becomes markup” is right.",
  NumericRangeEnDash: "`a.py:12-40` is an argument that people type.",
  EllipsisLength: "“..” is a folder.",
  DiscourseMarkers: "Short sentences need no comma after “Otherwise”.",
  MissingTo: "It takes “needs” and “needed” for verbs that lack an infinitive.",
  SingleBe: "It reports “the file as it was is kept” and “std’s is twice as large”.",
  Overall: "“over all pages” is right.",
  OutOfDate: "“none is ever out of date” is right.",
  RoadMap: "“Roadmap” is one word in software.",
  MergeWords: "It joins units and letters: “3.6 s on 2 cores”.",
};

export const WORDINESS = {
  /** Checks of write-good. */
  checks: {
    passive: "A reference often has no actor to name: “each block is checked as it arrives”.",
    weasel: "“several” and “many” are right if the number depends on the reader’s files.",
    so: "“So” at the start of a sentence names a consequence.",
    thereIs: "“There is no index here” is the shortest way to say that something is missing.",
    illusion: "Harper finds repeated words too, and knows the columns of tables.",
  },
  /** Words that write-good finds wordy or weak. */
  words: {
    only: "It states limits and conditions.",
    many: "See “weasel” above.",
    exactly: "It states that nothing else happens.",
    early: "“ends early” is about bytes.",
    badly: "“fit badly” is a rank.",
    hardly: "“hardly a word” is a small part.",
    mostly: "“mostly known” is a large part.",
    slowly: "It compares speeds.",
    quarterly: "A quarterly report.",
    "it is": "“it” is nearly always the noun just named. The check is about “it is … that”.",
    "it was": "As “it is”.",
    "all of": "“all of it” needs both words. Harper reports “all of the”.",
    "a number of": "The number is what the sentence is about.",
    however: "“however it is written” means “in any way”.",
    things: "“where things are” is plain English.",
    just: "It is a program: `just check`.",
    multiple: "A multiple of eight.",
    maximum: "A column of a table.",
    allocate: "Programs allocate memory.",
    objective: "Objective-C.",
  },
};

/** Rules of retext-equality, by the name that it reports. */
export const CONSIDERATE = {
  "host-hostess": "A host is a server.",
  "hostesses-hosts": "A host is a server.",
  "gals-man": "`nearfind man` prints a manual page.",
  just: "It is a program: `just check`.",
  hang: "A server that stops answering hangs.",
};

/** Rules that one page breaks on purpose. */
export const OF_PAGES = {
  "core/FORMAT.md": {
    LongSentences: "A sentence lists the fields of one record in the order of its bytes.",
    AnA: "`f32` is read “an eff…”, and “A” is a number.",
  },
  "native-indexer/ERRORS.md": {
    UnclosedQuotes: 'Messages quote settings: `kind="docs"`.',
  },
};

/** Single findings: the rule, words of the passage, and the reason. */
export const ACCEPTED = [
  { rule: "MissingPreposition", text: "Similarities are exact integers", why: "“are” is followed by a noun." },
  { rule: "ToTwoToo", text: "halves to even", why: "Halves are rounded to even numbers." },
  { rule: "LongSentences", text: "Bash, C, C++", why: "A list of languages." },
  { rule: "LongSentences", text: "Arabic, Armenian, Basque", why: "A list of languages." },
  { rule: "LongSentences", text: "text in reading order, columns", why: "A list of what is read of a PDF." },
  { rule: "LongSentences", text: "computed values, dates, merged cells", why: "A list of what is read of a spreadsheet." },
  { rule: "ItsContraction", text: "its commit has", why: "“commit” is a noun." },
  { rule: "MassNouns", text: "a relevance from 0 to 1", why: "A relevance is a number here." },
  { rule: "BuiltIn", text: "in built sites", why: "Sites that were built." },
  { rule: "retext-equality", text: "invalid setting from outside", why: "A setting that is not valid." },
  { rule: "PronounVerbAgreement", text: "Ctrl-I opens", why: "“I” is a key." },
  { rule: "AnA", text: "an https address", why: "“https” is read letter by letter." },
];

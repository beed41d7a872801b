//! Groups of a file that are no text of it, or text of another kind.

/// Where the text of a group goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Destination {
    /// Into the document.
    #[default]
    Body,
    /// Nowhere.
    Nowhere,
    /// It names fonts.
    Fonts,
    /// It names styles.
    Styles,
    /// It is the document's title.
    Title,
    /// It is the number of an item of a list, or its bullet.
    ListMark,
    /// Below the paragraph.
    Note,
    /// It says when the document was changed.
    Changed,
    /// It says what the document is.
    Info,
    /// It has its text twice: in a code page, which is left out, and in Unicode.
    Twice,
    /// It is such a text in Unicode, which goes where the group around both goes.
    Unicode,
}

/// Where the text of a group goes that begins with the control word `name`; `None` if it is not such a word.
pub(super) fn destination(name: &str) -> Option<Destination> {
    Some(match name {
        "fonttbl" => Destination::Fonts,
        "stylesheet" => Destination::Styles,
        "info" => Destination::Info,
        "upr" => Destination::Twice,
        "ud" => Destination::Unicode,
        "title" => Destination::Title,
        "revtim" => Destination::Changed,
        "listtext" | "pntext" => Destination::ListMark,
        "footnote" | "annotation" => Destination::Note,
        // Text boxes are inside instructions, and a field's result is its text.
        "shpinst" | "shptxt" | "fldrslt" => Destination::Body,
        "annotationref" | "atnauthor" | "atnid" | "atndate" | "author" | "background" | "bkmkend" | "bkmkstart"
        | "colortbl" | "colorschememapping" | "comment" | "creatim" | "datastore" | "do" | "docvar" | "falt"
        | "fldinst" | "filetbl" | "footer" | "footerf" | "footerl" | "footerr" | "formfield" | "ftncn" | "ftnsep"
        | "ftnsepc" | "generator" | "header" | "headerf" | "headerl" | "headerr" | "keywords" | "latentstyles"
        | "listoverridetable" | "listtable" | "nonesttables" | "nonshppict" | "objdata" | "objclass" | "object"
        | "operator" | "panose" | "pict" | "pnseclvl" | "printim" | "private" | "revtbl" | "rsidtbl" | "shppict"
        | "sn" | "sp" | "sv" | "subject" | "tc" | "themedata" | "txe" | "userprops" | "xe" | "xmlnstbl" | "buptim"
        | "company" | "category" | "manager" | "doccomm" | "hlinkbase" => Destination::Nowhere,
        _ => return None,
    })
}

/// The text that a control word stands for.
pub(super) fn text_of(name: &str) -> Option<&'static str> {
    Some(match name {
        "tab" => "\t",
        "emdash" => "—",
        "endash" => "–",
        "lquote" => "‘",
        "rquote" => "’",
        "ldblquote" => "“",
        "rdblquote" => "”",
        "bullet" => "•",
        "line" | "softline" | "emspace" | "enspace" | "qmspace" | "column" => " ",
        _ => return None,
    })
}

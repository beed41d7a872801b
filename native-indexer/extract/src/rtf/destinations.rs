//! Determines the destinations of groups. The text of some groups is not shown, or is metadata.

/// The destination of a group's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Destination {
    /// The text of the document.
    #[default]
    Body,
    /// Text that is not shown.
    Nowhere,
    /// The table of fonts.
    Fonts,
    /// The table of styles.
    Styles,
    /// The title of the document.
    Title,
    /// The number or the bullet of an item.
    ListMark,
    /// A note, which is written below its paragraph.
    Note,
    /// The date of the document's last change.
    Changed,
    /// The metadata of the document.
    Info,
    /// A group that contains the same text twice: in a code page, which is left out, and in Unicode.
    Twice,
    /// The Unicode text in such a group. It goes to the destination of the surrounding group.
    Unicode,
}

/// Returns the destination of a group that begins with the control word `name`, or `None` if the word does not
/// determine one.
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
        // Text boxes are inside instructions for shapes. The result of a field is its text.
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

/// Returns the text for a control word.
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

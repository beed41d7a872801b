//! Interprets anchors.

/// Returns the lines of an anchor in source code: `L12-L34` or `L12`.
pub(crate) fn lines_of(anchor: &str) -> Option<(usize, usize)> {
    let (first, last) = anchor.split_once('-').unwrap_or((anchor, anchor));
    let number = |line: &str| line.trim_start_matches(['L', 'l']).parse().ok();
    Some((number(first)?, number(last)?)).filter(|_| anchor.starts_with(['L', 'l']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_of_source_code_are_lines() {
        assert_eq!(lines_of("L12-L34"), Some((12, 34)));
        assert_eq!(lines_of("l7"), Some((7, 7)));
        assert_eq!([lines_of("page=3"), lines_of("Lists"), lines_of("")], [None; 3]);
    }
}

use serde::Serialize;

/// How vectors are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum VectorMethod {
    /// Documents by their own codes, then the coarse codes of the chunks of the promising ones: what a page can fetch.
    Cells,
    /// Every row is compared: exact.
    Scan,
    /// The graph is walked: approximate, and cheaper for large bundles.
    Walk,
}

/// Rows that a walk compares for each row that it keeps. Measured by `cargo bench -p nearfind-tests`.
const WALK_ROWS_PER_KEPT: usize = 12;
/// Cost of comparing a row during a walk, in rows of a scan: random access, heaps, the visited list. The benchmark gives
/// 2 to 3 natively; in WASM, where a scan has the better of it, about 4 was measured. One number for all hosts.
const WALK_ROW_COST: usize = 4;

/// The cheaper method for the `kept` nearest of `rows`, where all of them are at hand.
///
/// A scan costs `rows`; a walk about `kept * WALK_ROWS_PER_KEPT * WALK_ROW_COST`, whatever the bundle's size. Hosts do
/// not matter: native and WASM decide alike, so that they rank alike.
pub const fn choose_method(rows: usize, kept: usize) -> VectorMethod {
    if rows > kept * WALK_ROWS_PER_KEPT * WALK_ROW_COST { VectorMethod::Walk } else { VectorMethod::Scan }
}

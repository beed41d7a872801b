use serde::Serialize;

/// The method of searching vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum VectorMethod {
    /// Compares documents by their own codes, then the chunks of the promising ones by coarse codes, which a page can
    /// fetch.
    Cells,
    /// Compares every row. The result is exact.
    Scan,
    /// Walks the graph. The result is approximate, and cheaper for large bundles.
    Walk,
}

/// Number of rows that a walk compares for each row that it keeps, measured by `cargo bench -p nearfind-tests`.
const WALK_ROWS_PER_KEPT: usize = 12;
/// The cost of comparing a row during a walk, in rows of a scan. It is higher because of random access, heaps, and the
/// list of visited rows. The benchmark measures 2 to 3 natively. In WASM, where scans have an advantage, about 4 was
/// measured. The same number is used for all hosts.
const WALK_ROW_COST: usize = 4;

/// Returns the cheaper method for finding the `kept` nearest of `rows` rows, if the host has all of them.
///
/// A scan costs `rows`. A walk costs about `kept * WALK_ROWS_PER_KEPT * WALK_ROW_COST`, whatever the size of the
/// bundle. Native code and WASM make the same choice, so that they rank alike.
pub const fn choose_method(rows: usize, kept: usize) -> VectorMethod {
    if rows > kept * WALK_ROWS_PER_KEPT * WALK_ROW_COST { VectorMethod::Walk } else { VectorMethod::Scan }
}

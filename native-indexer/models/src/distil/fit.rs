//! Sparse ridge regression toward a prior, by conjugate gradients: minimize Σ |xᵢE − yᵢ|² + λ|E − E₀|², where xᵢ holds
//! the counts of a text's pieces over the root of their number. Columns of E are independent, so all cores solve a few
//! at a time, and the result does not depend on the number of cores.

use rayon::prelude::*;

/// Strength of the pull toward the prior, λ.
const RIDGE: f32 = 0.3;
/// Number of conjugate gradient steps. Further steps change the table by less than its four bits can express.
const STEPS: usize = 40;
/// Number of columns to solve side by side, in vector registers.
const COLUMNS: usize = 16;

/// Texts as rows of piece weights.
#[derive(Clone, Debug)]
pub(super) struct SparseRows {
    starts: Vec<usize>,
    entries: Vec<(u32, f32)>,
    columns: usize,
}

impl SparseRows {
    /// Creates the matrix from rows of piece numbers below `columns`. A piece that occurs twice counts twice.
    pub(super) fn of(texts: impl Iterator<Item = Vec<u32>>, columns: usize) -> Self {
        let mut rows = Self { starts: vec![0], entries: Vec::new(), columns };
        for pieces in texts {
            let weight = 1.0 / (pieces.len().max(1) as f32).sqrt();
            rows.entries.extend(pieces.into_iter().map(|piece| (piece, weight)));
            rows.starts.push(rows.entries.len());
        }
        rows
    }

    /// Renumbers the pieces in these texts without gaps, and returns their old numbers. A small corpus contains only a
    /// few pieces of a vocabulary, and the others stay at their prior.
    fn with_its_pieces_alone(&self) -> (Self, Vec<u32>) {
        let mut new_numbers = vec![None; self.columns];
        self.entries.iter().for_each(|&(piece, _)| new_numbers[piece as usize] = Some(0));
        let mut pieces = Vec::new();
        for (piece, new) in (0..).zip(&mut new_numbers) {
            if new.is_some() {
                *new = Some(pieces.len() as u32);
                pieces.push(piece);
            }
        }
        let entries = self.entries.iter().map(|&(piece, weight)| (new_numbers[piece as usize].unwrap_or(0), weight));
        (Self { starts: self.starts.clone(), entries: entries.collect(), columns: pieces.len() }, pieces)
    }

    fn rows(&self) -> impl Iterator<Item = &[(u32, f32)]> {
        self.starts.windows(2).map(|ends| &self.entries[ends[0]..ends[1]])
    }

    /// Returns XᵀX v + λ v.
    fn normal(&self, v: &[[f32; COLUMNS]]) -> Vec<[f32; COLUMNS]> {
        let mut out: Vec<[f32; COLUMNS]> = v.iter().map(|row| row.map(|x| x * RIDGE)).collect();
        for row in self.rows() {
            let sum = weighted_sum(row, v);
            add_to(row, &sum, &mut out);
        }
        out
    }
}

fn weighted_sum(row: &[(u32, f32)], v: &[[f32; COLUMNS]]) -> [f32; COLUMNS] {
    let mut sum = [0.0; COLUMNS];
    for &(piece, weight) in row {
        let values = &v[piece as usize];
        for lane in 0..COLUMNS {
            sum[lane] += values[lane] * weight;
        }
    }
    sum
}

fn add_to(row: &[(u32, f32)], values: &[f32; COLUMNS], out: &mut [[f32; COLUMNS]]) {
    for &(piece, weight) in row {
        let target = &mut out[piece as usize];
        for lane in 0..COLUMNS {
            target[lane] += values[lane] * weight;
        }
    }
}

/// Fits the table to the target of each text and the prior of each piece. The table has a row of `near` components for
/// each piece.
pub(super) fn fit(texts: &SparseRows, targets: &[f32], prior: &[f32], near: usize) -> Vec<f32> {
    let mut table = prior.to_vec();
    let (texts, pieces) = texts.with_its_pieces_alone();
    let row_of = |piece: u32| piece as usize * near..(piece as usize + 1) * near;
    let prior: Vec<f32> = pieces.iter().flat_map(|&piece| &prior[row_of(piece)]).copied().collect();
    let panels: Vec<usize> = (0..near).step_by(COLUMNS).collect();
    let solved: Vec<Vec<[f32; COLUMNS]>> =
        panels.par_iter().map(|&from| solve(&texts, targets, &prior, near, from)).collect();
    for (from, panel) in panels.into_iter().zip(solved) {
        let width = COLUMNS.min(near - from);
        for (&piece, found) in pieces.iter().zip(panel) {
            let row = &mut table[row_of(piece)];
            row[from..from + width].iter_mut().zip(found).for_each(|(value, change)| *value += change);
        }
    }
    table
}

/// Returns the difference from the prior for the columns from `from` on.
fn solve(texts: &SparseRows, targets: &[f32], prior: &[f32], near: usize, from: usize) -> Vec<[f32; COLUMNS]> {
    let panel = |values: &[f32], row: usize| {
        let mut out = [0.0; COLUMNS];
        let row = &values[row * near..(row + 1) * near];
        row[from..(from + COLUMNS).min(near)].iter().zip(&mut out).for_each(|(value, out)| *out = *value);
        out
    };
    let start: Vec<[f32; COLUMNS]> = (0..texts.columns).map(|piece| panel(prior, piece)).collect();
    let mut residual = vec![[0.0; COLUMNS]; texts.columns];
    for (number, row) in texts.rows().enumerate() {
        let (predicted, target) = (weighted_sum(row, &start), panel(targets, number));
        let missing = std::array::from_fn(|lane| target[lane] - predicted[lane]);
        add_to(row, &missing, &mut residual);
    }
    let mut solution = vec![[0.0; COLUMNS]; texts.columns];
    let mut direction = residual.clone();
    let mut norm = dot(&residual, &residual);
    for _ in 0..STEPS {
        let image = texts.normal(&direction);
        let along = dot(&direction, &image);
        let step: [f32; COLUMNS] = std::array::from_fn(|lane| ratio(norm[lane], along[lane]));
        for piece in 0..texts.columns {
            for lane in 0..COLUMNS {
                solution[piece][lane] += step[lane] * direction[piece][lane];
                residual[piece][lane] -= step[lane] * image[piece][lane];
            }
        }
        let next = dot(&residual, &residual);
        let keep: [f32; COLUMNS] = std::array::from_fn(|lane| ratio(next[lane], norm[lane]));
        for (direction, residual) in direction.iter_mut().zip(&residual) {
            for lane in 0..COLUMNS {
                direction[lane] = residual[lane] + keep[lane] * direction[lane];
            }
        }
        norm = next;
    }
    solution
}

fn ratio(a: f64, b: f64) -> f32 {
    if b > 1e-30 { (a / b) as f32 } else { 0.0 }
}

fn dot(a: &[[f32; COLUMNS]], b: &[[f32; COLUMNS]]) -> [f64; COLUMNS] {
    let mut sums = [0.0; COLUMNS];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..COLUMNS {
            sums[lane] += f64::from(a[lane]) * f64::from(b[lane]);
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Solves the normal equations by Gaussian elimination, one column at a time.
    fn naive(texts: &[Vec<u32>], targets: &[f32], prior: &[f32], near: usize, pieces: usize) -> Vec<f64> {
        let mut x = vec![vec![0.0f64; pieces]; texts.len()];
        for (row, text) in x.iter_mut().zip(texts) {
            text.iter().for_each(|&piece| row[piece as usize] += 1.0 / (text.len() as f64).sqrt());
        }
        let mut table = vec![0.0; pieces * near];
        for d in 0..near {
            let mut system = vec![vec![0.0f64; pieces + 1]; pieces];
            for a in 0..pieces {
                for b in 0..pieces {
                    system[a][b] = x.iter().map(|row| row[a] * row[b]).sum::<f64>();
                }
                system[a][a] += f64::from(RIDGE);
                system[a][pieces] =
                    x.iter().zip(0..).map(|(row, text)| row[a] * f64::from(targets[text * near + d])).sum::<f64>()
                        + f64::from(RIDGE) * f64::from(prior[a * near + d]);
            }
            for a in 0..pieces {
                let pivot = system[a].clone();
                for (_, row) in system.iter_mut().enumerate().filter(|(b, _)| *b != a) {
                    let factor = row[a] / pivot[a];
                    row.iter_mut().zip(&pivot).for_each(|(value, pivot)| *value -= factor * pivot);
                }
            }
            for a in 0..pieces {
                table[a * near + d] = system[a][pieces] / system[a][a];
            }
        }
        table
    }

    proptest! {
        #[test]
        fn the_table_solves_the_normal_equations(
            texts in prop::collection::vec(prop::collection::vec(0u32..6, 1..5), 1..12),
            seed in any::<u64>(),
        ) {
            const NEAR: usize = 18;
            // Some pieces are in no text: the last pieces always, and others by chance.
            const PIECES: usize = 8;
            let mut random = fastrand::Rng::with_seed(seed);
            let targets: Vec<f32> = (0..texts.len() * NEAR).map(|_| random.f32() - 0.5).collect();
            let prior: Vec<f32> = (0..PIECES * NEAR).map(|_| random.f32() - 0.5).collect();
            let table = fit(&SparseRows::of(texts.iter().cloned(), PIECES), &targets, &prior, NEAR);
            let exact = naive(&texts, &targets, &prior, NEAR, PIECES);
            prop_assert_eq!(&table[6 * NEAR..], &prior[6 * NEAR..]);
            for (found, exact) in table.iter().zip(exact) {
                prop_assert!((f64::from(*found) - exact).abs() < 1e-3, "{found} {exact}");
            }
        }
    }
}

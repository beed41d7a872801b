//! Scales vectors to unit length.

/// Scales a vector to length 1, unless its length is 0.
pub(super) fn normalize(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|x| *x /= length);
    }
}

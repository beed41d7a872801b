//! Recognizes a provider's model by its vector for one text, the probe. A name proves little, and a hash of the vector
//! proves nothing, because servers do not return the same bits twice.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use nearfind_core::vector::floats::dot;

/// The constant text.
pub(super) const PROBE: &str = "nearfind: a search that understands what people mean";
/// Cosine above which two vectors for the text come from the same model.
const SAME_MODEL: f32 = 0.98;
/// Number of components that a bundle stores.
const KEPT: usize = 64;

/// Whether two vectors for the probe come from the same model.
pub fn is_same_model(a: &[f32], b: &[f32]) -> bool {
    let length = |x: &[f32]| dot(x, x).sqrt().max(f32::MIN_POSITIVE);
    a.len() == b.len() && dot(a, b) / (length(a) * length(b)) >= SAME_MODEL
}

/// Returns the mark that a bundle stores: the first components of the probe's vector with eight bits, scaled so that
/// the largest is 127, in Base64.
pub fn probe_mark(probe: &[f32]) -> String {
    let kept = &probe[..KEPT.min(probe.len())];
    let largest = kept.iter().fold(f32::MIN_POSITIVE, |largest, value| largest.max(value.abs()));
    let bytes: Vec<u8> = kept.iter().map(|value| (value / largest * 127.0).round() as i8 as u8).collect();
    BASE64.encode(bytes)
}

/// Whether `mark` belongs to the model that returned `probe`.
pub(super) fn is_marked(probe: &[f32], mark: &str) -> bool {
    let bytes = BASE64.decode(mark).unwrap_or_default();
    let marked: Vec<f32> = bytes.iter().map(|&byte| f32::from(byte as i8)).collect();
    !marked.is_empty() && is_same_model(&probe[..KEPT.min(probe.len())], &marked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_known_again_in_spite_of_noise_and_no_other_one() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut vector = || (0..300).map(|_| random.f32() - 0.5).collect::<Vec<f32>>();
        let (probe, other) = (vector(), vector());
        let noisy: Vec<f32> = probe.iter().zip(vector()).map(|(value, noise)| value + noise * 0.02).collect();
        let mark = probe_mark(&probe);
        assert!(is_marked(&noisy, &mark) && is_same_model(&noisy, &probe));
        assert!(!is_marked(&other, &mark) && !is_same_model(&other, &probe));
        assert!(!is_marked(&probe, "") && !is_marked(&probe, "#") && !is_marked(&probe[..32], &mark));
    }
}

//! Provider keys. They come only from the environment, and are sent only in the header of a request.

use anyhow::{Context as _, Result, ensure};

/// Text that replaces a key in messages.
const HIDDEN: &str = "[key]";
/// Minimum length of a text that is replaced. A shorter text could be an ordinary word.
const MIN_KEY_BYTES: usize = 8;

/// A key, which is never shown.
#[derive(Clone)]
pub(super) struct Key(String);

impl std::fmt::Debug for Key {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(HIDDEN)
    }
}

impl Key {
    /// Returns the value of the variable `named`, which must be set. Without a name, returns the value of the first
    /// variable in `usual` that is set, if there is one.
    pub(super) fn of_environment(named: Option<&str>, usual: &[&str]) -> Result<Option<Self>> {
        let value = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        let found = match named {
            Some(name) => {
                Some((name, value(name).with_context(|| format!("{name}, which should contain a key, is not set"))?))
            }
            None => usual.iter().find_map(|name| Some((*name, value(name)?))),
        };
        found.map(|(name, value)| Self::new(name, value.trim())).transpose()
    }

    fn new(name: &str, value: &str) -> Result<Self> {
        ensure!(
            value.len() >= MIN_KEY_BYTES && value.bytes().all(|byte| byte.is_ascii_graphic()),
            "{name} contains no key: a key has at least {MIN_KEY_BYTES} letters, digits and symbols, and no spaces"
        );
        Ok(Self(value.to_owned()))
    }

    /// Returns the value of an `Authorization` header.
    pub(super) fn bearer(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// Returns the value of a header that contains only the key.
    pub(super) fn value(&self) -> &str {
        &self.0
    }

    /// Returns `text` without the key. Servers repeat a key that they refuse, either in full or only its beginning and
    /// end.
    pub(super) fn hidden_in(&self, text: &str) -> String {
        let mut text = text.replace(&self.0, HIDDEN);
        for part in [&self.0[..MIN_KEY_BYTES], &self.0[self.0.len() - MIN_KEY_BYTES..]] {
            text = text.replace(part, HIDDEN);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_shown_nowhere() {
        let key = Key::new("X", "sk-0123456789abcdef").unwrap();
        let said = "Incorrect key sk-0123456789abcdef; sk-01234…; …89abcdef";
        assert_eq!(key.hidden_in(said), "Incorrect key [key]; [key]…; …[key]");
        assert_eq!(format!("{key:?}"), "[key]");
        assert!(Key::new("X", "a b c d e f g").is_err() && Key::new("X", "short").is_err());
    }
}

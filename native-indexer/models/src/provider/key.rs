//! Keys of providers. They come only from the environment, and go only into the header of a request.

use anyhow::{Context as _, Result, ensure};

/// What is shown in place of a key.
const HIDDEN: &str = "[key]";
/// A shorter one could be a word of any message.
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
    /// The value of the variable `named`, which must be set; else of the first of `usual` that is set, if any is.
    pub(super) fn of_environment(named: Option<&str>, usual: &[&str]) -> Result<Option<Self>> {
        let value = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        let found = match named {
            Some(name) => Some((name, value(name).with_context(|| format!("{name} is to hold a key and is not set"))?)),
            None => usual.iter().find_map(|name| Some((*name, value(name)?))),
        };
        found.map(|(name, value)| Self::new(name, value.trim())).transpose()
    }

    fn new(name: &str, value: &str) -> Result<Self> {
        ensure!(
            value.len() >= MIN_KEY_BYTES && value.bytes().all(|byte| byte.is_ascii_graphic()),
            "{name} holds no key: at least {MIN_KEY_BYTES} letters, digits and signs, without spaces"
        );
        Ok(Self(value.to_owned()))
    }

    /// As the header `Authorization` has it.
    pub(super) fn bearer(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// As a header of its own has it.
    pub(super) fn value(&self) -> &str {
        &self.0
    }

    /// `text` without the key: servers repeat what they refuse, whole or by its beginning and its end.
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

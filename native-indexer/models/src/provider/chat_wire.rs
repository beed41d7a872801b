//! Requests to language models and their responses, by protocol.

use super::language_settings::LanguageKind;
use anyhow::{Result, bail, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};

/// Maximum number of tokens in a response, for protocols that require a limit.
const ANSWER_TOKENS: u32 = 4096;

impl LanguageKind {
    /// Returns the path of requests, relative to the base address.
    pub(super) const fn path(self) -> &'static str {
        match self {
            Self::OpenAi => "chat/completions",
            Self::Ollama => "api/chat",
            Self::Anthropic => "v1/messages",
        }
    }

    /// Returns the headers of every request.
    pub(super) const fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::OpenAi | Self::Ollama => &[],
            Self::Anthropic => &[("anthropic-version", "2023-06-01")],
        }
    }

    /// Returns the body of a request: the task, and the material for it.
    pub(super) fn request(self, model: &str, task: &str, material: &str) -> Value {
        self.request_of(model, task, &json!({"role": "user", "content": material}))
    }

    /// Returns the body of a request: the task, and a picture as a file of this media type.
    pub(super) fn request_with_picture(self, model: &str, task: &str, media_type: &str, picture: &[u8]) -> Value {
        let data = STANDARD.encode(picture);
        let user = match self {
            Self::OpenAi => {
                let url = format!("data:{media_type};base64,{data}");
                json!({"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]})
            }
            Self::Ollama => json!({"role": "user", "content": "", "images": [data]}),
            Self::Anthropic => {
                let source = json!({"type": "base64", "media_type": media_type, "data": data});
                json!({"role": "user", "content": [{"type": "image", "source": source}]})
            }
        };
        self.request_of(model, task, &user)
    }

    fn request_of(self, model: &str, task: &str, user: &Value) -> Value {
        match self {
            // No limit is set, because servers and models disagree on its name.
            Self::OpenAi => json!({"model": model, "messages": [{"role": "system", "content": task}, user]}),
            Self::Ollama => {
                json!({"model": model, "stream": false, "messages": [{"role": "system", "content": task}, user]})
            }
            Self::Anthropic => {
                json!({"model": model, "max_tokens": ANSWER_TOKENS, "system": task, "messages": [user]})
            }
        }
    }
}

/// A response in any protocol.
#[derive(Deserialize)]
struct Answer {
    /// OpenAI's form.
    #[serde(default)]
    choices: Vec<Choice>,
    /// Ollama's form.
    message: Option<Message>,
    /// Anthropic's form.
    #[serde(default)]
    content: Vec<Block>,
    /// Why Anthropic's model stopped.
    stop_reason: Option<String>,
    /// Why Ollama's model stopped.
    done_reason: Option<String>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    content: Option<String>,
}

#[derive(Deserialize)]
struct Block {
    text: Option<String>,
}

/// The text in a response.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub text: String,
    /// Whether the model stopped because of a limit on the length.
    pub is_cut: bool,
}

/// Returns the text in a response, which must not be empty.
pub(super) fn text(answer: &[u8]) -> Result<String> {
    let text = written(answer)?.text;
    ensure!(!text.trim().is_empty(), "the language model returned no answer");
    Ok(text)
}

/// Returns the text in a response, which may be empty.
pub(super) fn written(answer: &[u8]) -> Result<Written> {
    let Ok(answer) = serde_json::from_slice::<Answer>(answer) else {
        bail!("this is not a response from a language model: check provider and base_url")
    };
    let choice = answer.choices.into_iter().next();
    let reasons =
        [choice.as_ref().and_then(|choice| choice.finish_reason.clone()), answer.stop_reason, answer.done_reason];
    let is_cut = reasons.iter().flatten().any(|reason| matches!(reason.as_str(), "length" | "max_tokens"));
    let message = choice.map(|choice| choice.message).or(answer.message);
    let blocks: String = answer.content.into_iter().filter_map(|block| block.text).collect();
    Ok(Written { text: message.and_then(|message| message.content).unwrap_or(blocks), is_cut })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_protocol_has_its_text() {
        for answer in [
            json!({"object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant", "content": "yes"}, "finish_reason": "stop"}]}),
            json!({"model": "m", "message": {"role": "assistant", "content": "yes"}, "done": true}),
            json!({"type": "message", "content": [{"type": "thinking", "thinking": "no"}, {"type": "text", "text": "yes"}], "stop_reason": "end_turn"}),
        ] {
            assert_eq!(text(answer.to_string().as_bytes()).unwrap(), "yes");
        }
        for answer in ["{}", r#"{"choices": [{"message": {"content": null}}]}"#, "<html>", "[]", r#"{"content": []}"#] {
            assert!(text(answer.as_bytes()).is_err(), "{answer}");
        }
    }

    #[test]
    fn a_text_that_is_cut_says_so() {
        for (answer, is_cut) in [
            (json!({"choices": [{"message": {"content": "a"}, "finish_reason": "length"}]}), true),
            (json!({"message": {"content": "a"}, "done_reason": "length"}), true),
            (json!({"content": [{"text": "a"}], "stop_reason": "max_tokens"}), true),
            (json!({"content": [{"text": "a"}], "stop_reason": "end_turn"}), false),
        ] {
            assert_eq!(written(answer.to_string().as_bytes()).unwrap(), Written { text: "a".to_owned(), is_cut });
        }
    }
}

//! The reasons why a server returns no text for a picture.

use super::client::CallError;

/// The reason why a server returned no text for a picture.
#[derive(Debug)]
pub enum PictureError {
    /// The server refuses this picture. Others may be accepted.
    Refused(anyhow::Error),
    /// The server does not work.
    Service(anyhow::Error),
}

impl From<CallError> for PictureError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::TooLarge(error) | CallError::Refused(error) => Self::Refused(error),
            CallError::Unavailable(error) | CallError::Failed(error) => Self::Service(error),
        }
    }
}

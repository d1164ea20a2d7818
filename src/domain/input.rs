//! Why a text that a person typed about themselves is not taken.

/// The reason. The words for the person are those of [`InputError::key`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// Nothing that could be seen.
    #[error("no name")]
    NoName,
    /// More than 100 characters.
    #[error("a name of more than 100 characters")]
    LongName,
    /// More than 50 characters.
    #[error("a title of more than 50 characters")]
    LongTitle,
    /// Not like a telephone number.
    #[error("no telephone number")]
    Phone,
    /// More than 40 characters.
    #[error("a telephone number of more than 40 characters")]
    LongPhone,
    /// No zone of the IANA has this name.
    #[error("no time zone")]
    TimeZone,
    /// Not one that the pages speak.
    #[error("no language of ours")]
    Language,
    /// A character that breaks a line or turns its direction.
    #[error("a control character")]
    Control,
}

impl InputError {
    /// The key of the sentence for the person.
    pub fn key(self) -> &'static str {
        match self {
            Self::NoName => "forms-name-empty",
            Self::LongName => "forms-name-too-long",
            Self::LongTitle => "forms-title-too-long",
            Self::Phone => "forms-phone-shape",
            Self::LongPhone => "forms-phone-too-long",
            Self::TimeZone => "forms-zone-unknown",
            Self::Language => "forms-language-unknown",
            Self::Control => "forms-control",
        }
    }
}

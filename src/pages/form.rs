//! What was wrong with a form that was sent, told at its fields.

use crate::words::Words;

/// A message for each field that was refused, and one above the form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldErrors {
    summary: Option<String>,
    fields: Vec<(&'static str, String)>,
}

impl FieldErrors {
    /// Nothing wrong.
    pub fn new() -> Self {
        Self::default()
    }

    /// Says what is wrong with one field. The first message for a field stays.
    pub fn add(&mut self, field: &'static str, message: impl Into<String>) {
        if self.get(field).is_none() {
            self.fields.push((field, message.into()));
        }
    }

    /// Says what is wrong with the form as a whole.
    pub fn summarize(&mut self, message: impl Into<String>) {
        self.summary = Some(message.into());
    }

    /// What was read; where it was refused, why, at its field. The error is the key of the sentence.
    pub fn noted<T>(&mut self, words: Words, field: &'static str, read: Result<T, &'static str>) -> Option<T> {
        read.map_err(|key| self.add(field, words.say(key))).ok()
    }

    /// The same errors, with what is wrong with the form as a whole.
    pub fn with_summary(mut self, message: impl Into<String>) -> Self {
        self.summarize(message);
        self
    }

    /// Whether the form can be taken as it is.
    pub fn is_empty(&self) -> bool {
        self.summary.is_none() && self.fields.is_empty()
    }

    /// The message of one field.
    pub fn get(&self, field: &str) -> Option<&str> {
        self.fields.iter().find(|(name, _)| *name == field).map(|(_, message)| message.as_str())
    }

    /// All fields with a message, in the order in which they were added.
    pub fn fields(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.fields.iter().map(|(name, message)| (*name, message.as_str()))
    }

    /// Whether any field has a message.
    pub fn has_fields(&self) -> bool {
        !self.fields.is_empty()
    }

    /// The message above the form; nothing when there is nothing wrong.
    pub fn summary(&self, words: Words) -> Option<String> {
        match (&self.summary, self.fields.len()) {
            (Some(message), _) => Some(message.clone()),
            (None, 0) => None,
            (None, count) => Some(words.say("forms-fields-wrong").with("count", count).into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::user::Language;

    #[test]
    fn the_first_message_of_a_field_stays() {
        let mut errors = FieldErrors::new();
        assert!(errors.is_empty());
        assert_eq!(errors.summary(Words::default()), None);
        errors.add("email", "Enter your e-mail address.");
        errors.add("email", "Something else.");
        assert_eq!(errors.get("email"), Some("Enter your e-mail address."));
        assert_eq!(errors.get("phone"), None);
        let words = [Words::default(), Words::of(Language::ZhHans)];
        let told = words.map(|words| errors.summary(words).unwrap_or_default());
        assert_eq!(told, ["One field needs another look.", "有 1 项需要修改。"]);
        errors.add("phone", "Something else.");
        assert_eq!(errors.summary(Words::default()).as_deref(), Some("2 fields need another look."));
    }

    #[test]
    fn a_summary_of_its_own_wins() {
        let mut errors = FieldErrors::new().with_summary("E-mail or password is wrong.");
        assert!(!errors.is_empty());
        errors.add("email", "a");
        errors.add("password", "b");
        assert_eq!(errors.summary(Words::default()).as_deref(), Some("E-mail or password is wrong."));
        assert_eq!(errors.fields().count(), 2);
    }
}

//! Idempotency keys: the same question gets the same answer for a day.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::error::ApiError;
use crate::sandbox::calendar::DAY;

#[derive(Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Answers(BTreeMap<String, Answer>);

#[derive(Clone, Serialize, Deserialize)]
pub struct Answer {
    question: String,
    at: i64,
    /// The refusal of a card is an answer too.
    #[serde(default = "success")]
    pub status: u16,
    /// The answer's JSON text.
    pub body: String,
    pub request_id: String,
}

fn success() -> u16 {
    200
}

/// What a key is bound to: method, path and parameters.
pub fn fingerprint(method: &str, path: &str, params: &str) -> String {
    data_encoding::HEXLOWER.encode(&Sha256::digest(format!("{method}\n{path}\n{params}")))
}

impl Answers {
    /// The answer that was given under this key.
    ///
    /// # Errors
    /// The key was used for another question.
    pub fn find(&self, key: &str, question: &str, now: i64) -> Result<Option<Answer>, ApiError> {
        match self.0.get(key).filter(|answer| now - answer.at < DAY) {
            None => Ok(None),
            Some(answer) if answer.question == question => Ok(Some(answer.clone())),
            Some(_) => Err(ApiError::idempotency(key)),
        }
    }

    pub fn keep(&mut self, key: &str, question: String, now: i64, (status, body): (u16, String), request_id: String) {
        self.0.retain(|_, answer| now - answer.at < DAY);
        self.0.insert(key.to_owned(), Answer { question, at: now, status, body, request_id });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_bound_to_its_question_for_a_day() {
        let mut answers = Answers::default();
        answers.keep("k", "q".into(), 0, (200, "{}".into()), "req_1".into());
        assert_eq!(answers.find("k", "other", 1).err().unwrap().kind, "idempotency_error");
        assert!(answers.find("k", "q", DAY - 1).unwrap().is_some());
        assert!(answers.find("k", "q", DAY).unwrap().is_none());
        assert!(answers.find("new", "q", 1).unwrap().is_none());
    }
}

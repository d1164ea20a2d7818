//! How our values stand in a column: instants as microseconds, words as text. One generic impl for all engines.

use chrono::{DateTime, Utc};
use diesel::{
    backend::Backend,
    deserialize::{self, FromSql, FromSqlRow},
    expression::AsExpression,
    serialize::{self, Output, ToSql},
    sql_types::{BigInt, Text},
};
use serde::{Serialize, Serializer};

use super::{audit::AuditOutcome, webhook_events::Outcome};
use crate::domain::{
    payment::{PaymentStatus, Purpose},
    subscription::{Kind, Status},
    user::Role,
};

/// An instant in microseconds since 1970-01-01 UTC, compared as an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, AsExpression, FromSqlRow)]
#[diesel(sql_type = BigInt)]
pub struct Instant(i64);

impl From<DateTime<Utc>> for Instant {
    fn from(moment: DateTime<Utc>) -> Self {
        Self(moment.timestamp_micros())
    }
}

impl From<Instant> for DateTime<Utc> {
    /// A number beyond the calendar, which nothing here writes, reads as the calendar's nearest end.
    fn from(instant: Instant) -> Self {
        let edge = if instant.0 < 0 { Self::MIN_UTC } else { Self::MAX_UTC };
        Self::from_timestamp_micros(instant.0).unwrap_or(edge)
    }
}

/// RFC 3339 in UTC.
impl Serialize for Instant {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        DateTime::<Utc>::from(*self).serialize(out)
    }
}

impl<DB: Backend> ToSql<BigInt, DB> for Instant
where
    i64: ToSql<BigInt, DB>,
{
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, DB>) -> serialize::Result {
        self.0.to_sql(out)
    }
}

impl<DB: Backend> FromSql<BigInt, DB> for Instant
where
    i64: FromSql<BigInt, DB>,
{
    fn from_sql(bytes: DB::RawValue<'_>) -> deserialize::Result<Self> {
        i64::from_sql(bytes).map(Self)
    }
}

/// A value that is stored as one of a few words.
pub trait Worded: Sized + Copy + 'static {
    /// Its word.
    fn word(self) -> &'static str;
    /// The value of a word.
    fn from_word(word: &str) -> Option<Self>;
}

macro_rules! worded {
    ($($type:ty),+) => {$(
        impl Worded for $type {
            fn word(self) -> &'static str {
                self.as_str()
            }

            fn from_word(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.as_str() == word)
            }
        }
    )+};
}
worded!(Kind, Status, Outcome, Purpose, PaymentStatus, AuditOutcome);

impl Worded for Role {
    fn word(self) -> &'static str {
        self.as_str()
    }

    fn from_word(word: &str) -> Option<Self> {
        Self::parse(word).ok()
    }
}

/// A [`Worded`] value in a text column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = Text)]
pub struct Word<T: Worded>(pub T);

impl<T: Worded + std::fmt::Debug, DB: Backend> ToSql<Text, DB> for Word<T>
where
    str: ToSql<Text, DB>,
{
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, DB>) -> serialize::Result {
        self.0.word().to_sql(out)
    }
}

impl<T: Worded, DB: Backend> FromSql<Text, DB> for Word<T>
where
    String: FromSql<Text, DB>,
{
    fn from_sql(bytes: DB::RawValue<'_>) -> deserialize::Result<Self> {
        let word = String::from_sql(bytes)?;
        T::from_word(&word).map(Self).ok_or_else(|| format!("the database holds the unknown word {word:?}").into())
    }
}

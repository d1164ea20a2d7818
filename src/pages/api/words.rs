//! The few words that a field can hold. They are those of the domain, so that the description can't lag behind.

use std::borrow::Cow;

use serde::{Serialize, Serializer};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        RefOr,
        schema::{ObjectBuilder, Schema, Type},
    },
};

use crate::{
    domain::{
        access::Denial,
        subscription::{Kind, Status},
        user::{Language, Role},
    },
    store::roster::NONE,
};

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident($of:ty): $all:expr, $word:expr;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name(pub $of);

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
                let word: fn($of) -> &'static str = $word;
                out.serialize_str(word(self.0))
            }
        }

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                let words = ($all).into_iter().map($word);
                ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words)).into()
            }
        }

        impl ToSchema for $name {
            fn name() -> Cow<'static, str> {
                Cow::Borrowed(stringify!($name))
            }
        }
    )+};
}

words! {
    /// Where access comes from.
    KindWord(Kind): Kind::ALL, Kind::as_str;
    /// The effective status of a subscription.
    StatusWord(Status): Status::ALL, Status::as_str;
    /// Where somebody stands: the effective status, or that there never was a subscription.
    StandingWord(Option<Status>): Status::ALL.into_iter().map(Some).chain([None]), |one| one.map_or(NONE, Status::as_str);
    /// Why premium pages are closed.
    ReasonWord(Denial): Denial::ALL, Denial::as_str;
    /// What an account may do.
    RoleWord(Role): [Role::User, Role::Support, Role::Admin], Role::as_str;
    /// The language of an account.
    LanguageWord(Language): [Language::En, Language::ZhHans], Language::as_str;
}

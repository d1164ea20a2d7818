//! What a person says of themselves, at sign-up and later, read in one place.

use std::sync::LazyLock;

use super::{form::FieldErrors, posted::Posted};
use crate::{
    domain::{
        input::InputError,
        user::{PersonName, Phone, TimeZone, Title},
    },
    store::accounts::Details,
    words::Words,
};

/// Reads every field, so that all that is wrong is told at once. The language is not among them.
pub(super) fn read(posted: &Posted, words: Words, errors: &mut FieldErrors) -> Option<Details> {
    let title = errors.noted(words, "title", Title::parse(posted.raw("title")).map_err(InputError::key));
    let [first_name, last_name] = ["first_name", "last_name"]
        .map(|name| errors.noted(words, name, PersonName::parse(posted.raw(name)).map_err(InputError::key)));
    let phone = errors.noted(words, "phone", Phone::parse(posted.raw("phone")).map_err(InputError::key));
    let time_zone = errors.noted(words, "time_zone", TimeZone::parse(posted.raw("time_zone")).map_err(InputError::key));
    Some(Details {
        title: title?.map(|title| title.as_str().to_owned()),
        first_name: first_name?.as_str().to_owned(),
        last_name: last_name?.as_str().to_owned(),
        phone: phone?.map(|phone| phone.as_str().to_owned()),
        time_zone: time_zone?.name().to_owned(),
        language: words.language().as_str().to_owned(),
    })
}

/// The zones that are offered; the field takes others too.
pub(super) fn zones() -> &'static [&'static str] {
    &ZONES
}

static ZONES: LazyLock<Vec<&str>> = LazyLock::new(|| {
    const REGIONS: [&str; 10] =
        ["Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"];
    let in_a_region = |name: &&str| name.split_once('/').is_some_and(|(region, _)| REGIONS.contains(&region));
    std::iter::once("UTC").chain(chrono_tz::TZ_VARIANTS.iter().map(|zone| zone.name()).filter(in_a_region)).collect()
});

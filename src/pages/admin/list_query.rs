//! Which subscribers are asked for, in the address of a page.

use actix_web::HttpRequest;
use url::form_urlencoded;

use super::asked::{one_of, short};
use crate::{
    domain::subscription::{Kind, Status},
    error::Error,
    pages::site::query,
    store::{
        roster::NONE,
        subscribers::{Filter, Order, Place, Sort},
    },
};

/// So many people on a page, if nobody asks for another number.
const USUAL: i64 = 50;
/// And never more.
const MOST: i64 = 200;

/// A list of people, and where in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListQuery {
    /// Which people.
    pub filter: Filter,
    /// In which order.
    pub order: Order,
    /// Behind this place.
    pub after: Option<Place>,
    /// How many on a page.
    pub limit: i64,
}

impl ListQuery {
    /// All that the address of a list can ask for.
    pub const NAMES: [&str; 10] =
        ["q", "status", "kind", "plan", "twice", "unconfirmed", "sort", "dir", "limit", "after"];

    /// What the address of a request asks for. What can't be understood is refused: a filter that was left out would show
    /// people who were not asked for.
    ///
    /// # Errors
    /// A filter, an order or a place that does not exist.
    pub fn of(request: &HttpRequest) -> Result<Self, Error> {
        Self::read(|name| query(request, name).filter(|value| !value.is_empty()))
    }

    fn read(asked: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let unknown = || Error::BadRequest("admin-unknown-filter");
        let not_any = |name: &str| asked(name).filter(|value| value != "any");
        let yes = |name| match asked(name).as_deref() {
            None => Ok(false),
            Some("yes") => Ok(true),
            Some(_) => Err(unknown()),
        };
        let statuses = Status::ALL.into_iter().map(Some).chain([None]);
        let sort = match asked("sort").as_deref() {
            None | Some("sign_up") => Sort::SignUp,
            Some("name") => Sort::Name,
            Some("end") => Sort::End,
            Some(_) => return Err(unknown()),
        };
        let descending = match asked("dir").as_deref() {
            None => sort == Sort::SignUp,
            Some("desc") => true,
            Some("asc") => false,
            Some(_) => return Err(unknown()),
        };
        let filter = Filter {
            search: asked("q").unwrap_or_default(),
            status: one_of(not_any("status"), statuses, |status| status.map_or(NONE, Status::as_str))?,
            kind: one_of(not_any("kind"), Kind::ALL, Kind::as_str)?,
            plan: short(not_any("plan"))?,
            twice: yes("twice")?,
            unconfirmed: yes("unconfirmed")?,
        };
        let after = match asked("after") {
            None => None,
            Some(text) => Some(Place::read(&text, sort).ok_or(Error::BadRequest("admin-unknown-place"))?),
        };
        let limit = asked("limit").and_then(|limit| limit.parse().ok()).unwrap_or(USUAL);
        Ok(Self { filter, order: Order { sort, descending }, after, limit: limit.clamp(1, MOST) })
    }

    /// The query of this list from its beginning, for links.
    pub fn address(&self) -> String {
        let filter = &self.filter;
        let mut pairs = form_urlencoded::Serializer::new(String::new());
        if !filter.search.is_empty() {
            pairs.append_pair("q", &filter.search);
        }
        if let Some(status) = filter.status {
            pairs.append_pair("status", status.map_or(NONE, Status::as_str));
        }
        if let Some(kind) = filter.kind {
            pairs.append_pair("kind", kind.as_str());
        }
        if let Some(plan) = &filter.plan {
            pairs.append_pair("plan", plan);
        }
        for (name, _) in [("twice", filter.twice), ("unconfirmed", filter.unconfirmed)].iter().filter(|(_, set)| *set) {
            pairs.append_pair(name, "yes");
        }
        pairs.append_pair("sort", self.sort_word());
        pairs.append_pair("dir", if self.order.descending { "desc" } else { "asc" });
        if self.limit != USUAL {
            pairs.append_pair("limit", &self.limit.to_string());
        }
        pairs.finish()
    }

    /// The query of the page behind this place.
    pub fn address_after(&self, place: &Place) -> String {
        format!("{}&after={}", self.address(), place.written())
    }

    /// The word for what the list is sorted by.
    pub fn sort_word(&self) -> &'static str {
        match self.order.sort {
            Sort::Name => "name",
            Sort::SignUp => "sign_up",
            Sort::End => "end",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::store::subscribers::Key;

    fn read(query: &str) -> Result<ListQuery, Error> {
        let mut asked = HashMap::new();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            asked.entry(name.into_owned()).or_insert(value.into_owned());
        }
        ListQuery::read(|name| asked.get(name).cloned().filter(|value| !value.is_empty()))
    }

    #[test]
    fn what_does_not_exist_is_refused() {
        for query in [
            "status=paid",
            "status=Active",
            "kind=gift",
            "sort=email",
            "dir=up",
            "twice=1",
            "unconfirmed=no",
            "plan=%00",
            "after=x",
            "after=%00",
            "after=eyJrZXkiOiJhIiwiaWQiOjF9",
            "after=e30",
        ] {
            assert!(read(query).is_err(), "{query}");
        }
    }

    #[test]
    fn a_number_of_people_is_one_that_a_page_can_hold() {
        for (query, limit) in [
            ("", 50),
            ("limit=", 50),
            ("limit=abc", 50),
            ("limit=9223372036854775808", 50),
            ("limit=9223372036854775807", 200),
            ("limit=-1", 1),
            ("limit=0", 1),
            ("limit=7", 7),
            ("limit=7&limit=9", 7),
        ] {
            assert_eq!(read(query).unwrap().limit, limit, "{query}");
        }
    }

    #[test]
    fn an_address_leads_to_the_same_list() {
        for query in [
            "",
            "q=100%25+%26+%27x%27&status=past_due&kind=recurring&plan=half-year&sort=end&dir=asc&limit=7",
            "status=none&unconfirmed=yes",
            "status=any&kind=any&plan=any&twice=yes&sort=name",
        ] {
            let list = read(query).unwrap();
            assert_eq!(read(&list.address()).unwrap(), list, "{query}");
            let key =
                if list.order.sort == Sort::Name { Key::Name("løve \"x\"".to_owned()) } else { Key::Instant(-7) };
            let place = Place { key, id: 9 };
            assert_eq!(read(&list.address_after(&place)).unwrap().after, Some(place), "{query}");
        }
    }
}

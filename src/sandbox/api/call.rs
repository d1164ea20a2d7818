//! One question to the API.

use serde_json::Value;

use super::{error::ApiError, params::Params};
use crate::sandbox::{
    json::{expand, list},
    world::{Cause, Object, Price, World},
};

pub struct Call {
    pub method: String,
    pub path: String,
    pub params: Params,
    pub cause: Cause,
}

impl Call {
    /// Refuses parameters with other names than these (`expand` is always allowed).
    pub fn allow(&self, names: &[&str]) -> Result<(), ApiError> {
        match self.params.top_names().into_iter().find(|name| *name != "expand" && !names.contains(name)) {
            Some(unknown) => Err(ApiError::unknown_param(unknown)),
            None => Ok(()),
        }
    }

    pub fn required(&self, name: &str) -> Result<&str, ApiError> {
        self.params.filled(name).ok_or_else(|| ApiError::missing(name))
    }

    /// The value as one of the words that are allowed.
    pub fn word(&self, name: &str, words: &[&str]) -> Result<Option<&str>, ApiError> {
        match self.params.filled(name) {
            Some(word) if !words.contains(&word) => {
                Err(ApiError::invalid(format!("Invalid {name}: must be one of {}", words.join(", ")), name))
            }
            word => Ok(word),
        }
    }

    /// A page of a list, newest first, of the rows that `keep` lets through.
    pub fn page<T: Object>(&self, world: &World, keep: impl Fn(&T) -> bool) -> Result<Value, ApiError> {
        let limit = self.params.integer("limit")?.unwrap_or(10);
        if !(1..=100).contains(&limit) {
            return Err(ApiError::invalid("This value must be between 1 and 100.", "limit"));
        }
        let limit = usize::try_from(limit).unwrap_or(10);
        let rows: Vec<&T> =
            T::table(world.state).iter().rev().filter(|row| self.in_time(row.created()) && keep(row)).collect();
        let position = |param: &str| -> Result<Option<usize>, ApiError> {
            let Some(id) = self.params.filled(param) else { return Ok(None) };
            let place = rows.iter().position(|row| row.id() == id);
            place.map(Some).ok_or_else(|| ApiError::no_such(400, T::NOUN, id, param))
        };
        let (from, to) = match (position("starting_after")?, position("ending_before")?) {
            (Some(after), _) => (after + 1, after + 1 + limit),
            (None, Some(before)) => (before.saturating_sub(limit), before),
            (None, None) => (0, limit),
        };
        let more = if self.params.filled("ending_before").is_some() { from > 0 } else { rows.len() > to };
        let data: Vec<Value> = rows.iter().skip(from).take(to - from).map(|row| row.json(world.state)).collect();
        Ok(list::page(&self.path, &data, more))
    }

    /// Is this moment within `created[gt|gte|lt|lte]`?
    fn in_time(&self, created: i64) -> bool {
        let bound = |name: &str| self.params.text(name).and_then(|text| text.parse::<i64>().ok());
        bound("created").is_none_or(|at| created == at)
            && bound("created[gt]").is_none_or(|at| created > at)
            && bound("created[gte]").is_none_or(|at| created >= at)
            && bound("created[lt]").is_none_or(|at| created < at)
            && bound("created[lte]").is_none_or(|at| created <= at)
    }

    /// Does a field have the value that the filter asks for, if it asks?
    pub fn wants(&self, filter: &str, value: Option<&str>) -> bool {
        self.params.filled(filter).is_none_or(|wanted| Some(wanted) == value)
    }

    /// That a filter, if there is one, names something that exists.
    pub fn known<T: Object>(&self, world: &World, name: &str) -> Result<(), ApiError> {
        match self.params.filled(name) {
            Some(id) if world.get::<T>(id).is_none() => Err(ApiError::no_such(400, T::NOUN, id, name)),
            _ => Ok(()),
        }
    }

    /// The customer that a parameter names: neither unknown nor deleted.
    pub fn customer(&self, world: &World, name: &str) -> Result<String, ApiError> {
        let id = self.required(name)?;
        let known = world.state.customers.get(id).is_some_and(|customer| !customer.deleted);
        if known { Ok(id.to_owned()) } else { Err(ApiError::no_such(400, "customer", id, name)) }
    }

    /// The price that a parameter names.
    pub fn price<'w>(&self, world: &'w World, name: &str) -> Result<&'w Price, ApiError> {
        let id = self.required(name)?;
        let price = world.state.prices.get(id).ok_or_else(|| ApiError::no_such(400, "price", id, name))?;
        if price.active {
            Ok(price)
        } else {
            Err(ApiError::invalid("The price specified is inactive. This field only accepts active prices.", name))
        }
    }

    /// How many of a thing, if anything is said.
    pub fn quantity(&self, name: &str) -> Result<Option<i64>, ApiError> {
        let quantity = self.params.integer(name)?;
        if quantity.is_none_or(|quantity| (1..=1_000_000).contains(&quantity)) {
            Ok(quantity)
        } else {
            Err(ApiError::invalid("Invalid integer: a quantity must be from 1 to 1000000", name))
        }
    }

    /// Puts whole objects in place of the ids that `expand` names.
    pub fn expand(&self, world: &World, answer: &mut Value) -> Result<(), ApiError> {
        for path in self.params.list("expand") {
            expand::expand(answer, path, world.state)
                .map_err(|path| ApiError::invalid(format!("This property cannot be expanded ({path})."), "expand"))?;
        }
        Ok(())
    }
}

/// The object that the path names, as JSON.
pub fn found<T: Object>(world: &World, id: &str) -> Result<Value, ApiError> {
    let row = world.get::<T>(id).ok_or_else(|| ApiError::no_such(404, T::NOUN, id, "id"))?;
    Ok(row.json(world.state))
}

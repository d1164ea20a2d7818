//! Form parameters with brackets, as Stripe's clients send them: `line_items[0][price]=…`, `expand[]=…`.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::error::ApiError;
use crate::sandbox::world::Metadata;

/// The pairs of a form or a query, in their order, with every `[]` replaced by a number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Params(Vec<(String, String)>);

impl Params {
    /// Reads form-encoded text. Bytes that are no UTF-8 become replacement characters.
    pub fn parse(text: &[u8]) -> Self {
        let mut params = Self::default();
        for (key, value) in url::form_urlencoded::parse(text) {
            let key = params.numbered(&key);
            params.0.retain(|(known, _)| *known != key);
            params.0.push((key, value.into_owned()));
        }
        params
    }

    pub fn extend(&mut self, more: Self) {
        self.0.extend(more.0);
    }

    /// `a[][b]` is the next element of `a` when the present one has a `b` already.
    fn numbered(&self, key: &str) -> String {
        let Some((head, tail)) = key.split_once("[]") else { return key.to_owned() };
        let mut number = self.children(head).len().saturating_sub(1);
        if self.0.iter().any(|(known, _)| *known == format!("{head}[{number}]{tail}")) {
            number += 1;
        }
        self.numbered(&format!("{head}[{number}]{tail}"))
    }

    pub fn text(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    /// The value unless it is empty: an empty one clears a field at Stripe.
    pub fn filled(&self, key: &str) -> Option<&str> {
        self.text(key).filter(|value| !value.is_empty())
    }

    pub fn integer(&self, key: &str) -> Result<Option<i64>, ApiError> {
        let parse =
            |value: &str| value.parse().map_err(|_| ApiError::invalid(format!("Invalid integer: {value}"), key));
        self.filled(key).map(parse).transpose()
    }

    pub fn boolean(&self, key: &str) -> Result<Option<bool>, ApiError> {
        match self.filled(key) {
            None => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(other) => Err(ApiError::invalid(format!("Invalid boolean: {other}"), key)),
        }
    }

    /// Is there anything at or below this key?
    pub fn has(&self, key: &str) -> bool {
        self.text(key).is_some() || !self.children(key).is_empty()
    }

    /// The names directly below a key, in order of appearance; those of a list by number.
    pub fn children(&self, key: &str) -> Vec<String> {
        let mut names = Vec::new();
        for (known, _) in &self.0 {
            let below =
                known.strip_prefix(key).and_then(|rest| rest.strip_prefix('[')).and_then(|rest| rest.split_once(']'));
            if let Some((name, _)) = below
                && !names.iter().any(|seen| seen == name)
            {
                names.push(name.to_owned());
            }
        }
        names.sort_by_key(|name| name.parse::<u64>().unwrap_or(0));
        names
    }

    /// The values of a list of texts, such as `expand`.
    pub fn list(&self, key: &str) -> Vec<&str> {
        self.children(key).iter().filter_map(|name| self.text(&format!("{key}[{name}]"))).collect()
    }

    /// Lays `key[name]=value` over what is there; an empty value takes a name away, an empty `key` all of them.
    pub fn merge_metadata(&self, key: &str, metadata: &mut Metadata) {
        if self.text(key) == Some("") {
            metadata.clear();
        }
        for name in self.children(key) {
            match self.filled(&format!("{key}[{name}]")) {
                Some(value) => drop(metadata.insert(name, value.to_owned())),
                None => drop(metadata.remove(&name)),
            }
        }
    }

    pub fn metadata(&self, key: &str) -> Metadata {
        let mut metadata = Metadata::new();
        self.merge_metadata(key, &mut metadata);
        metadata
    }

    /// The names before the first bracket.
    pub fn top_names(&self) -> BTreeSet<&str> {
        self.0.iter().map(|(key, _)| key.split('[').next().unwrap_or(key)).collect()
    }

    /// The pairs as they came: `{"line_items[0][price]": "…"}`.
    pub fn flat(&self) -> Value {
        self.0.iter().map(|(key, value)| (key.clone(), Value::String(value.clone()))).collect::<Map<_, _>>().into()
    }

    /// The pairs as the tree that they mean: `{"line_items": [{"price": "…"}]}`.
    pub fn tree(&self) -> Value {
        let mut tree = Map::new();
        for (key, value) in &self.0 {
            let steps: Vec<&str> = key.split('[').map(|step| step.trim_end_matches(']')).collect();
            plant(&mut tree, &steps, value);
        }
        lists(Value::Object(tree))
    }
}

fn plant(tree: &mut Map<String, Value>, steps: &[&str], value: &str) {
    let Some((step, rest)) = steps.split_first() else { return };
    if rest.is_empty() {
        tree.insert((*step).to_owned(), Value::String(value.to_owned()));
    } else if let Value::Object(branch) = tree.entry(*step).or_insert_with(|| Value::Object(Map::new())) {
        plant(branch, rest, value);
    }
}

/// Turns every object whose names are all numbers into a list.
fn lists(value: Value) -> Value {
    let Value::Object(fields) = value else { return value };
    let numbered = !fields.is_empty() && fields.keys().all(|key| key.parse::<u32>().is_ok());
    if numbered {
        let mut rows: Vec<(u32, Value)> =
            fields.into_iter().map(|(key, row)| (key.parse().unwrap_or(0), lists(row))).collect();
        rows.sort_by_key(|(number, _)| *number);
        return rows.into_iter().map(|(_, row)| row).collect();
    }
    Value::Object(fields.into_iter().map(|(key, field)| (key, lists(field))).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn brackets_become_a_tree() {
        let params = Params::parse(
            b"line_items[0][price]=p1&line_items[0][quantity]=2&line_items[1][price]=p2&metadata[a%20b]=c%26d&mode=x",
        );
        let tree = json!({"line_items": [{"price": "p1", "quantity": "2"}, {"price": "p2"}], "metadata": {"a b": "c&d"}, "mode": "x"});
        assert_eq!(params.tree(), tree);
        assert_eq!(params.text("line_items[0][quantity]"), Some("2"));
        assert_eq!(params.metadata("metadata").get("a b").map(String::as_str), Some("c&d"));
    }

    #[test]
    fn empty_brackets_are_counted() {
        let params = Params::parse(b"expand[]=a&expand[]=b&items[][price]=p&items[][quantity]=1&items[][price]=q");
        assert_eq!(params.list("expand"), ["a", "b"]);
        assert_eq!(params.tree()["items"], json!([{"price": "p", "quantity": "1"}, {"price": "q"}]));
    }

    #[test]
    fn of_a_doubled_key_the_last_counts() {
        assert_eq!(Params::parse(b"a=1&a=2").text("a"), Some("2"));
    }

    #[test]
    fn nonsense_is_read_without_harm() {
        for text in [&b"[=1"[..], b"a[=1&a[b=2&]]=3", b"=&==&&", b"\xff\xfe=%FF", b"a[b][c]=1&a[b]=2&a=3&a[b][d]=4"] {
            let params = Params::parse(text);
            let _ = (params.tree(), params.flat(), params.top_names(), params.children("a"), params.metadata("a"));
        }
    }

    #[test]
    fn numbers_and_booleans_are_refused_by_name() {
        let params = Params::parse(b"n=1x&b=maybe&empty=");
        assert_eq!(params.integer("n").unwrap_err().param.as_deref(), Some("n"));
        assert!(params.boolean("b").is_err());
        assert_eq!(params.integer("empty").unwrap(), None);
    }

    #[test]
    fn an_empty_value_takes_metadata_away() {
        let mut metadata = Metadata::from([("a".to_owned(), "1".to_owned()), ("b".to_owned(), "2".to_owned())]);
        Params::parse(b"metadata[a]=&metadata[c]=3").merge_metadata("metadata", &mut metadata);
        assert_eq!(metadata.keys().collect::<Vec<_>>(), ["b", "c"]);
        Params::parse(b"metadata=").merge_metadata("metadata", &mut metadata);
        assert!(metadata.is_empty());
    }
}

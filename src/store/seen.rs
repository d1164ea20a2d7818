//! Whom a worker has read, kept for as long as the database is the same.
//!
//! `PRAGMA data_version` differs as soon as any other connection, of this process or another, has committed anything
//! (SQLite's "Pragma statements"). It is asked before the rows are read, so what is kept is never older than the version that
//! it is kept under. The worker's own connection commits nothing.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use diesel::{prelude::*, sql_query, sql_types::BigInt};

use super::{Conn, StoreError, sessions, sessions::SignedIn};

/// So many people are kept by a worker: some 10 MB.
const MOST: usize = 10_000;

/// The people, each with the end of the session, by the hash of its token.
#[derive(Default)]
pub(super) struct Seen {
    version: i64,
    people: HashMap<String, (SignedIn, DateTime<Utc>)>,
}

#[derive(QueryableByName)]
struct Version {
    #[diesel(sql_type = BigInt)]
    data_version: i64,
}

impl Seen {
    /// The person of a session that is alive at `now`.
    pub(super) fn signed_in(
        &mut self,
        conn: &mut Conn,
        token_hash: &str,
        now: DateTime<Utc>,
    ) -> Result<Option<SignedIn>, StoreError> {
        let Version { data_version } = sql_query("PRAGMA data_version").get_result(conn)?;
        if data_version != self.version || self.people.len() > MOST {
            self.people.clear();
            self.version = data_version;
        }
        if let Some((person, end)) = self.people.get(token_hash) {
            return Ok((now < *end).then(|| person.clone()));
        }
        let Some(found) = sessions::signed_in(conn, token_hash, now)? else { return Ok(None) };
        let person = found.0.clone();
        self.people.insert(token_hash.to_owned(), found);
        Ok(Some(person))
    }
}

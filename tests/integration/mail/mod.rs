//! What people are told by mail, and that they are told once.

mod causes;
mod cron;
mod outbox;
mod queue;
mod real_server;
mod second_factor;
mod server;

use chrono::{DateTime, TimeDelta, Utc};
use turnpike::{
    domain::notice::{Amount, Notice},
    store::{Location, mails},
};

use crate::support::{app::App, database::Database, member::Member};

/// How long a sender keeps a mail to itself.
const LEASE: TimeDelta = TimeDelta::minutes(10);

fn payment_failed(next_attempt: Option<DateTime<Utc>>) -> Notice {
    let amount = Some(Amount { minor: 900, currency: "eur".to_owned() });
    Notice::PaymentFailed { plan: Some("monthly".to_owned()), amount, next_attempt }
}

impl App {
    /// Queues a mail as the program does, in a transaction of the server's own store.
    async fn queues(&self, member: &Member, cause: &str, notice: Notice) -> bool {
        let (user, cause, now) = (self.row_of(member), cause.to_owned(), self.now());
        self.store.write(move |conn| mails::queue(conn, user, &cause, &notice, now)).await.unwrap()
    }

    /// Queues a mail as another process does, of which the server knows nothing.
    fn queues_unseen(&self, member: &Member, cause: &str, notice: &Notice) {
        let location = match &self.database {
            Database::Sqlite(file) => Location::Sqlite(file.clone()),
            Database::Postgres(database) => Location::Postgres(database.url()),
        };
        let mut conn = location.connect().unwrap();
        assert!(mails::queue(&mut conn, self.row_of(member), cause, notice, self.now()).unwrap());
    }

    fn row_of(&self, member: &Member) -> i64 {
        self.database.number(&format!("SELECT id FROM users WHERE email = '{}'", member.email)).unwrap()
    }

    /// How many mails are in this state.
    fn mails_that(&self, condition: &str) -> i64 {
        self.database.count("mails", condition)
    }
}

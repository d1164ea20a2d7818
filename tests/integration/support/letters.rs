//! The mail that asks new people for their address. It would stand in the way of tests about other mails, so it is left
//! out of all of them but those that ask for it.

use super::{
    app::App,
    database::{Database, Engine},
};

/// Leaves out the mail that sign-up queues.
pub fn keep_new_people_unasked(database: &Database) {
    database.execute(match database.engine() {
        Engine::Sqlite => {
            "CREATE TRIGGER unasked BEFORE INSERT ON mails WHEN NEW.cause LIKE 'confirm_email:%' \
             BEGIN SELECT RAISE(IGNORE); END"
        }
        Engine::Postgres => {
            "CREATE FUNCTION unasked() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$; \
             CREATE TRIGGER unasked BEFORE INSERT ON mails FOR EACH ROW WHEN (NEW.cause LIKE 'confirm_email:%') \
             EXECUTE FUNCTION unasked()"
        }
    });
}

impl App {
    /// From now on new people are asked by mail for their address, as they are outside of tests.
    pub fn asks_new_people(&self) {
        self.database.execute(match self.database.engine() {
            Engine::Sqlite => "DROP TRIGGER unasked",
            Engine::Postgres => "DROP TRIGGER unasked ON mails",
        });
    }

    /// The path of the link in the newest mail to an address.
    pub async fn mailed_link(&self, email: &str) -> String {
        self.mailed_link_to(email, "/email/confirmation/").await
    }

    /// The path of the link in the newest mail to an address, of those that lead to this page.
    pub async fn mailed_link_to(&self, email: &str, page: &str) -> String {
        let mails = self.outbox().await;
        let own = format!("http://{}{page}", self.address);
        let newest = mails.iter().rev().find(|mail| mail.to == [email] && mail.text.contains(&own));
        let newest = newest.unwrap_or_else(|| panic!("no such mail to {email}: {mails:#?}"));
        let start = newest.text.find(&own).unwrap();
        let link = newest.text[start..].split_whitespace().next().unwrap();
        link.strip_prefix(&format!("http://{}", self.address)).unwrap().to_owned()
    }

    /// The path of the link for a new password that was asked for, once `count` such mails were queued: that happens after
    /// the answer.
    pub async fn reset_link(&self, email: &str, count: i64) -> String {
        let queued = || async { self.database.count("mails", "cause LIKE 'password_reset:%'") == count };
        self.eventually("the mail", queued).await;
        self.mailed_link_to(email, "/password/reset/").await
    }

    /// The token in a link.
    pub fn token_of(link: &str) -> &str {
        link.rsplit('/').next().unwrap()
    }
}

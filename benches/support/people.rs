//! A site with many people, made by the database itself.

use diesel::{Connection, PgConnection, RunQueryDsl, SqliteConnection, connection::SimpleConnection};
use turnpike::auth::token::token_hash;

/// The token of the program that reads the list.
pub const TOKEN: &str = "tp_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

const DAY: i64 = 86_400_000_000;
/// Over so many days people have signed up.
const DAYS: i64 = 720;

/// The people.
pub struct Seeded {
    url: String,
    people: i64,
    now: i64,
}

impl Seeded {
    /// Makes so many people beside the one that is there, who becomes an admin. All had a trial; four of ten have paid, some
    /// of them no longer, and some have not confirmed their address.
    pub fn new(url: &str, people: i64) -> Self {
        let now = chrono::Utc::now().timestamp_micros();
        let this = Self { url: url.to_owned(), people, now };
        let born = format!("({now} - ({people} - i) * {})", DAYS * DAY / people);
        let pick = |words: &[&str], by: &str| {
            let cases: Vec<String> =
                words.iter().enumerate().map(|(number, word)| format!("WHEN {number} THEN '{word}'")).collect();
            format!("CASE {by} % {} {} END", words.len(), cases.join(" "))
        };
        let first =
            pick(&["Ada", "Grace", "Alan", "Edsger", "Barbara", "Donald", "Jean", "Ken", "Frances", "Tony"], "i");
        let last =
            pick(&["Lovelace", "Hopper", "Turing", "Dijkstra", "Liskov", "Knuth", "Bartik", "Allen"], "(i / 10)");
        let paid = "CASE WHEN i % 100 < 32 THEN 'active' WHEN i % 100 < 34 THEN 'past_due' ELSE 'canceled' END";
        let (start, end) = (format!("({now} - (i % 25) * {DAY})"), format!("({now} + (30 - i % 25) * {DAY})"));
        let hash = token_hash(TOKEN);
        this.execute(&format!(
            "UPDATE users SET role = 'admin'; INSERT INTO api_tokens (public_id, token_hash, name, scope, made_by, created_at) \
             SELECT 'tok_1', '{hash}', 'measurement', 'read', public_id, 0 FROM users; \
             INSERT INTO users (id, public_id, email, email_canonical, email_confirmed_at, password_hash, first_name, last_name, \
             phone, time_zone, language, role, terms_accepted_at, created_at, updated_at) {NUMBERS} SELECT i + 10, 'usr_' || i, \
             'p' || i || '@example.com', 'p' || i || '@example.com', CASE WHEN i % 10 > 0 THEN {born} END, '', {first}, {last} || \
             CASE WHEN i % 3 = 0 THEN '-' || i ELSE '' END, '+44 20 7946 0958', 'Europe/Berlin', 'en', 'user', {born}, {born}, \
             {born} FROM n; \
             INSERT INTO subscriptions (user_id, kind, status, current_period_start, current_period_end, cancel_at_period_end, \
             version, created_at, updated_at) {NUMBERS} SELECT i + 10, 'trial', 'trialing', {born}, {born} + 182 * {DAY}, FALSE, \
             1, {born}, {born} FROM n; \
             INSERT INTO subscriptions (user_id, kind, status, plan, provider_id, provider_status, current_period_start, \
             current_period_end, cancel_at_period_end, ended_at, version, created_at, updated_at) {NUMBERS} SELECT i + 10, \
             'recurring', {paid}, CASE WHEN i % 7 = 0 THEN 'yearly' ELSE 'monthly' END, 'sub_' || i, {paid}, {start}, {end}, \
             FALSE, CASE WHEN i % 100 >= 34 THEN {start} + {DAY} END, 1, {born}, {born} FROM n WHERE i % 100 < 40; \
             INSERT INTO subscriptions (user_id, kind, status, plan, provider_id, provider_status, current_period_start, \
             current_period_end, cancel_at_period_end, version, created_at, updated_at) {NUMBERS} SELECT i + 10, 'recurring', \
             'active', 'monthly', 'sub_twice_' || i, 'active', {start}, {end}, FALSE, 1, {born}, {born} FROM n WHERE i % 1000 = 1; \
             INSERT INTO payments (user_id, purpose, status, happened_at, provider_payment_id, provider_subscription_id, plan, \
             amount, amount_refunded, currency, created_at, updated_at) {NUMBERS} SELECT i + 10, 'subscription', 'paid', {start}, \
             'pi_' || i, 'sub_' || i, 'monthly', 900, 0, 'eur', {start}, {start} FROM n WHERE i % 100 < 40"
        )
        .replace(NUMBERS, &NUMBERS.replace("{people}", &people.to_string())));
        this
    }

    /// When the person with this number signed up, in microseconds.
    pub fn signed_up_at(&self, number: i64) -> i64 {
        self.now - (self.people - number) * (DAYS * DAY / self.people)
    }

    /// Lets PostgreSQL do at once what it does by itself after a while.
    pub fn settle(&self) {
        if self.url.starts_with("postgres") {
            self.execute("VACUUM ANALYZE");
        }
    }

    fn execute(&self, sql: &str) {
        if self.url.starts_with("postgres") {
            PgConnection::establish(&self.url).unwrap().batch_execute(sql).unwrap();
        } else {
            let mut conn = SqliteConnection::establish(&self.url).unwrap();
            diesel::sql_query("PRAGMA busy_timeout = 60000").execute(&mut conn).unwrap();
            conn.batch_execute(&format!("PRAGMA foreign_keys = ON; BEGIN IMMEDIATE; {sql}; COMMIT")).unwrap();
        }
    }
}

const NUMBERS: &str =
    "WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < {people})";

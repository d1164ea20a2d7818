//! The figures of the whole site, counted from the rows each time that they are asked for (`docs/admin.md`).

use chrono::{DateTime, Utc};
use diesel::{
    dsl::count_star,
    prelude::*,
    sql_query,
    sql_types::{BigInt, Nullable, Text},
};

use super::{Conn, StoreError, schema::roster, types::Worded};
use crate::domain::{
    figures::monthly,
    money::{Currency, Money},
    subscription::{AccessPolicy, Status},
};

/// A part of a whole, for one month.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// All.
    pub whole: i64,
    /// Those of them that are meant.
    pub part: i64,
}

/// The months that are looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Months {
    /// Their first instants, the oldest first.
    pub starts: Vec<DateTime<Utc>>,
    /// The last one goes on until here.
    pub now: DateTime<Utc>,
}

impl Months {
    /// The number of the month that a column of microseconds falls into.
    fn number_of(&self, column: &str) -> String {
        let later = self.starts.iter().enumerate().skip(1);
        let branches = later.map(|(next, start)| format!("WHEN {column} < {} THEN {} ", micros(*start), next - 1));
        format!("CASE {}ELSE {} END", branches.collect::<String>(), self.starts.len().saturating_sub(1))
    }

    /// What lies in any of them.
    fn hold(&self, column: &str) -> String {
        let first = self.starts.first().map_or(0, |start| micros(*start));
        format!("{column} >= {first} AND {column} <= {}", micros(self.now))
    }

    fn put<T: Default + Clone>(&self, rows: impl IntoIterator<Item = (i64, T)>) -> Vec<T> {
        let mut months = vec![T::default(); self.starts.len()];
        for (number, value) in rows {
            if let Some(month) = usize::try_from(number).ok().and_then(|number| months.get_mut(number)) {
                *month = value;
            }
        }
        months
    }
}

fn micros(at: DateTime<Utc>) -> i64 {
    at.timestamp_micros()
}

/// How many people have each effective status. The roster has to be up to date.
///
/// # Errors
/// The query failed.
pub fn people(conn: &mut Conn) -> Result<Vec<(Option<Status>, i64)>, StoreError> {
    let counted: Vec<(String, i64)> =
        roster::table.group_by(roster::status).select((roster::status, count_star())).load(conn)?;
    let of = |status: Option<Status>| {
        let rows = counted.iter().filter(|(word, _)| Status::from_word(word) == status);
        (status, rows.map(|(_, count)| count).sum())
    };
    Ok(Status::ALL.into_iter().map(Some).chain([None]).map(of).collect())
}

/// Of each month, who signed up and got a trial, deleted accounts too, and who of them has paid since. Money that went back
/// in full was no payment.
///
/// # Errors
/// The query failed.
pub fn conversions(conn: &mut Conn, months: &Months) -> Result<Vec<Share>, StoreError> {
    let people = "users WHERE EXISTS (SELECT 1 FROM subscriptions WHERE user_id = users.id AND kind = 'trial')";
    let paid = "EXISTS (SELECT 1 FROM payments WHERE user_id = users.id AND status = 'paid' AND taken_back_at IS NULL)";
    shares(conn, months, "created_at", people, paid)
}

/// Of each month, how many accounts were made.
///
/// # Errors
/// The query failed.
pub fn sign_ups(conn: &mut Conn, months: &Months) -> Result<Vec<i64>, StoreError> {
    let counted = shares(conn, months, "created_at", "users WHERE TRUE", "FALSE")?;
    Ok(counted.into_iter().map(|share| share.whole).collect())
}

/// Of each month, how many payments failed, and how many of them were paid afterwards.
///
/// # Errors
/// The query failed.
pub fn failures(conn: &mut Conn, months: &Months) -> Result<Vec<Share>, StoreError> {
    shares(conn, months, "failed_at", "payments WHERE failed_at IS NOT NULL", "status = 'paid'")
}

/// Counts rows by the month of an instant, and those of them for which something holds.
fn shares(
    conn: &mut Conn,
    months: &Months,
    instant: &str,
    rows: &str,
    condition: &str,
) -> Result<Vec<Share>, StoreError> {
    let (number, hold) = (months.number_of(instant), months.hold(instant));
    let counted: Vec<Counted> = sql_query(format!(
        "SELECT CAST(number AS BIGINT) AS number, COUNT(*) AS whole, CAST(SUM(part) AS BIGINT) AS part FROM \
         (SELECT {number} AS number, CASE WHEN {condition} THEN 1 ELSE 0 END AS part FROM {rows} AND {hold}) AS counted \
         GROUP BY number"
    ))
    .load(conn)?;
    Ok(months.put(counted.into_iter().map(|row| (row.number, Share { whole: row.whole, part: row.part }))))
}

#[derive(QueryableByName)]
struct Counted {
    #[diesel(sql_type = BigInt)]
    number: i64,
    #[diesel(sql_type = BigInt)]
    whole: i64,
    #[diesel(sql_type = BigInt)]
    part: i64,
}

/// Of each month, the money that came, in each currency, without what went back later.
///
/// # Errors
/// The query failed.
pub fn received(conn: &mut Conn, months: &Months) -> Result<Vec<Vec<Money>>, StoreError> {
    let (number, hold) = (months.number_of("happened_at"), months.hold("happened_at"));
    let rows: Vec<Sum> = sql_query(format!(
        "SELECT CAST(number AS BIGINT) AS number, currency, CAST(SUM(amount) AS BIGINT) AS amount FROM \
         (SELECT {number} AS number, currency, amount - amount_refunded - amount_lost AS amount FROM payments \
         WHERE status = 'paid' AND {hold}) AS counted GROUP BY number, currency ORDER BY currency"
    ))
    .load(conn)?;
    let mut all = vec![Vec::new(); months.starts.len()];
    for row in rows {
        let month = usize::try_from(row.number).ok().and_then(|number| all.get_mut(number));
        if let (Some(month), Some(money)) = (month, row.money()) {
            month.push(money);
        }
    }
    Ok(all)
}

/// What comes in again each month, in each currency: the last payment of each subscription that is active and will renew,
/// spread over the months of its period.
///
/// # Errors
/// The query failed.
pub fn recurring_revenue(conn: &mut Conn, now: DateTime<Utc>) -> Result<Vec<(Money, i64)>, StoreError> {
    const DAY: i64 = 86_400_000_000;
    let rows: Vec<Recurring> = sql_query(format!(
        "SELECT CAST(days AS BIGINT) AS number, currency, CAST(SUM(amount) AS BIGINT) AS amount, COUNT(*) AS subscriptions \
         FROM (SELECT (s.current_period_end - s.current_period_start) / {DAY} AS days, p.currency AS currency, \
         p.amount AS amount FROM subscriptions s JOIN payments p ON p.id = (SELECT id FROM payments \
         WHERE provider_subscription_id = s.provider_id AND status = 'paid' ORDER BY happened_at DESC, id DESC LIMIT 1) \
         WHERE s.kind = 'recurring' AND s.status = 'active' AND s.current_period_end > {} AND NOT s.cancel_at_period_end \
         AND s.cancel_at IS NULL AND s.ended_at IS NULL AND NOT s.collection_voided) AS counted \
         GROUP BY days, currency ORDER BY currency",
        micros(now)
    ))
    .load(conn)?;
    let mut all: Vec<(Money, i64)> = Vec::new();
    for row in rows {
        let Some(sum) = row.sum.money() else { continue };
        let month = Money { minor: monthly(sum.minor, row.sum.number), ..sum };
        match all.iter_mut().find(|(money, _)| money.currency == month.currency) {
            Some((money, count)) => (money.minor, *count) = (money.minor + month.minor, *count + row.subscriptions),
            None => all.push((month, row.subscriptions)),
        }
    }
    Ok(all)
}

#[derive(QueryableByName)]
struct Sum {
    #[diesel(sql_type = BigInt)]
    number: i64,
    #[diesel(sql_type = Nullable<Text>)]
    currency: Option<String>,
    #[diesel(sql_type = BigInt)]
    amount: i64,
}

#[derive(QueryableByName)]
struct Recurring {
    #[diesel(embed)]
    sum: Sum,
    #[diesel(sql_type = BigInt)]
    subscriptions: i64,
}

impl Sum {
    fn money(&self) -> Option<Money> {
        Some(Money::new(self.amount, Currency::parse(self.currency.as_deref()?)?))
    }
}

/// Of each month, for how many people a subscription at Stripe or paid months gave access at its first instant, and for how
/// many of them nothing of the kind did at its end; of the last month, now.
///
/// What was known at an instant is what [`known_at`](crate::domain::history::known_at) says, and until when it gave access
/// what [`access_end`](crate::domain::subscription::Subscription::access_end) says: a test holds them together.
///
/// # Errors
/// The query failed.
pub fn churn(conn: &mut Conn, months: &Months, policy: &AccessPolicy) -> Result<Vec<Share>, StoreError> {
    let instants: Vec<i64> = months.starts.iter().chain([&months.now]).map(|at| micros(*at)).collect();
    let paying = instants.iter().enumerate().map(|(number, at)| {
        let known = format!("known_from <= {at} AND (known_until IS NULL OR known_until > {at})");
        format!("MAX(CASE WHEN {known} AND ends > {at} THEN 1 ELSE 0 END) AS at_{number}")
    });
    let paying: Vec<String> = paying.collect();
    let sums = (0..months.starts.len()).map(|number| {
        let next = number + 1;
        format!(
            "SELECT CAST({number} AS BIGINT) AS number, CAST(COALESCE(SUM(at_{number}), 0) AS BIGINT) AS whole, \
             CAST(COALESCE(SUM(CASE WHEN at_{number} > at_{next} THEN 1 ELSE 0 END), 0) AS BIGINT) AS part FROM paying"
        )
    });
    let sums: Vec<String> = sums.collect();
    let rows: Vec<Counted> = sql_query(format!(
        "WITH versions AS (SELECT h.user_id AS user_id, h.known_from AS known_from, \
         MIN(h.known_from) OVER (PARTITION BY h.subscription_id ORDER BY h.id \
         ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS known_until, {} AS ends \
         FROM subscription_history h JOIN subscriptions s ON s.id = h.subscription_id \
         WHERE s.kind IN ('recurring', 'prepaid')), \
         paying AS (SELECT user_id, {} FROM versions GROUP BY user_id) {}",
        access_end("h", policy),
        paying.join(", "),
        sums.join(" UNION ALL ")
    ))
    .load(conn)?;
    Ok(months.put(rows.into_iter().map(|row| (row.number, Share { whole: row.whole, part: row.part }))))
}

/// The rule of `docs/rules.md §3` over the columns of a table.
fn access_end(table: &str, policy: &AccessPolicy) -> String {
    let column = |name: &str| format!("{table}.{name}");
    let earlier = |one: &str, other: &str| {
        format!("CASE WHEN {other} IS NOT NULL AND {other} < {one} THEN {other} ELSE {one} END")
    };
    let (start, end, ended) = (column("current_period_start"), column("current_period_end"), column("ended_at"));
    let canceled = earlier(&end, &ended);
    let last = earlier(&format!("({canceled})"), &column("cancel_at"));
    let grace = policy.past_due_grace.num_microseconds().unwrap_or(i64::MAX / 4);
    let past_due = earlier(&format!("({last})"), &format!("({start} + {grace})"));
    let status = column("status");
    format!(
        "CASE WHEN {start} IS NULL OR {status} = 'expired' THEN NULL WHEN {status} = 'canceled' THEN {canceled} \
         WHEN {status} = 'past_due' THEN {past_due} ELSE {last} END"
    )
}

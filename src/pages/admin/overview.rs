//! `/admin`: how the site does, in figures that are counted from the rows each time (`docs/admin.md`).

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use chrono::{DateTime, Utc};

use super::{
    chart::{Chart, Value},
    monthly::{Monthly, monthly},
};
use crate::{
    auth::guard::Staff,
    domain::{
        figures::months_up_to,
        money::Money,
        subscription::{Kind, Status},
    },
    error::Error,
    pages::{
        frame::Frame,
        moment::Moment,
        site::{Site, page},
        status::Badge,
    },
    store::{
        StoreError,
        figures::{self, Months, Share},
        roster,
        roster::NONE,
    },
};

/// So many months are looked back at, with the present one.
const MONTHS: u32 = 12;

/// How many people have a status.
#[derive(Clone, Debug)]
pub struct StandingRow {
    /// Their list.
    pub href: String,
    /// The effective status.
    pub badge: Badge,
    /// How many.
    pub count: i64,
}

/// What comes in again each month in one currency.
#[derive(Clone, Debug)]
pub struct RecurringRow {
    /// In words.
    pub sum: String,
    /// From how many subscriptions.
    pub subscriptions: i64,
}

/// The page.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/admin/overview.html")]
pub struct Overview {
    /// Around the page.
    pub frame: Frame,
    /// When it was counted.
    pub at: Moment,
    /// Everybody with an account, by status.
    pub people: Chart,
    /// The same as a table.
    pub standings: Vec<StandingRow>,
    /// Each currency.
    pub recurring: Vec<RecurringRow>,
    /// The figures for each month.
    pub monthly: Vec<Monthly>,
}

/// All that the page is made of.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// The first instants of the months.
    pub starts: Vec<DateTime<Utc>>,
    /// People by effective status.
    pub people: Vec<(Option<Status>, i64)>,
    /// For each currency, and of how many subscriptions.
    pub recurring: Vec<(Money, i64)>,
    /// New accounts.
    pub sign_ups: Vec<i64>,
    /// Trials, and those who paid since.
    pub conversions: Vec<Share>,
    /// Who paid at the start, and who no longer did at the end.
    pub churn: Vec<Share>,
    /// Payments that failed, and those that were paid afterwards.
    pub failures: Vec<Share>,
    /// What came in.
    pub received: Vec<Vec<Money>>,
}

/// The figures.
///
/// # Errors
/// The person is no staff, or the template or the database failed.
pub async fn show(site: web::Data<Site>, request: HttpRequest, Staff(person): Staff) -> Result<HttpResponse, Error> {
    let now = site.clock.now();
    roster::bring_up_to_date(&site.store, site.policy, now).await?;
    let figures = count(&site, now).await?;
    let frame = site.frame(&request, Some(&person));
    page(&Overview::new(frame, site.moment(now, &person.user), &figures))
}

async fn count(site: &Site, now: DateTime<Utc>) -> Result<Figures, StoreError> {
    let (policy, months) = (site.policy, Months { starts: months_up_to(now, MONTHS), now });
    site.store
        .read(move |conn| {
            Ok(Figures {
                people: figures::people(conn)?,
                recurring: figures::recurring_revenue(conn, now)?,
                sign_ups: figures::sign_ups(conn, &months)?,
                conversions: figures::conversions(conn, &months)?,
                churn: figures::churn(conn, &months, &policy)?,
                failures: figures::failures(conn, &months)?,
                received: figures::received(conn, &months)?,
                starts: months.starts,
            })
        })
        .await
}

impl Overview {
    /// The page of these figures.
    pub fn new(frame: Frame, at: Moment, figures: &Figures) -> Self {
        let language = frame.words.language();
        // What is counted is the status, so a trial at Stripe is one here, as in the list.
        let badge = |status| Badge::of_line(status, Some(Kind::Trial));
        let standings: Vec<StandingRow> = figures
            .people
            .iter()
            .map(|(status, count)| StandingRow {
                href: format!("/admin/subscribers?status={}", status.map_or(NONE, Status::as_str)),
                badge: badge(*status),
                count: *count,
            })
            .collect();
        let bar = |row: &StandingRow| {
            // There is room for a short word.
            let word = if row.badge == Badge::Nothing { "admin-figure-never" } else { row.badge.word() };
            Value { label: frame.say(word).into(), whole: row.count, part: None }
        };
        let people =
            Chart::new(frame.say("admin-figure-people").into(), standings.iter().map(bar).collect(), |number| {
                number.to_string()
            });
        let recurring = figures.recurring.iter().map(|(money, subscriptions)| RecurringRow {
            sum: money.in_words_of(language),
            subscriptions: *subscriptions,
        });
        Self { at, people, recurring: recurring.collect(), monthly: monthly(&frame, figures), standings, frame }
    }
}

//! `/admin`: how the site does, in figures that are counted from the rows each time (`docs/admin.md`).

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use chrono::{DateTime, Utc};

use super::chart::{Chart, Value};
use crate::{
    auth::guard::Staff,
    domain::{
        figures::{months_up_to, per_mille},
        local_time,
        money::{Currency, Money},
        subscription::{Kind, Status},
        user::Language,
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

/// A figure for each month: a picture, and a table behind it.
#[derive(Clone, Debug)]
pub struct Monthly {
    /// Of the heading.
    pub id: String,
    /// The heading.
    pub title: String,
    /// The bars.
    pub chart: Chart,
    /// What a bar is, and its part.
    pub legend: (&'static str, Option<&'static str>),
    /// The keys of the table's columns after the month.
    pub heads: Vec<&'static str>,
    /// The newest first.
    pub rows: Vec<MonthRow>,
    /// The key of the definition.
    pub meaning: &'static str,
}

/// A month of a table.
#[derive(Clone, Debug)]
pub struct MonthRow {
    /// In words.
    pub month: String,
    /// The numbers.
    pub cells: Vec<String>,
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

fn monthly(frame: &Frame, figures: &Figures) -> Vec<Monthly> {
    let (starts, language) = (&figures.starts, frame.words.language());
    let sign_ups = figures.sign_ups.iter().zip(&figures.conversions).map(|(count, share)| Month {
        whole: *count,
        part: Some(share.part),
        cells: vec![count.to_string(), share.whole.to_string(), share.part.to_string(), percent(*share)],
    });
    let shares = |shares: &[Share]| -> Vec<Month> {
        let month = |share: &Share| Month {
            whole: share.whole,
            part: Some(share.part),
            cells: vec![share.whole.to_string(), share.part.to_string(), percent(*share)],
        };
        shares.iter().map(month).collect()
    };
    let count = |number: i64| number.to_string();
    let mut all = vec![
        Sheet {
            id: "sign-ups".to_owned(),
            title: frame.say("admin-figure-sign-ups").into(),
            legend: ("admin-figure-new", Some("admin-figure-paid-since")),
            heads: vec![
                "admin-figure-new",
                "admin-figure-trials",
                "admin-figure-paid-since",
                "admin-figure-conversion",
            ],
            meaning: "admin-figure-sign-ups-meaning",
        }
        .with(starts, sign_ups.collect(), language, count),
        Sheet {
            id: "churn".to_owned(),
            title: frame.say("admin-figure-churn").into(),
            legend: ("admin-figure-at-start", Some("admin-figure-left")),
            heads: vec!["admin-figure-at-start", "admin-figure-left", "admin-figure-share"],
            meaning: "admin-figure-churn-meaning",
        }
        .with(starts, shares(&figures.churn), language, count),
        Sheet {
            id: "failures".to_owned(),
            title: frame.say("admin-figure-failures").into(),
            legend: ("admin-figure-failed", Some("admin-figure-recovered")),
            heads: vec!["admin-figure-failed", "admin-figure-recovered", "admin-figure-share"],
            meaning: "admin-figure-failures-meaning",
        }
        .with(starts, shares(&figures.failures), language, count),
    ];
    all.extend(currencies(&figures.received).into_iter().map(|currency| received(frame, figures, currency)));
    all
}

/// Those in which money came, each once.
fn currencies(received: &[Vec<Money>]) -> Vec<Currency> {
    let mut all: Vec<Currency> = received.iter().flatten().map(|money| money.currency).collect();
    all.sort_by(|one, other| one.as_str().cmp(other.as_str()));
    all.dedup();
    all
}

fn received(frame: &Frame, figures: &Figures, currency: Currency) -> Monthly {
    let language = frame.words.language();
    let months = figures.received.iter().map(|month| {
        let sum = month.iter().filter(|money| money.currency == currency).map(|money| money.minor).sum();
        Month { whole: sum, part: None, cells: vec![Money::new(sum, currency).in_words_of(language)] }
    });
    let sheet = Sheet {
        id: format!("received-{}", currency.as_str()),
        title: frame.say("admin-figure-received").with("currency", currency.to_string()).into(),
        legend: ("admin-figure-received-sum", None),
        heads: vec!["admin-figure-received-sum"],
        meaning: "admin-figure-received-meaning",
    };
    let written = |minor| Money::new(minor, currency).in_words_of(language);
    sheet.with(&figures.starts, months.collect(), language, written)
}

/// What a figure is called, and what its columns are.
struct Sheet {
    id: String,
    title: String,
    legend: (&'static str, Option<&'static str>),
    heads: Vec<&'static str>,
    meaning: &'static str,
}

/// What a figure says of one month.
struct Month {
    whole: i64,
    part: Option<i64>,
    cells: Vec<String>,
}

impl Sheet {
    fn with(
        self,
        starts: &[DateTime<Utc>],
        months: Vec<Month>,
        language: Language,
        written: impl Fn(i64) -> String,
    ) -> Monthly {
        let named = starts.iter().zip(months).map(|(start, month)| (*start, month));
        let (values, mut rows): (Vec<Value>, Vec<MonthRow>) = named
            .map(|(start, month)| {
                let label = local_time::short_month(start, language);
                let row = MonthRow { month: local_time::month(start, language), cells: month.cells };
                (Value { label, whole: month.whole, part: month.part }, row)
            })
            .unzip();
        rows.reverse();
        Monthly {
            id: self.id,
            chart: Chart::new(self.title.clone(), values, written),
            title: self.title,
            legend: self.legend,
            heads: self.heads,
            rows,
            meaning: self.meaning,
        }
    }
}

/// With one decimal place; a dash where there is nothing to be a part of.
fn percent(share: Share) -> String {
    per_mille(share.part, share.whole).map_or_else(|| "–".to_owned(), |share| format!("{}.{}%", share / 10, share % 10))
}

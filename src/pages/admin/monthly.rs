//! The figures of the overview that have a number for each month.

use chrono::{DateTime, Utc};

use super::{
    chart::{Chart, Value},
    overview::Figures,
};
use crate::{
    domain::{
        figures::per_mille,
        local_time,
        money::{Currency, Money},
        user::Language,
    },
    pages::frame::Frame,
    store::figures::Share,
};

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

/// All of them.
pub(super) fn monthly(frame: &Frame, figures: &Figures) -> Vec<Monthly> {
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

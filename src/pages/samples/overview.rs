//! The overview of staff.

use super::{Sample, moment, sample, viewer};
use crate::{
    domain::{
        figures::months_up_to,
        money::{Currency, Money},
        subscription::Status,
    },
    pages::admin::overview::{Figures, Overview},
    store::figures::Share,
};

pub(super) fn all() -> Vec<Sample> {
    let template = "pages/admin/overview.html";
    let page = |figures: &Figures| Overview::new(viewer("/admin", "Ada Lovelace", true), moment(), figures);
    vec![sample(template, "some", &page(&some())), sample(template, "empty", &page(&empty()))]
}

fn empty() -> Figures {
    let none = vec![Share::default(); 12];
    Figures {
        starts: months_up_to("2027-02-28T10:15:30Z".parse().unwrap(), 12),
        people: Status::ALL.into_iter().map(Some).chain([None]).map(|status| (status, 0)).collect(),
        recurring: Vec::new(),
        sign_ups: vec![0; 12],
        conversions: none.clone(),
        churn: none.clone(),
        failures: none,
        received: vec![Vec::new(); 12],
    }
}

fn some() -> Figures {
    let euros = |minor| Money::new(minor, Currency::parse("eur").unwrap());
    let share = |whole: i64, part: i64| Share { whole, part };
    let rising = |count: i64| (1..=12).map(move |month| month * count);
    Figures {
        people: Status::ALL.into_iter().map(Some).chain([None]).zip([412, 1_038, 27, 190, 861, 14]).collect(),
        recurring: vec![(euros(934_200), 1_038)],
        sign_ups: rising(23).collect(),
        conversions: rising(21).map(|trials| share(trials, trials / 3)).collect(),
        churn: rising(80).map(|paying| share(paying, paying / 12)).collect(),
        failures: rising(3).map(|failed| share(failed, failed * 2 / 3)).collect(),
        received: rising(77_850).map(|sum| vec![euros(sum)]).collect(),
        ..empty()
    }
}

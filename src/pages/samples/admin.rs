//! The pages of staff.

use super::{NASTY, Sample, moment, sample, say, viewer};
use chrono::DateTime;

use crate::{
    domain::subscription::Kind,
    pages::{
        admin::{
            action::{ActionPage, label, text},
            asked::Choice,
            audit::{Audit, AuditLine},
            events::{EventLine, EventPage, Events, Heard},
            subscriber::{Happened, SubscriberPage},
            subscribers::{Heading, Line, Subscribers},
            why::{Source, Tense, Why},
        },
        form::FieldErrors,
        payments::Payments,
        status::{Badge, Reason},
    },
    staff::Action,
    store::{
        audit::{AuditEntry, AuditOutcome},
        history::Cause,
        subscribers::Subscriber,
    },
};

pub(super) fn all() -> Vec<Sample> {
    let mut samples = Vec::new();
    samples.extend(list());
    samples.extend(one_person());
    samples.extend(actions());
    samples.extend(journal());
    samples.extend(log());
    samples
}

fn line(name: &str, badge: Badge) -> Line {
    Line {
        href: "/admin/subscribers/usr_1".to_owned(),
        name: name.to_owned(),
        email: "ada@example.com".to_owned(),
        confirmed: true,
        locked: false,
        badge,
        plan: Some("Monthly".to_owned()),
        kind: Some(Kind::Recurring),
        twice: false,
        ends: Some(moment()),
        renews: true,
        signed_up: moment(),
    }
}

fn page(lines: Vec<Line>) -> Subscribers {
    let choice = |value: &str, label: String, chosen| Choice { value: value.to_owned(), label, chosen };
    Subscribers {
        frame: viewer("/admin/subscribers", "Ada Lovelace", true),
        search: String::new(),
        statuses: vec![choice("active", say("status-active"), false), choice("expired", say("status-expired"), true)],
        kinds: vec![choice("trial", say("admin-kind-trial"), false)],
        plans: vec![choice("monthly", "Monthly".to_owned(), false)],
        twice: true,
        unconfirmed: false,
        order: ("name", "asc"),
        count: i64::try_from(lines.len()).unwrap_or_default(),
        counted_up: false,
        lines,
        headings: ["ascending", "none", "none"]
            .map(|sorted| Heading { href: "/admin/subscribers?sort=name&dir=desc".to_owned(), sorted }),
        csv: "/admin/subscribers.csv?sort=name".to_owned(),
        next: None,
        first: None,
    }
}

fn list() -> Vec<Sample> {
    let template = "pages/admin/subscribers.html";
    let trial = Line { plan: None, kind: Some(Kind::Trial), renews: false, ..line("Dr Ada Lovelace", Badge::Trial) };
    let twice = Line { twice: true, confirmed: false, ..line("Ada Lovelace", Badge::PastDue) };
    let nothing = Line { ends: None, kind: None, locked: true, ..trial.clone() };
    let nothing = Line { badge: Badge::Nothing, ..nothing };
    let some = Subscribers {
        counted_up: true,
        next: Some("/admin/subscribers?after=x".to_owned()),
        first: Some("/admin/subscribers".to_owned()),
        ..page(vec![trial, twice, line("Ada Lovelace", Badge::Active), nothing])
    };
    let nasty = Line { email: NASTY.to_owned(), plan: Some(NASTY.to_owned()), ..line(NASTY, Badge::Canceled) };
    vec![
        sample(template, "some", &some),
        sample(template, "nobody", &page(Vec::new())),
        sample(template, "nasty", &Subscribers { search: NASTY.to_owned(), ..page(vec![nasty]) }),
    ]
}

fn person() -> Subscriber {
    Subscriber {
        id: 1,
        public_id: "usr_1".to_owned(),
        email: "ada@example.com".to_owned(),
        confirmed: false,
        title: None,
        first_name: "Ada".to_owned(),
        last_name: "Lovelace".to_owned(),
        phone: Some("+44 20 7946 0958".to_owned()),
        signed_up_at: DateTime::UNIX_EPOCH,
        status: None,
        kind: None,
        plan: None,
        granted: true,
        renews: true,
        ends_at: None,
        live: 2,
        locked: true,
        stripe_customer_id: Some("cus_1".to_owned()),
        name_key: String::new(),
    }
}

fn source(kind: &'static str, badge: Badge, gives: bool) -> Source {
    Source {
        kind,
        plan: Some("Monthly".to_owned()),
        badge,
        provider_status: Some("active".to_owned()),
        provider_id: Some("sub_1".to_owned()),
        period: Some((moment(), moment())),
        access_end: gives.then(moment),
        gives,
        ends: !gives,
    }
}

fn one_person() -> Vec<Sample> {
    let template = "pages/admin/subscriber.html";
    let happened = |what: &str, detail: &str| Happened {
        at: moment(),
        what: what.to_owned(),
        outcome: "applied".to_owned(),
        detail: detail.to_owned(),
    };
    let why = |decision, sources, tense, cause| Why {
        at: moment(),
        tense,
        ran_out: (tense == Tense::Past).then(moment),
        decision,
        by: Some("admin-kind-recurring"),
        learned: Some((moment(), cause)),
        sources,
        grace_hours: 72,
        confirmed_only: tense != Tense::Now,
    };
    let page = |why, name: &str, detail: &str| SubscriberPage {
        frame: viewer("/admin/subscribers/usr_1", "Ada Lovelace", true),
        name: name.to_owned(),
        id: "usr_1".to_owned(),
        line: person(),
        badge: Badge::Active,
        signed_up: moment(),
        locked: Some(moment()),
        second_factor: Some(moment()),
        role: Some("support"),
        why,
        wrong_moment: None,
        actions: Action::ALL.into_iter().map(|action| (action.as_str(), label(action))).collect(),
        payments: Payments::default(),
        events: vec![happened("customer.subscription.updated", detail)],
        entries: vec![happened("lock", detail)],
        mails: vec![happened("payment_failed", detail)],
        sessions: vec![happened("curl/8", "")],
        done: true,
    };
    let sources =
        vec![source("admin-kind-trial", Badge::Expired, false), source("admin-kind-recurring", Badge::Active, true)];
    let event = Cause::Event { id: "evt_1".to_owned(), event_type: "customer.subscription.updated".to_owned() };
    let staff = Cause::Staff { action: "give_months".to_owned(), reason: NASTY.to_owned() };
    let open = page(why(Ok((moment(), true)), sources, Tense::Now, event), "Ada Lovelace", "{\"before\":null}");
    let ends = page(why(Ok((moment(), false)), Vec::new(), Tense::Future, staff), NASTY, NASTY);
    let closed = page(why(Err(Reason::PaymentFailed), Vec::new(), Tense::Now, Cause::Answer), "Ada Lovelace", "");
    let closed = SubscriberPage { wrong_moment: Some(NASTY.to_owned()), ..closed };
    let past = page(why(Err(Reason::TrialEnded), Vec::new(), Tense::Past, Cause::SignUp), "Ada Lovelace", "");
    vec![
        sample(template, "open", &open),
        sample(template, "nasty", &ends),
        sample(template, "closed", &closed),
        sample(template, "past", &past),
    ]
}

fn actions() -> Vec<Sample> {
    let ask = |action: Action, errors: FieldErrors| {
        let page = ActionPage {
            frame: viewer("/admin/subscribers/usr_1", "Ada Lovelace", true),
            name: "Ada Lovelace".to_owned(),
            email: "ada@example.com".to_owned(),
            back: "/admin/subscribers/usr_1".to_owned(),
            here: format!("/admin/subscribers/usr_1/{}", action.as_str()),
            label: label(action),
            text: text(action),
            months: action.takes_months().then(|| "1".to_owned()),
            example: action.takes_months().then(|| (moment(), moment())),
            reason: String::new(),
            seen: 7,
            errors,
        };
        sample("pages/admin/action.html", action.as_str(), &page)
    };
    let mut samples: Vec<Sample> = Action::ALL.into_iter().map(|action| ask(action, FieldErrors::new())).collect();
    let mut errors = FieldErrors::new();
    errors.add("reason", say("admin-reason-missing"));
    errors.add("months", say("admin-months-wrong"));
    samples.push(Sample { case: "refused".to_owned(), ..ask(Action::GiveMonths, errors) });
    let changed = FieldErrors::new().with_summary(say("admin-refused-changed"));
    samples.push(Sample { case: "changed".to_owned(), ..ask(Action::Lock, changed) });
    samples
}

fn event_line(detail: &str) -> EventLine {
    EventLine {
        id: "evt_1".to_owned(),
        kind: "invoice.paid".to_owned(),
        at: moment(),
        outcome: "applied",
        detail: detail.to_owned(),
    }
}

fn journal() -> Vec<Sample> {
    let page = |lines: Vec<EventLine>, typed: &str| Events {
        frame: viewer("/admin/events", "Ada Lovelace", true),
        outcomes: vec![Choice { value: "failed".to_owned(), label: say("admin-outcome-failed"), chosen: true }],
        kinds: Vec::new(),
        person: typed.to_owned(),
        span: (typed.to_owned(), typed.to_owned()),
        waiting: vec![("failed", 3)],
        next: lines.first().map(|_| "/admin/events?before=1".to_owned()),
        lines,
        heard: vec![
            Heard { kind: "invoice.paid", last: Some(moment()) },
            Heard { kind: "charge.refunded", last: None },
        ],
        may_replay: true,
        replayed: Some("3".to_owned()),
    };
    let event = |text: &str, payload: Option<&str>| EventPage {
        frame: viewer("/admin/events/evt_1", "Ada Lovelace", true),
        line: event_line(text),
        created: moment(),
        attempts: 2,
        person: Some("/admin/subscribers/usr_1".to_owned()),
        change: payload.map(str::to_owned),
        payload: payload.map(str::to_owned),
        may_replay: payload.is_some(),
    };
    vec![
        sample("pages/admin/events.html", "some", &page(vec![event_line("")], "")),
        sample("pages/admin/events.html", "none", &page(Vec::new(), "")),
        sample("pages/admin/events.html", "nasty", &page(vec![event_line(NASTY)], NASTY)),
        sample("pages/admin/event.html", "kept", &event("", Some("{}"))),
        sample("pages/admin/event.html", "gone", &event("", None)),
        sample("pages/admin/event.html", "nasty", &event(NASTY, Some(NASTY))),
    ]
}

fn log() -> Vec<Sample> {
    let entry = |text: &str| AuditEntry {
        actor: "usr_1".to_owned(),
        origin: "192.0.2.1".to_owned(),
        action: "lock".to_owned(),
        subject: Some("usr_2".to_owned()),
        reason: text.to_owned(),
        outcome: AuditOutcome::Made,
        detail: Some(text.to_owned()),
    };
    let page = |entries: Vec<AuditEntry>, typed: &str| Audit {
        frame: viewer("/admin/audit", "Ada Lovelace", true),
        actions: vec![Choice { value: "lock".to_owned(), label: say("admin-do-lock"), chosen: false }],
        outcomes: Vec::new(),
        actor: typed.to_owned(),
        subject: typed.to_owned(),
        csv: Some("/admin/audit.csv?".to_owned()),
        next: entries.first().map(|_| "/admin/audit?before=1".to_owned()),
        lines: entries.into_iter().map(|entry| AuditLine { at: moment(), entry }).collect(),
    };
    let template = "pages/admin/audit.html";
    vec![
        sample(template, "some", &page(vec![entry("asked for it")], "")),
        sample(template, "none", &page(Vec::new(), "")),
        sample(template, "nasty", &page(vec![entry(NASTY)], NASTY)),
    ]
}

//! What somebody with an account can see.

use super::{NASTY, Sample, ada, article, cards, moment, sample, say, security, words};
use crate::{
    content::Article,
    pages::{
        account::{Account, Change, Profile},
        checkout_return::{CheckoutReturn, Progress},
        denied::Denied,
        payments::{PaymentLine, PaymentState, Payments},
        plans::{Left, Plans},
        premium::{Pass, PremiumArticle, PremiumIndex},
        status::{Badge, Reason, Standing},
    },
};

pub fn all() -> Vec<Sample> {
    [account(), plans(), checkout_return(), premium(), denied()].into_iter().flatten().collect()
}

fn account() -> Vec<Sample> {
    let page = |badge, standing, plan: Option<&str>| Account {
        frame: ada("/account"),
        badge,
        standing,
        plan: plan.map(str::to_owned),
        welcome: false,
        trial_was_used: false,
        portal: true,
        change: None,
        profile: Profile {
            name: "Countess Ada Lovelace".to_owned(),
            email: "ada@example.com".to_owned(),
            email_confirmed: true,
            email_pending: None,
            phone: None,
            time_zone: "Europe/Paris".to_owned(),
            member_since: moment(),
        },
        payments: Payments::default(),
        sessions: security::sessions(),
        second_factor: None,
        done: None,
    };
    let changes = |change, page: Account| Account { change: Some(change), ..page };
    let granted = |renews| Standing::Granted {
        until: moment(),
        left: words().say("time-days").with("count", 121).into(),
        used: Some(34),
        renews,
    };
    let denied = |reason| Standing::Denied { reason, since: Some(moment()) };
    let trial = page(Badge::Trial, granted(false), Some("Trial of six months"));
    let new = Account { welcome: true, ..trial.clone() };
    let nasty_profile =
        Profile { name: NASTY.to_owned(), phone: Some("+33 1 23 45 67 89".to_owned()), ..trial.profile.clone() };
    let nasty = Account { plan: Some(NASTY.to_owned()), profile: nasty_profile, ..trial.clone() };
    let nasty = Account { payments: payments(NASTY, true), done: Some(NASTY.to_owned()), ..nasty };
    let guarded = Account { second_factor: Some(moment()), sessions: Vec::new(), ..trial.clone() };
    let paid = Account { payments: payments("Six months, paid once", false), ..trial.clone() };
    let never = Standing::Denied { reason: Reason::NeverSubscribed, since: None };
    let second = Account { trial_was_used: true, ..page(Badge::Nothing, never.clone(), None) };
    let no_portal = Account { portal: false, ..page(Badge::PastDue, denied(Reason::PaymentFailed), Some("Monthly")) };
    let unconfirmed = Account {
        profile: Profile {
            email_confirmed: false,
            email_pending: Some("ada@example.com".to_owned()),
            ..trial.profile.clone()
        },
        done: Some(say("email-done-asked")),
        standing: Standing::Denied { reason: Reason::EmailUnconfirmed, since: None },
        ..trial.clone()
    };
    let template = "pages/account.html";
    vec![
        sample(template, "new", &new),
        sample(template, "trial", &trial),
        sample(template, "nasty", &nasty),
        sample(template, "second-factor", &guarded),
        sample(template, "unconfirmed", &unconfirmed),
        sample(template, "paid", &paid),
        sample(template, "renews", &changes(Change::Cancel, page(Badge::Active, granted(true), Some("Monthly")))),
        sample(template, "resumes", &changes(Change::Resume, page(Badge::Active, granted(false), Some("Monthly")))),
        sample(template, "pays-after-trial", &page(Badge::ActiveAfterTrial, granted(true), Some("Monthly"))),
        sample(template, "ends", &page(Badge::Active, granted(false), Some("Monthly"))),
        sample(template, "grace", &page(Badge::PastDue, granted(false), Some("Monthly"))),
        sample(template, "past-due", &no_portal),
        sample(template, "canceled", &page(Badge::Canceled, denied(Reason::Canceled), Some("Monthly"))),
        sample(template, "expired", &page(Badge::Expired, denied(Reason::TrialEnded), None)),
        sample(template, "nothing", &page(Badge::Nothing, never, None)),
        sample(template, "second-trial", &second),
    ]
}

fn payments(what: &str, has_more: bool) -> Payments {
    let line = |state| PaymentLine {
        is_under_way: state == PaymentState::Pending,
        at: moment(),
        what: what.to_owned(),
        amount: "€49.00".to_owned(),
        state,
        refunded: (state == PaymentState::PartlyRefunded).then(|| "€10.00".to_owned()),
        receipt: (state != PaymentState::Failed).then(|| format!("https://pay.example/receipts?a=1&b={what}")),
    };
    Payments { lines: PaymentState::ALL.map(line).into(), has_more }
}

fn plans() -> Vec<Sample> {
    let page = |left, notice: Option<_>| Plans {
        frame: ada("/plans"),
        plans: cards(),
        left,
        is_paying: notice.is_some(),
        chosen: Some("yearly".to_owned()),
        notice,
    };
    let until = Left::Until { until: moment(), left: words().say("time-days").with("count", 184).into() };
    let plan = |name: &str, renews, trouble| Left::Subscribed {
        plan: name.to_owned(),
        until: Some(moment()),
        renews,
        trouble,
    };
    let came_back = Some(say("plans-came-back"));
    let template = "pages/plans.html";
    vec![
        sample(template, "trial", &page(until.clone(), None)),
        sample(template, "nothing-left", &page(Left::Nothing, came_back)),
        sample(template, "subscribed", &page(plan("Monthly", true, None), None)),
        sample(template, "subscribed-ends", &page(plan(NASTY, false, None), None)),
        sample(template, "past-due", &page(plan("Monthly", true, Some(Reason::PaymentFailed)), None)),
        sample(template, "paused", &page(plan("Monthly", true, Some(Reason::Paused)), None)),
        sample(template, "nothing-to-sell", &Plans { plans: vec![], ..page(until, None) }),
    ]
}

fn checkout_return() -> Vec<Sample> {
    let page = |progress| CheckoutReturn { frame: ada("/checkout/return"), progress, back: None };
    let again = || "/checkout/return?session_id=cs_test_1&look=2".to_owned();
    let active = |renews| Progress::Active { plan: "Monthly".to_owned(), until: moment(), renews };
    let elsewhere = ("127.0.0.1".to_owned(), "http://127.0.0.1:9000/a?b=c".to_owned());
    let template = "pages/checkout_return.html";
    vec![
        sample(template, "pending", &page(Progress::Pending { again: again() })),
        sample(template, "slow", &page(Progress::Slow { again: again() })),
        sample(template, "active", &page(active(true))),
        sample(template, "prepaid", &page(active(false))),
        sample(template, "from-a-gate", &CheckoutReturn { back: Some(elsewhere), ..page(active(true)) }),
        sample(template, "delayed", &page(Progress::Delayed { again: again() })),
        sample(template, "failed", &page(Progress::Failed)),
        sample(template, "closed", &page(Progress::Closed)),
        sample(template, "nothing", &page(Progress::Nothing)),
    ]
}

fn premium() -> Vec<Sample> {
    let pass = |renews| Pass { until: moment(), renews };
    let nasty = Article { title: NASTY.to_owned(), summary: NASTY.to_owned(), ..article() };
    let articles = [article(), nasty];
    let index = |articles, renews| PremiumIndex { frame: ada("/premium"), articles, pass: pass(renews) };
    let page = |article, next| PremiumArticle {
        frame: ada("/premium/how-access-is-decided"),
        article,
        next,
        pass: pass(false),
    };
    let [plain, nasty] = &articles;
    vec![
        sample("pages/premium_index.html", "some", &index(&articles, true)),
        sample("pages/premium_index.html", "none", &index(&[], false)),
        sample("pages/premium_article.html", "first", &page(plain, Some(nasty))),
        sample("pages/premium_article.html", "last", &page(nasty, None)),
    ]
}

fn denied() -> Vec<Sample> {
    let page = |reason, portal| Denied {
        frame: ada("/premium"),
        reason,
        since: (!matches!(reason, Reason::NeverSubscribed | Reason::EmailUnconfirmed)).then(moment),
        portal,
    };
    let both = |reason: Reason| {
        [false, true].map(|portal| {
            sample("pages/denied.html", format!("{}-portal-{portal}", reason.as_str()), &page(reason, portal))
        })
    };
    Reason::ALL.into_iter().flat_map(both).collect()
}

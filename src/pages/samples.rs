//! Every page in every state, for the tests.

use askama::Template;
use chrono_tz::Tz;

use crate::{
    content::Article,
    pages::{
        account::{Account, Profile},
        checkout::{CheckoutReturn, Progress},
        denied::Denied,
        error_page::ErrorPage,
        form::FieldErrors,
        frame::{Frame, Viewer},
        home::{Home, Offer, Teaser},
        login::{Login, LoginForm},
        moment::Moment,
        plans::{Left, PlanCard, PlanKind, Plans},
        premium::{Pass, PremiumArticle, PremiumIndex},
        signup::{Signup, SignupForm},
        status::{Badge, Reason, Standing},
    },
};

/// What somebody types who wants to break the page.
pub const NASTY: &str = "<script>alert('x')</script>\"><img src=x onerror=alert(1)>";

/// One rendered page.
pub struct Sample {
    /// Its file under `templates/`.
    pub template: &'static str,
    /// Which state of it.
    pub case: String,
    /// What the browser gets.
    pub html: String,
}

/// All of them.
pub fn all() -> Vec<Sample> {
    [home(), signup(), login(), account(), plans(), checkout_return(), premium(), denied(), errors()]
        .into_iter()
        .flatten()
        .collect()
}

fn sample(template: &'static str, case: impl Into<String>, page: &impl Template) -> Sample {
    Sample { template, case: case.into(), html: page.render().unwrap() }
}

fn stranger(path: &str) -> Frame {
    Frame::new(path).with_sandbox(Some("http://127.0.0.1:8081/".to_owned()))
}

fn ada(path: &str) -> Frame {
    viewer(path, "Ada Lovelace", false)
}

fn viewer(path: &str, name: &str, admin: bool) -> Frame {
    stranger(path).with_viewer(Viewer { name: name.to_owned(), email: "ada@example.com".to_owned(), admin })
}

/// The trial's end that `docs/rules.md` §2 has in its first row.
fn moment() -> Moment {
    Moment::new("2027-02-28T10:15:30Z".parse().unwrap(), Tz::Europe__Paris)
}

fn cards() -> Vec<PlanCard> {
    let card = |key: &str, name: &str, price: Option<&str>, every: Option<&str>, kind| PlanCard {
        key: key.to_owned(),
        name: name.to_owned(),
        price: price.map(str::to_owned),
        every: every.map(str::to_owned),
        kind,
    };
    vec![
        card("monthly", "Monthly", Some("€9.00"), Some("a month"), PlanKind::Recurring),
        card("yearly", "Yearly", Some("€90.00"), Some("a year"), PlanKind::Recurring),
        card("half-year", "Six months, paid once", None, None, PlanKind::Prepaid { months: 6 }),
    ]
}

fn article() -> Article {
    Article {
        slug: "how-access-is-decided".to_owned(),
        title: "How access is decided".to_owned(),
        summary: "One question, one function, one answer.".to_owned(),
        html: "<p>Words.</p>\n<h2>More</h2>\n<p>Words.</p>\n".to_owned(),
    }
}

fn home() -> Vec<Sample> {
    let teaser = |title: &str, summary: &str| Teaser {
        slug: "how-access-is-decided".to_owned(),
        title: title.to_owned(),
        summary: summary.to_owned(),
    };
    let teasers = vec![
        teaser("How access is decided", "One question, one function, one answer."),
        teaser("Running Turnpike on SQLite", "One file, and what to know about it."),
    ];
    let from = Moment::new("2026-08-31T10:15:30Z".parse().unwrap(), Tz::UTC);
    let offer = Some(Offer { from, until: Moment::new("2027-02-28T10:15:30Z".parse().unwrap(), Tz::UTC) });
    vec![
        sample("pages/home.html", "stranger", &Home { frame: stranger("/"), plans: cards(), teasers, offer }),
        sample(
            "pages/home.html",
            "nothing-to-sell",
            &Home { frame: Frame::new("/"), plans: vec![], teasers: vec![], offer: None },
        ),
        sample(
            "pages/home.html",
            "nasty",
            &Home { frame: viewer("/", NASTY, true), plans: vec![], teasers: vec![teaser(NASTY, NASTY)], offer: None },
        ),
    ]
}

fn signup() -> Vec<Sample> {
    let mut errors = FieldErrors::new();
    for (field, message) in [
        ("email", "Enter an e-mail address like name@example.com."),
        ("password", "Choose a password of at least 10 characters."),
        ("first_name", "Enter your first name."),
        ("time_zone", "We don't know this time zone. Try a city, for example Europe/Paris."),
        ("accept_terms", "Accept the terms to go on."),
    ] {
        errors.add(field, message);
    }
    let refused = SignupForm {
        email: NASTY.to_owned(),
        first_name: NASTY.to_owned(),
        last_name: "Lovelace".to_owned(),
        phone: NASTY.to_owned(),
        time_zone: "Paris".to_owned(),
        next: "/premium/how-access-is-decided?a=1&b=2".to_owned(),
        errors,
        ..SignupForm::default()
    };
    vec![
        sample("pages/signup.html", "empty", &Signup { frame: stranger("/signup"), form: SignupForm::default() }),
        sample("pages/signup.html", "refused", &Signup { frame: stranger("/signup"), form: refused }),
    ]
}

fn login() -> Vec<Sample> {
    let errors = FieldErrors::new().with_summary("The e-mail address or the password is wrong.");
    let refused = LoginForm { email: NASTY.to_owned(), next: "/account".to_owned(), errors };
    let page =
        |form, notice: Option<&str>| Login { frame: stranger("/login"), form, notice: notice.map(str::to_owned) };
    vec![
        sample("pages/login.html", "empty", &page(LoginForm::default(), None)),
        sample("pages/login.html", "sent-here", &page(LoginForm::default(), Some("Log in to read this page."))),
        sample("pages/login.html", "refused", &page(refused, None)),
    ]
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
        profile: Profile {
            name: "Countess Ada Lovelace".to_owned(),
            email: "ada@example.com".to_owned(),
            phone: None,
            time_zone: "Europe/Paris".to_owned(),
            member_since: moment(),
        },
    };
    let granted = |renews| Standing::Granted { until: moment(), left: "121 days".to_owned(), used: Some(34), renews };
    let denied = |reason| Standing::Denied { reason, since: Some(moment()) };
    let trial = page(Badge::Trial, granted(false), Some("Trial of six months"));
    let new = Account { welcome: true, ..trial.clone() };
    let nasty_profile =
        Profile { name: NASTY.to_owned(), phone: Some("+33 1 23 45 67 89".to_owned()), ..trial.profile.clone() };
    let nasty = Account { plan: Some(NASTY.to_owned()), profile: nasty_profile, ..trial.clone() };
    let never = Standing::Denied { reason: Reason::NeverSubscribed, since: None };
    let second = Account { trial_was_used: true, ..page(Badge::Nothing, never.clone(), None) };
    let no_portal = Account { portal: false, ..page(Badge::PastDue, denied(Reason::PaymentFailed), Some("Monthly")) };
    let template = "pages/account.html";
    vec![
        sample(template, "new", &new),
        sample(template, "trial", &trial),
        sample(template, "nasty", &nasty),
        sample(template, "renews", &page(Badge::Active, granted(true), Some("Monthly"))),
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

fn plans() -> Vec<Sample> {
    let page = |left, notice: Option<&str>| Plans {
        frame: ada("/plans"),
        plans: cards(),
        left,
        notice: notice.map(str::to_owned),
    };
    let until = Left::Until { until: moment(), left: "184 days".to_owned() };
    let subscribed = |renews| Left::Subscribed { plan: "Monthly".to_owned(), until: Some(moment()), renews };
    let failed = "Stripe does not answer just now. Nothing was charged. Try again in a minute.";
    let template = "pages/plans.html";
    vec![
        sample(template, "trial", &page(until.clone(), None)),
        sample(template, "nothing-left", &page(Left::Nothing, Some(failed))),
        sample(template, "subscribed", &page(subscribed(true), None)),
        sample(template, "subscribed-ends", &page(subscribed(false), Some(NASTY))),
        sample(template, "nothing-to-sell", &Plans { plans: vec![], ..page(until, None) }),
    ]
}

fn checkout_return() -> Vec<Sample> {
    let page = |progress| CheckoutReturn { frame: ada("/checkout/return"), progress };
    let again = || "/checkout/return?session_id=cs_test_1&look=2".to_owned();
    let active = |renews| Progress::Active { plan: "Monthly".to_owned(), until: moment(), renews };
    let template = "pages/checkout_return.html";
    vec![
        sample(template, "pending", &page(Progress::Pending { again: again() })),
        sample(template, "slow", &page(Progress::Slow { again: again() })),
        sample(template, "active", &page(active(true))),
        sample(template, "prepaid", &page(active(false))),
        sample(template, "failed", &page(Progress::Failed)),
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
        since: (reason != Reason::NeverSubscribed).then(moment),
        portal,
    };
    let both = |reason: Reason| {
        [false, true].map(|portal| {
            sample("pages/denied.html", format!("{}-portal-{portal}", reason.as_str()), &page(reason, portal))
        })
    };
    Reason::ALL.into_iter().flat_map(both).collect()
}

fn errors() -> Vec<Sample> {
    let page = |status: u16| {
        let page = ErrorPage { request_id: Some("01J9Z7".to_owned()), ..ErrorPage::new(ada("/x"), status) };
        sample("pages/error.html", status.to_string(), &page)
    };
    let nasty = ErrorPage::new(stranger("/x"), 400).with_message(NASTY);
    let mut samples: Vec<_> = [400, 401, 403, 404, 405, 408, 413, 415, 418, 429, 500, 503].map(page).into();
    samples.push(sample("pages/error.html", "nasty", &nasty));
    samples
}

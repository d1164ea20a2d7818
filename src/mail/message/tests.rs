use super::*;
use crate::domain::{
    access::Denial,
    plan::{Plan, PlanKind},
    subscription::Kind,
    user::Role,
};

const SITE: &str = "https://members.example.com";
const TOKEN: &str = "t0ken";

fn utc(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

fn ada() -> User {
    User {
        id: 1,
        public_id: "u".to_owned(),
        email: "ada@example.com".to_owned(),
        email_confirmed: false,
        email_pending: None,
        title: None,
        first_name: "Ada".to_owned(),
        last_name: "Lovelace".to_owned(),
        phone: None,
        time_zone: "Europe/Paris".to_owned(),
        language: "en".to_owned(),
        role: Role::User,
        stripe_customer_id: None,
        created_at: utc("2026-08-31T10:15:30Z"),
        deleted: false,
        second_factor_at: None,
        locked_at: None,
    }
}

fn plans() -> Plans {
    let plan = |key: &str, name: &str, kind| Plan { key: key.into(), name: name.into(), price: key.into(), kind };
    Plans::new(vec![
        plan("monthly", "Monthly", PlanKind::Recurring),
        plan("half-year", "Half a year", PlanKind::Prepaid { months: 6 }),
        plan("odd", "<b>Größe</b> & \"M\"", PlanKind::Recurring),
    ])
    .unwrap()
}

fn closed() -> Access {
    Access::Denied { reason: Denial::Canceled }
}

fn open(renews: bool) -> Access {
    Access::Granted { by: Kind::Trial, until: utc("2027-03-05T10:15:30Z"), renews }
}

fn letter(notice: &Notice, user: &User, access: Access) -> Letter {
    let (plans, now) = (plans(), utc("2027-02-28T10:15:30Z"));
    Letter::new(notice, &Reader { user, access, plans: &plans, site: SITE, now, token: TOKEN })
}

fn failed(plan: Option<&str>, amount: Option<(i64, &str)>, next_attempt: Option<&str>) -> Notice {
    Notice::PaymentFailed { plan: plan.map(str::to_owned), amount: amount.map(of), next_attempt: next_attempt.map(utc) }
}

fn ended(plan: Option<&str>) -> Notice {
    Notice::SubscriptionEnded { plan: plan.map(str::to_owned), ended_at: utc("2027-02-28T10:15:30Z") }
}

fn refunded(plan: Option<&str>, amount: Option<(i64, &str)>, in_full: bool) -> Notice {
    Notice::Refunded { plan: plan.map(str::to_owned), amount: amount.map(of), in_full }
}

fn of((minor, currency): (i64, &str)) -> Amount {
    Amount { minor, currency: currency.to_owned() }
}

const CARD: &str = "it may have expired, or your bank may want you to confirm the payment.";

#[test]
fn a_payment_that_failed() {
    let again = "It will be tried again by itself on 1 March 2027, 09:00 CET. Check your card before then:";
    let stays = "Until it is paid, the premium pages stay closed.";
    let rows = [
        (
            failed(Some("monthly"), Some((900, "eur")), Some("2027-03-01T08:00:00Z")),
            closed(),
            vec![
                "Your payment of €9.00 for \"Monthly\" did not go through.".to_owned(),
                format!("{again} {CARD}"),
                stays.to_owned(),
            ],
        ),
        (
            failed(Some("monthly"), Some((900, "jpy")), None),
            open(false),
            vec![
                "Your payment of ¥900 for \"Monthly\" did not go through.".to_owned(),
                format!("It will not be tried again by itself. Check your card: {CARD}"),
            ],
        ),
        (
            // The mail waited until the next try was over.
            failed(None, Some((900, "eur")), Some("2027-02-28T10:15:30Z")),
            open(true),
            vec!["Your payment of €9.00 did not go through.".to_owned(), format!("Check your card: {CARD}")],
        ),
        (
            failed(Some("no longer sold"), Some((900, "euros")), None),
            closed(),
            vec![
                "A payment did not go through.".to_owned(),
                format!("It will not be tried again by itself. Check your card: {CARD}"),
                stays.to_owned(),
            ],
        ),
    ];
    for (notice, access, paragraphs) in rows {
        let letter = letter(&notice, &ada(), access);
        assert_eq!(letter.paragraphs, paragraphs, "{notice:?}");
        assert_eq!(letter.subject, "Your payment did not go through");
        assert_eq!(
            (letter.action.as_str(), letter.link.as_str()),
            ("Check your card", "https://members.example.com/account")
        );
    }
}

#[test]
fn months_that_could_not_be_paid_are_chosen_again() {
    let letter = letter(&failed(Some("half-year"), Some((4_800, "eur")), None), &ada(), closed());
    let [what, next] = letter.paragraphs.try_into().unwrap();
    assert_eq!(what, "Your payment of €48.00 for \"Half a year\" did not go through.");
    assert_eq!(next, "Nothing was charged. You can choose a plan and pay again whenever you like.");
    assert_eq!((letter.action.as_str(), letter.link.as_str()), ("See the plans", "https://members.example.com/plans"));
}

#[test]
fn a_subscription_that_ended() {
    let closed_now = "The premium pages are closed for you now. Your account stays, and you can choose a plan again whenever you like.";
    let first =
        "Your subscription \"Monthly\" ended on 28 February 2027, 11:15 CET. No more payments will be taken for it.";
    for (plan, access, paragraphs) in [
        (Some("monthly"), closed(), [first, closed_now]),
        (
            None,
            closed(),
            [
                "Your subscription ended on 28 February 2027, 11:15 CET. No more payments will be taken for it.",
                closed_now,
            ],
        ),
        (
            Some("monthly"),
            open(false),
            [
                first,
                "You have other access that lasts longer: you can read the premium pages until 5 March 2027, 11:15 CET.",
            ],
        ),
        (
            Some("monthly"),
            open(true),
            [first, "Another subscription of yours goes on, so you can read the premium pages as before."],
        ),
    ] {
        let letter = letter(&ended(plan), &ada(), access);
        assert_eq!(letter.paragraphs, paragraphs);
        assert_eq!(letter.subject, "Your subscription has ended");
        assert_eq!(letter.link, "https://members.example.com/plans");
    }
}

#[test]
fn a_refund() {
    let days = "The money goes back the way it came. It can take 5 to 10 working days until your bank shows it.";
    let shut = "The premium pages are closed for you now. Your account stays, and you can choose a plan again whenever you like.";
    let until = "You can read the premium pages until 5 March 2027, 11:15 CET.";
    for (plan, amount, in_full, access, paragraphs) in [
        (
            Some("half-year"),
            Some((4_800, "eur")),
            true,
            closed(),
            vec!["Your payment of €48.00 for \"Half a year\" was refunded in full.", days, shut],
        ),
        (None, None, true, open(false), vec!["Your payment was refunded in full.", days, until]),
        (None, None, true, open(true), vec!["Your payment was refunded in full.", days]),
        (
            Some("monthly"),
            Some((300, "chf")),
            false,
            closed(),
            vec!["3.00 CHF of your payment for \"Monthly\" has been refunded so far.", days],
        ),
        (None, None, false, closed(), vec!["A part of your payment has been refunded so far.", days]),
    ] {
        let letter = letter(&refunded(plan, amount, in_full), &ada(), access);
        assert_eq!(letter.paragraphs, paragraphs);
        assert_eq!(letter.subject, "Your refund is on its way");
        assert_eq!(letter.link, "https://members.example.com/account");
    }
}

#[test]
fn a_second_factor_that_changed() {
    for (notice, subject, page) in [
        (Notice::SecondFactorOn, "Your second factor is on", "/account"),
        (Notice::SecondFactorOff, "Your second factor is off", "/account"),
        (Notice::RecoveryCodesNew, "New recovery codes were made", "/account/second-factor"),
        (Notice::RecoveryCodeUsed, "A recovery code was used", "/account/second-factor"),
    ] {
        let letter = letter(&notice, &ada(), closed());
        assert_eq!((letter.subject.as_str(), letter.link), (subject, format!("https://members.example.com{page}")));
        assert!(letter.paragraphs.last().unwrap().contains("not you"), "{:?}", letter.paragraphs);
    }
}

#[test]
fn moments_are_told_on_the_clocks_of_the_reader() {
    for (zone, words) in [
        ("UTC", "28 February 2027, 10:15 UTC"),
        ("Asia/Kathmandu", "28 February 2027, 16:00 UTC+05:45"),
        ("US/Pacific", "28 February 2027, 02:15 PST"),
        ("Pacific/Auckland", "28 February 2027, 23:15 NZDT"),
        ("Mars/Olympus", "28 February 2027, 10:15 UTC"),
    ] {
        let user = User { time_zone: zone.to_owned(), ..ada() };
        let told = letter(&ended(None), &user, closed()).paragraphs.concat();
        assert!(told.contains(&format!("ended on {words}.")), "{zone}: {told}");
    }
}

#[test]
fn plain_text_is_what_a_person_would_write() {
    let text = letter(&ended(Some("monthly")), &ada(), open(false)).text().unwrap();
    let expected = "Hello Ada,

Your subscription \"Monthly\" ended on 28 February 2027, 11:15 CET. No more payments will be taken for it.

You have other access that lasts longer: you can read the premium pages until 5 March 2027, 11:15 CET.

See the plans: https://members.example.com/plans

-- 
You get this mail because this address has an account at https://members.example.com.";
    assert_eq!(text.trim_end(), expected);
}

#[test]
fn it_is_written_in_the_language_of_the_account() {
    let user = User { language: "zh-Hans".to_owned(), ..ada() };
    let again = Some("2027-03-01T08:00:00Z");
    let letter = letter(&failed(Some("monthly"), Some((900, "usd")), again), &user, closed());
    let text = letter.text().unwrap();
    let expected = "Ada，您好：

您为“Monthly”支付的 US$9.00 未成功。

系统将于 2027年3月1日 09:00（CET）自动重试。请在此之前检查您的银行卡：卡可能已过期，或者银行需要您确认这笔付款。

在付款成功之前，您无法阅读会员内容。

检查银行卡：https://members.example.com/account

-- 
您收到这封邮件，是因为此邮箱在 https://members.example.com 有账户。";
    assert_eq!((letter.subject.as_str(), text.trim_end()), ("您的付款未成功", expected));
    assert!(letter.html().unwrap().contains("<html lang=\"zh-Hans\">"));
}

#[test]
fn html_and_text_say_the_same() {
    for notice in
        [failed(Some("monthly"), Some((900, "eur")), None), ended(Some("monthly")), refunded(None, None, true)]
    {
        let letter = letter(&notice, &ada(), closed());
        let (text, html) = (letter.text().unwrap(), letter.html().unwrap());
        assert!(html.starts_with("<!doctype html>") && html.trim_end().ends_with("</html>"), "{html}");
        assert!(html.contains(&format!("<title>{}</title>", letter.subject)), "{html}");
        assert!(html.contains(&format!("href=\"{}\"", letter.link)), "{html}");
        let words = html.replace("&#34;", "\"");
        for said in letter.paragraphs.iter().map(String::as_str).chain(["Hello Ada,", letter.action.as_str(), SITE]) {
            assert!(text.contains(said) && words.contains(said), "{said}");
        }
    }
}

#[test]
fn nothing_that_was_typed_becomes_markup_or_a_link() {
    let names =
        ["<script>alert(1)</script>", "Ada http://evil.example", "www.evil.example", "\"><img src=x>", "A\r\nB: c"];
    for name in names {
        let user = User { first_name: name.to_owned(), last_name: name.to_owned(), ..ada() };
        let letter = letter(&ended(Some("odd")), &user, closed());
        let (text, html) = (letter.text().unwrap(), letter.html().unwrap());
        assert!(text.starts_with("Hello,\n") && html.contains("<p>Hello,</p>"), "{name}: {text}");
        for trace in ["evil", "alert", "<script", "<img", "B: c"] {
            assert!(!text.contains(trace) && !html.contains(trace), "{name}: {html}");
        }
        assert_eq!(html.matches("href=").count(), 2, "{html}");
        assert!(html.contains("&#60;b&#62;Größe&#60;/b&#62; &#38; &#34;M&#34;"), "{html}");
        assert!(text.contains("\"<b>Größe</b> & \"M\"\""), "{text}");
    }
}

#[test]
fn every_template_of_a_mail_is_rendered_here() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/emails");
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort();
    assert_eq!(names, ["layout.html", "layout.txt"]);
}

//! `/admin/subscribers` and its file: for staff alone, and the same list in both.

use chrono::TimeDelta;
use reqwest::Method;

use crate::{
    on_both,
    support::{
        app::App,
        client::{Answer, Visitor},
        member::{Member, sign_up_form, with_field},
    },
};

on_both! {
    for_everybody_else_there_is_no_such_page,
    who_is_staff_no_longer_is_out_at_the_next_request,
    what_can_not_be_read_shows_nobody,
    strange_addresses_never_break_anything,
    the_list_shows_what_the_gate_does_without_any_job,
    a_filter_and_its_file_show_the_same_people,
    pages_lead_through_the_whole_list,
    names_are_no_markup_and_no_formulas,
}

const LIST: &str = "/admin/subscribers";
const FILE: &str = "/admin/subscribers.csv";

async fn for_everybody_else_there_is_no_such_page(app: App) {
    let ada = Member::sign_up(&app, "ada@example.com").await;
    let bob = Member::sign_up(&app, "bob@example.com").await;
    ada.get(LIST).await.is(404);
    for path in [LIST, FILE] {
        for visitor in [&app.visitor(), &*bob as &Visitor] {
            for method in [Method::GET, Method::HEAD] {
                let answer = visitor.send(method, path, |request| request).await.is(404);
                assert!(!String::from_utf8_lossy(&answer.body).contains("ada@example.com"), "{path}");
            }
            assert!(matches!(visitor.post(path, &[]).await.status, 404 | 405));
        }
        app.visitor().get_json(path).await.is(404);
    }
    let support = app.staff("support").await;
    support.get(LIST).await.is(200).says("ada@example.com");
    support.get(FILE).await.is(403).says("Only an admin may do this").keeps_quiet_about("ada@example.com");
    assert_eq!(support.get_json(FILE).await.is(403).json()["code"], "ADMINS_ONLY");
}

async fn who_is_staff_no_longer_is_out_at_the_next_request(app: App) {
    let admin = app.admin().await;
    admin.get("/account").await.is(200).says("href=\"/admin\"");
    admin.get(LIST).await.is(200);
    app.database.execute("UPDATE users SET role = 'support'");
    admin.get(FILE).await.is(403);
    app.database.execute("UPDATE users SET role = 'user'");
    admin.get(LIST).await.is(404);
    admin.get("/account").await.is(200).keeps_quiet_about("href=\"/admin\"");
}

async fn what_can_not_be_read_shows_nobody(app: App) {
    let admin = app.admin().await;
    Member::sign_up(&app, "ada@example.com").await;
    for query in ["status=paid", "kind=gift", "sort=email", "dir=up", "twice=1", "after=x", "after=%00", "plan=%00"] {
        for path in [LIST, FILE] {
            let answer = admin.get(&format!("{path}?{query}")).await.is(400);
            answer.keeps_quiet_about("ada@example.com");
        }
    }
}

async fn strange_addresses_never_break_anything(app: App) {
    let admin = app.admin().await;
    app.member().await;
    let long = "a".repeat(4_000);
    for value in
        ["0", "-1", "9223372036854775807", "9223372036854775808", "abc", "", "%00", "%ff%fe", "1&limit=2", &long]
    {
        for name in ["page", "limit", "q", "after", "status", "kind", "plan", "sort", "dir", "twice", "unconfirmed"] {
            for path in [LIST, FILE] {
                for method in [Method::GET, Method::HEAD, Method::POST] {
                    let address = format!("{path}?{name}={value}");
                    let answer = admin.send(method, &address, |request| request).await;
                    assert!(answer.status < 500, "{name}={value}: {}", answer.status);
                }
            }
        }
    }
    let rows = |answer: &Answer| answer.text().matches("<th scope=\"row\">").count();
    assert_eq!(rows(&admin.get("/admin/subscribers?limit=1").await.is(200)), 1);
    assert_eq!(rows(&admin.get("/admin/subscribers?limit=-1").await.is(200)), 1);
    assert_eq!(rows(&admin.get("/admin/subscribers?limit=abc").await.is(200)), 2);
}

async fn the_list_shows_what_the_gate_does_without_any_job(app: App) {
    let ada = Member::sign_up(&app, "ada@example.com").await;
    let admin = app.admin().await;
    let only = |status: &'static str| {
        let admin = &admin;
        async move { admin.get(&format!("{LIST}?status={status}&q=ada")).await.is(200).text().contains(">ada@example.com") }
    };
    assert!(only("trialing").await && !only("expired").await);
    app.move_to(ada.trial_end - TimeDelta::seconds(1));
    ada.log_in().await;
    ada.reads().await;
    admin.log_in().await;
    assert!(only("trialing").await && !only("expired").await);
    app.move_to(ada.trial_end);
    assert!(!only("trialing").await && only("expired").await);
    assert_eq!(app.database.text("SELECT status FROM subscriptions ORDER BY id LIMIT 1").unwrap(), "trialing");
    ada.is_subscribed_by_event("sub_1").await;
    assert!(only("active").await && !only("expired").await);
    admin.get(&format!("{LIST}?q=sub_1")).await.is(200).says("ada@example.com").says("One person");
}

async fn a_filter_and_its_file_show_the_same_people(app: App) {
    let admin = app.admin().await;
    for email in ["ada@example.com", "bob@example.com", "eve@example.com"] {
        let member = Member::sign_up(&app, email).await;
        if email.starts_with("eve") {
            member.is_subscribed_by_event("sub_1").await;
        }
    }
    for (query, people) in [
        ("", &["admin@staff", "ada@", "bob@", "eve@"][..]),
        ("status=active", &["eve@"]),
        ("status=trialing&q=example.com", &["admin@staff", "ada@", "bob@"]),
        ("kind=recurring", &["eve@"]),
        ("plan=monthly", &["eve@"]),
        ("plan=yearly", &[]),
        ("q=bob", &["bob@"]),
        ("twice=yes", &[]),
        ("unconfirmed=yes", &["admin@staff", "ada@", "bob@", "eve@"]),
    ] {
        let page = admin.get(&format!("{LIST}?{query}&sort=name")).await.is(200);
        let file = admin.get(&format!("{FILE}?{query}&sort=name")).await.is(200);
        assert_eq!(file.header("content-type"), Some("text/csv; charset=utf-8"));
        assert_eq!(file.header("cache-control"), Some("private, no-store"));
        let lines = file.text();
        let lines: Vec<&str> = lines.lines().skip(1).collect();
        assert_eq!(lines.len(), people.len(), "{query}: {lines:?}");
        for person in people {
            assert!(lines.iter().any(|line| line.contains(person)), "{query}: {lines:?}");
            assert!(page.text().contains(&format!(">{person}")), "{query}: {person} is not on the page");
        }
    }
    let file = admin.get(&format!("{FILE}?q=eve")).await.text();
    let (head, line) = file.split_once('\n').unwrap();
    assert!(head.starts_with(
        "id,email,email_confirmed,title,first_name,last_name,phone,signed_up_at,status,kind,plan,access,until"
    ));
    assert!(line.contains(",2026-08-31T10:15:30Z,active,recurring,monthly,granted,2027-02-28T10:15:30Z,"), "{line}");
    assert!(line.contains(",+44 20 7946 0958,"), "{line}");
}

async fn pages_lead_through_the_whole_list(app: App) {
    let admin = app.admin().await;
    for number in 0..7 {
        Member::sign_up(&app, &format!("p{number}@example.com")).await;
    }
    let (mut address, mut seen) = (format!("{LIST}?limit=3&sort=name&q=example"), Vec::new());
    loop {
        let page = admin.get(&address).await.is(200).text();
        seen.extend(
            page.split("class=\"address\">")
                .skip(1)
                .filter_map(|rest| rest.split('<').next().map(str::to_owned))
                .filter(|text| text.contains('@')),
        );
        let Some(next) = page.split("rel=\"next\"").next().filter(|_| page.contains("rel=\"next\"")) else { break };
        let start = next.rfind("href=\"").unwrap() + 6;
        address = next[start..].split('"').next().unwrap().replace("&#38;", "&").replace("&amp;", "&");
    }
    seen.sort();
    let count = seen.len();
    seen.dedup();
    assert_eq!((count, seen.len()), (8, 8), "{seen:?}");
}

async fn names_are_no_markup_and_no_formulas(app: App) {
    let admin = app.admin().await;
    for (number, name) in
        ["<script>alert(1)</script>", "=HYPERLINK(1)", "@SUM", "-1", "Ada, \"the first\""].iter().enumerate()
    {
        let form = sign_up_form(&format!("p{number}@example.com"));
        app.visitor().post("/signup", &with_field(&form, "first_name", name)).await;
    }
    let page = admin.get(LIST).await.is(200).text();
    assert!(!page.contains("<script>alert"), "{page}");
    let file = admin.get(FILE).await.is(200).text();
    for line in file.lines() {
        for cell in line.split(',').skip(3).take(3) {
            assert!(!cell.trim_start_matches('"').starts_with(['=', '@', '-']), "{line}");
        }
    }
    assert_eq!(file.lines().count(), 1 + usize::try_from(app.database.count("users", "1 = 1")).unwrap(), "{file}");
}

//! `/api/v1/subscribers`: the list of staff for programs. It shows whom the page and the file show, and never one more.

use chrono::TimeDelta;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    on_both,
    support::{app::App, member::Member, program::Program},
};

on_both! {
    what_can_not_be_read_shows_nobody,
    strange_values_never_break_anything,
    nobody_is_found_who_is_not_there,
    everybody_is_shown_in_the_order_of_the_file,
    pages_neither_repeat_nor_drop_while_the_list_changes,
    a_person_is_shown_as_they_stand,
    the_status_is_the_one_of_the_gate_without_any_job,
}

const LIST: &str = "/api/v1/subscribers";

async fn what_can_not_be_read_shows_nobody(app: App) {
    let program = Program::of(&app.admin().await).await;
    Member::sign_up(&app, "ada@example.com").await;
    for query in [
        "status=paid",
        "kind=gift",
        "sort=email",
        "dir=up",
        "twice=1",
        "unconfirmed=true",
        "after=x",
        "after=%00",
        "plan=%00",
        "stauts=active",
        "page=2",
        "status=active&status=expired",
        "limit=1&limit=2",
        "sort=name&after=eyJrZXkiOjEsImlkIjoxfQ",
    ] {
        let answer = program.get(&format!("{LIST}?{query}")).await.is(400).keeps_quiet_about("ada@example.com");
        assert_eq!(answer.json()["code"], "BAD_REQUEST", "{query}");
        assert_eq!(answer.header("cache-control"), Some("private, no-store"));
        program.send(Method::HEAD, &format!("{LIST}?{query}")).await.is(400);
    }
}

async fn strange_values_never_break_anything(app: App) {
    let program = Program::of(&app.admin().await).await;
    app.member().await;
    let (long, spaced) = ("a".repeat(10_000), "a%20".repeat(2_500));
    for value in
        ["0", "-1", "9223372036854775807", "9223372036854775808", "abc", "", "%00", "%ff%fe", "%", &long, &spaced]
    {
        for name in ["limit", "q", "after", "status", "kind", "plan", "sort", "dir", "twice", "unconfirmed"] {
            for method in [Method::GET, Method::HEAD] {
                let answer = program.send(method.clone(), &format!("{LIST}?{name}={value}")).await;
                assert!(matches!(answer.status, 200 | 400), "{name}={value:.20}: {}", answer.status);
                if answer.status == 200 && method == Method::GET {
                    let people = answer.json()["data"].as_array().unwrap().len();
                    assert!(people <= 2, "{name}={value:.20}: {people}");
                }
            }
        }
        let one = program.get(&format!("{LIST}/{value}")).await;
        assert!(matches!(one.status, 400 | 404), "{value:.20}: {}", one.status);
    }
    for (limit, people) in [("0", 1), ("-1", 1), ("1", 1), ("2", 2), ("abc", 2), ("9223372036854775807", 2)] {
        let page = program.get(&format!("{LIST}?limit={limit}")).await.is(200).json();
        assert_eq!(page["data"].as_array().unwrap().len(), people, "{limit}");
        assert_eq!(page["next"].is_string(), people == 1, "{limit}");
    }
}

async fn nobody_is_found_who_is_not_there(app: App) {
    let program = Program::of(&app.admin().await).await;
    let ada = Member::sign_up(&app, "ada@example.com").await;
    let path = format!("{LIST}/{}", ada.id().await);
    program.get(&path).await.is(200).says("ada@example.com");
    app.database.execute("UPDATE users SET deleted_at = 1 WHERE email = 'ada@example.com'");
    for path in [&path, "/api/v1/subscribers/usr_x", "/api/v1/subscribers/%00", "/api/v1/subscribers/1"] {
        let answer = program.get(path).await.is(404).keeps_quiet_about("ada@example.com");
        assert_eq!(answer.json()["code"], "NOT_FOUND");
        program.send(Method::HEAD, path).await.is(404);
    }
    // What the row holds is not an id.
    assert_eq!(program.get(&format!("{LIST}?q=ada%40example.com")).await.is(200).json()["data"], json!([]));
}

async fn everybody_is_shown_in_the_order_of_the_file(app: App) {
    let admin = app.admin().await;
    let program = Program::of(&admin).await;
    for email in ["ada@example.com", "bob@example.com", "eve@example.com", "dan@example.org"] {
        let member = Member::sign_up(&app, email).await;
        if email.starts_with("eve") {
            member.is_subscribed_by_event("sub_1").await;
        }
        app.advance(TimeDelta::seconds(1));
    }
    for (query, people) in [
        ("", 5),
        ("sort=name", 5),
        ("sort=end&dir=desc", 5),
        ("sort=sign_up&dir=asc", 5),
        ("status=active", 1),
        ("status=trialing&q=example.com", 3),
        ("kind=recurring", 1),
        ("plan=monthly", 1),
        ("plan=yearly", 0),
        ("q=sub_1", 1),
        ("twice=yes", 0),
        ("unconfirmed=yes&sort=name", 5),
    ] {
        let page = program.get(&format!("{LIST}?{query}")).await.is(200).json();
        let file = admin.get(&format!("/admin/subscribers.csv?{query}")).await.is(200).text();
        let shown: Vec<&str> = page["data"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
        let listed: Vec<&str> = file.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
        assert_eq!(shown, listed, "{query}");
        assert_eq!((shown.len(), &page["next"]), (people, &Value::Null), "{query}");
    }
}

async fn pages_neither_repeat_nor_drop_while_the_list_changes(app: App) {
    let program = Program::of(&app.admin().await).await;
    for number in 0..7 {
        Member::sign_up(&app, &format!("p{number}@example.com")).await;
    }
    for (sort, late, people) in [("name", "late0", 7), ("sign_up", "late1", 6), ("end", "late2", 5)] {
        let (mut next, mut seen) = (Some(format!("{LIST}?limit=2&sort={sort}&dir=desc&q=%40example.com")), Vec::new());
        while let Some(path) = next {
            let page = program.get(&path).await.is(200).json();
            seen.extend(page["data"].as_array().unwrap().iter().map(|one| one["email"].as_str().unwrap().to_owned()));
            next = page["next"].as_str().map(str::to_owned);
            // Somebody leaves whom the reader has seen, and another one comes.
            if seen.len() == 2 {
                Member::sign_up(&app, &format!("{late}@example.org")).await;
                app.database.execute(&format!("UPDATE users SET deleted_at = 1 WHERE email = '{}'", seen[0]));
            }
        }
        let count = seen.len();
        seen.sort();
        seen.dedup();
        assert_eq!((count, seen.len()), (people, people), "{sort}: {seen:?}");
    }
}

async fn a_person_is_shown_as_they_stand(app: App) {
    let program = Program::of(&app.admin().await).await;
    let ada = Member::sign_up(&app, "ada@example.com").await;
    ada.is_subscribed_by_event("sub_1").await;
    app.database.execute("UPDATE users SET stripe_customer_id = 'cus_1' WHERE email = 'ada@example.com'");
    let me = ada.me().await;
    let line = json!({
        "id": me["user"]["id"],
        "email": "ada@example.com",
        "email_confirmed": false,
        "title": "Dr",
        "first_name": "Ada",
        "last_name": "Lovelace",
        "phone": "+44 20 7946 0958",
        "signed_up_at": "2026-08-31T10:15:30Z",
        "status": "active",
        "kind": "recurring",
        "plan": "monthly",
        "access": { "granted": true, "until": me["access"]["until"], "renews": me["access"]["renews"] },
        "live_subscriptions": 1,
        "stripe_customer_id": "cus_1",
        "locked": false,
    });
    let page = program.get(&format!("{LIST}?q=ada%40example.com")).await.is(200);
    assert_eq!(page.header("cache-control"), Some("private, no-store"));
    assert_eq!(page.header("content-type"), Some("application/json"));
    assert_eq!(page.json(), json!({ "data": [line], "next": null }));
    let one = program.get(&format!("{LIST}/{}", ada.id().await)).await.is(200).json();
    assert_eq!(one["subscriptions"].as_array().unwrap().len(), 2);
    assert_eq!(one["subscriptions"][0]["kind"], "trial");
    assert_eq!(one["subscriptions"][1], me["subscription"]);
    let mut alone = one;
    alone.as_object_mut().unwrap().remove("subscriptions");
    assert_eq!(alone, line);
}

async fn the_status_is_the_one_of_the_gate_without_any_job(app: App) {
    let admin = app.admin().await;
    let ada = Member::sign_up(&app, "ada@example.com").await;
    app.move_to(ada.trial_end - TimeDelta::days(1));
    admin.log_in().await;
    let program = Program::of(&admin).await;
    let path = format!(
        "{LIST}/{}",
        program.get(&format!("{LIST}?q=ada%40example.com")).await.json()["data"][0]["id"].as_str().unwrap()
    );
    let stands = || async {
        let one = program.get(&path).await.is(200).json();
        let open = program.get(&format!("{LIST}?q=ada%40example.com&status=trialing")).await.json()["data"]
            .as_array()
            .unwrap()
            .len();
        let shut = program.get(&format!("{LIST}?q=ada%40example.com&status=expired")).await.json()["data"]
            .as_array()
            .unwrap()
            .len();
        (one["status"].as_str().unwrap().to_owned(), one["access"]["granted"] == true, open, shut)
    };
    app.move_to(ada.trial_end - TimeDelta::seconds(1));
    assert_eq!(stands().await, ("trialing".to_owned(), true, 1, 0));
    app.move_to(ada.trial_end);
    assert_eq!(stands().await, ("expired".to_owned(), false, 0, 1));
    assert_eq!(app.database.count("subscriptions", "status = 'expired'"), 0);
}

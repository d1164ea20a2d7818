//! Gates that the settings name: each opens for its plans, and says why it stays closed for others.

use chrono::TimeDelta;

use crate::support::{
    app::{App, Setup},
    client::Answer,
    database::Engine,
};

const GATES: &str = r#"
[[gates]]
key = "wiki"
plans = ["yearly"]
trial = false

[[gates]]
key = "forum"
plans = ["yearly", "monthly"]

[[gates]]
key = "trials"
plans = []
"#;

fn told(answer: &Answer) -> (u16, &str) {
    (answer.status, answer.header("x-turnpike-reason").unwrap_or("missing"))
}

async fn each_opens_for_its_plans(app: App) {
    let ada = app.member().await;
    let rows = |expected: [(&'static str, u16, &'static str); 4]| {
        let ada = &ada;
        async move {
            for (gate, status, reason) in expected {
                let answer = ada.get(&format!("/gate/{gate}")).await;
                assert_eq!(told(&answer), (status, reason), "{gate}");
                assert_eq!(answer.header("x-turnpike-until").unwrap().is_empty(), status != 204, "{gate}");
            }
        }
    };
    rows([("wiki", 403, "plan_not_included"), ("forum", 204, ""), ("trials", 204, ""), ("premium", 204, "")]).await;
    ada.is_subscribed_by_event("sub_1").await;
    rows([("wiki", 403, "plan_not_included"), ("forum", 204, ""), ("trials", 204, ""), ("premium", 204, "")]).await;
    app.database.execute("UPDATE subscriptions SET plan = 'yearly' WHERE kind = 'recurring'");
    rows([("wiki", 204, ""), ("forum", 204, ""), ("trials", 204, ""), ("premium", 204, "")]).await;
    app.database.execute("DELETE FROM subscriptions WHERE kind = 'trial'");
    rows([("wiki", 204, ""), ("forum", 204, ""), ("trials", 403, "plan_not_included"), ("premium", 204, "")]).await;
    app.database.execute("UPDATE subscriptions SET status = 'past_due'");
    let unpaid = "payment_failed";
    rows([("wiki", 403, unpaid), ("forum", 403, unpaid), ("trials", 403, unpaid), ("premium", 403, unpaid)]).await;
    app.database.execute("DELETE FROM subscriptions");
    let never = "never_subscribed";
    rows([("wiki", 403, never), ("forum", 403, never), ("trials", 403, never), ("premium", 403, never)]).await;
    // What staff give has no plan, and opens every gate.
    app.database.execute(
        "INSERT INTO subscriptions (user_id, kind, status, current_period_start, current_period_end, cancel_at_period_end, \
         version, created_at, updated_at) SELECT id, 'complimentary', 'active', 0, 4000000000000000, TRUE, 1, 0, 0 FROM users",
    );
    rows([("wiki", 204, ""), ("forum", 204, ""), ("trials", 204, ""), ("premium", 204, "")]).await;
}

/// The premium pages have a gate too, and every page says the same of it.
async fn the_premium_pages_can_be_for_some_plans(app: App) {
    let ada = app.member().await;
    ada.get("/premium").await.is(403).says("Your plan does not include this");
    assert_eq!(ada.get_json("/premium").await.is(403).json()["reason"], "plan_not_included");
    assert_eq!(told(&ada.get("/gate").await), (403, "plan_not_included"));
    let me = ada.me().await;
    assert_eq!((&me["access"]["granted"], &me["access"]["reason"]), (&false.into(), &"plan_not_included".into()));
    assert_eq!(me["subscription"]["status"], "trialing");
    ada.get("/account").await.is(200).says("Your plan does not include this");
    ada.is_subscribed_by_event("sub_1").await;
    ada.get("/premium").await.is(403);
    app.database.execute("UPDATE subscriptions SET plan = 'yearly' WHERE kind = 'recurring'");
    ada.get("/premium").await.is(200);
    assert_eq!(told(&ada.get("/gate").await), (204, ""));
    app.advance(TimeDelta::seconds(1));
    let admin = app.admin().await;
    let file = admin.get("/admin/subscribers.csv?sort=name").await.is(200).text();
    assert!(file.lines().any(|line| line.contains(&ada.email) && line.contains(",granted,")), "{file}");
    assert!(file.lines().any(|line| line.contains("admin@staff") && line.contains(",denied,")), "{file}");
}

#[test]
fn each_opens_for_its_plans_on_sqlite() {
    Setup::on(Engine::Sqlite).with_file(GATES).run(each_opens_for_its_plans);
}

#[test]
fn each_opens_for_its_plans_on_postgres() {
    Setup::on(Engine::Postgres).with_file(GATES).run(each_opens_for_its_plans);
}

const YEARLY: &str = "[[gates]]\nkey = \"premium\"\nplans = [\"yearly\"]\ntrial = false\n";

#[test]
fn the_premium_pages_can_be_for_some_plans_on_sqlite() {
    Setup::on(Engine::Sqlite).with_file(YEARLY).run(the_premium_pages_can_be_for_some_plans);
}

#[test]
fn the_premium_pages_can_be_for_some_plans_on_postgres() {
    Setup::on(Engine::Postgres).with_file(YEARLY).run(the_premium_pages_can_be_for_some_plans);
}

//! What staff do for people: with a reason, an entry in the log that nobody can change, and nothing done twice or blindly.

use chrono::TimeDelta;
use serde_json::json;

use crate::{
    on_both,
    support::{
        app::App,
        member::{Member, PASSWORD, instant},
        staff::{does, page_of, seen},
    },
};

on_both! {
    nobody_else_may_and_the_support_may_not_change_access,
    without_a_reason_or_a_number_nothing_is_done,
    the_second_of_two_sees_what_has_changed,
    what_does_not_fit_is_refused_and_written_down,
    the_log_can_not_be_changed,
    a_trial_is_extended_by_calendar_months,
    months_are_given_after_what_the_person_has_and_end_when_an_admin_says,
    a_locked_person_is_out_at_once_and_gets_in_again_when_unlocked,
    sessions_end_and_mails_are_sent_again,
    stripe_is_asked_and_both_ends_of_it_are_written_down,
    the_page_of_a_person_says_why,
}

fn entries(app: &App, condition: &str) -> i64 {
    app.database.count("audit_log", condition)
}

async fn nobody_else_may_and_the_support_may_not_change_access(app: App) {
    let (ada, bob) = (Member::sign_up(&app, "ada@example.com").await, Member::sign_up(&app, "bob@example.com").await);
    let page = page_of(&app, &ada);
    for path in [page.clone(), format!("{page}/lock")] {
        bob.get(&path).await.is(404);
        app.visitor().get(&path).await.is(404);
    }
    bob.post(&format!("{page}/lock"), &[("reason", "because"), ("seen", "0")]).await.is(404);
    app.visitor().post(&format!("{page}/lock"), &[("reason", "because"), ("seen", "0")]).await.is(404);
    let (admin, support) = (app.admin().await, app.staff("support").await);
    for path in [
        "/admin/subscribers/usr_x",
        "/admin/subscribers/%00",
        &format!("{page}/nothing"),
        "/admin/subscribers/usr_x/lock",
    ] {
        admin.get(path).await.is(404);
        admin.post(path, &[("reason", "because")]).await;
    }
    for action in [
        "trial-extension",
        "complimentary-months",
        "complimentary-end",
        "cancellation",
        "resumption",
        "second-factor-reset",
        "lock",
        "unlock",
    ] {
        let before = app.database.dump("subscriptions", &[]);
        does(&app, &support, &ada, action, &[("months", "1")]).await.is(409).says("Only an admin may do this.");
        assert_eq!(app.database.dump("subscriptions", &[]), before, "{action}");
        assert_eq!(entries(&app, &format!("action = '{action}' AND outcome = 'refused'")), 1, "{action}");
    }
    support.get(&page).await.is(200).keeps_quiet_about("Lock the account");
    admin.get(&page).await.is(200).says("Lock the account");
    does(&app, &support, &ada, "sign-out", &[]).await.is(303);
    assert_eq!(entries(&app, "1 = 1"), 9);
}

async fn without_a_reason_or_a_number_nothing_is_done(app: App) {
    let (ada, admin) = (app.member().await, app.admin().await);
    let path = format!("{}/trial-extension", page_of(&app, &ada));
    let seen = seen(&admin, &path).await;
    let long = "a".repeat(501);
    for (reason, months, field) in [
        ("", "1", "reason-error"),
        ("  ", "1", "reason-error"),
        ("x", "1", "reason-error"),
        (&long, "1", "reason-error"),
        ("because\0", "1", "reason-error"),
        ("because", "", "months-error"),
        ("because", "0", "months-error"),
        ("because", "-1", "months-error"),
        ("because", "25", "months-error"),
        ("because", "1.5", "months-error"),
        ("because", "9223372036854775807", "months-error"),
    ] {
        let answer = admin.post(&path, &[("reason", reason), ("months", months), ("seen", &seen)]).await.is(422);
        answer.says(field);
    }
    assert_eq!(entries(&app, "1 = 1"), 0);
    assert_eq!(instant(&ada.me().await["subscription"]["current_period_end"]), Some(ada.trial_end));
}

async fn the_second_of_two_sees_what_has_changed(app: App) {
    let (ada, admin) = (app.member().await, app.admin().await);
    let path = format!("{}/complimentary-months", page_of(&app, &ada));
    let seen = seen(&admin, &path).await;
    let fields = [("reason", "because"), ("months", "1"), ("seen", seen.as_str())];
    let (one, other) = tokio::join!(admin.post(&path, &fields), admin.post(&path, &fields));
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [303, 409]);
    admin.post(&path, &fields).await.is(409).says("has changed since you opened the page");
    admin.post(&path, &[("reason", "because"), ("months", "1")]).await.is(409);
    assert_eq!(app.database.count("subscriptions", "kind = 'complimentary'"), 1);
    assert_eq!((entries(&app, "outcome = 'made'"), entries(&app, "outcome = 'refused'")), (1, 3));
    // As things stand now it is another decision.
    does(&app, &admin, &ada, "complimentary-months", &[("months", "1")]).await.is(303);
}

async fn what_does_not_fit_is_refused_and_written_down(app: App) {
    let (ada, admin) = (app.member().await, app.admin().await);
    for (action, why) in [
        ("complimentary-end", "No given months are running"),
        ("cancellation", "No subscription runs"),
        ("resumption", "No subscription runs"),
        ("refresh", "never had a subscription at Stripe"),
        ("second-factor-reset", "There is no second factor"),
        ("unlock", "The account is not locked"),
    ] {
        does(&app, &admin, &ada, action, &[]).await.is(409).says(why);
        assert_eq!(entries(&app, &format!("action = '{action}' AND outcome = 'refused'")), 1, "{action}");
    }
    does(&app, &admin, &admin, "lock", &[]).await.is(409).says("belongs to the staff");
    admin.get("/account").await.is(200);
}

async fn the_log_can_not_be_changed(app: App) {
    let (ada, admin) = (app.member().await, app.admin().await);
    does(&app, &admin, &ada, "sign-out", &[]).await.is(303);
    let before = app.database.dump("audit_log", &[]);
    assert!(before.contains("reason=asked for it by telephone") && before.contains("origin=127.0.0.1"), "{before}");
    for statement in ["UPDATE audit_log SET reason = ''", "DELETE FROM audit_log", "DELETE FROM users"] {
        let refused = app.database.try_execute(statement);
        assert_eq!(refused.is_err(), statement != "DELETE FROM users", "{statement}");
    }
    assert_eq!(app.database.dump("audit_log", &[]), before, "it outlives the people");
}

async fn a_trial_is_extended_by_calendar_months(app: App) {
    let (ada, admin) = (app.member().await, app.admin().await);
    does(&app, &admin, &ada, "trial-extension", &[("months", "2")]).await.is(303);
    let end = |me: serde_json::Value| me["subscription"]["current_period_end"].as_str().unwrap().to_owned();
    assert_eq!(end(ada.me().await), "2027-04-28T10:15:30Z");
    app.move_to("2027-06-30T10:00:00Z".parse().unwrap());
    ada.log_in().await;
    admin.log_in().await;
    ada.get("/premium").await.is(403);
    does(&app, &admin, &ada, "trial-extension", &[("months", "8")]).await.is(303);
    ada.reads().await;
    assert_eq!(end(ada.me().await), "2028-02-29T10:00:00Z");
    assert_eq!(app.database.count("subscriptions", "kind = 'trial'"), 2, "Ada's and the admin's");
}

async fn months_are_given_after_what_the_person_has_and_end_when_an_admin_says(app: App) {
    let (ada, admin) = (app.member().await, app.admin().await);
    does(&app, &admin, &ada, "complimentary-months", &[("months", "1")]).await.is(303);
    assert_eq!(ada.me().await["access"]["until"], "2027-03-28T10:15:30Z");
    app.move_to(ada.trial_end + TimeDelta::days(1));
    ada.log_in().await;
    admin.log_in().await;
    ada.reads().await;
    admin.get(&page_of(&app, &ada)).await.is(200).says("Given by us");
    does(&app, &admin, &ada, "complimentary-end", &[]).await.is(303);
    ada.get("/premium").await.is(403);
    does(&app, &admin, &ada, "complimentary-end", &[]).await.is(409);
    does(&app, &admin, &ada, "complimentary-months", &[("months", "24")]).await.is(303);
    assert_eq!(ada.me().await["access"]["until"], "2029-03-01T10:15:30Z");
}

async fn a_locked_person_is_out_at_once_and_gets_in_again_when_unlocked(app: App) {
    let (ada, admin) = (app.member().await, app.admin().await);
    let thief = ada.copy();
    does(&app, &admin, &ada, "lock", &[]).await.is(303);
    for visitor in [&*ada, &thief] {
        assert_eq!(visitor.get_json("/api/v1/me").await.status, 401);
        visitor.get("/premium").await.is(303);
    }
    let fields = [("email", ada.email.as_str()), ("password", PASSWORD)];
    app.visitor().post("/login", &fields).await.is(409).says("This account is locked");
    // Nobody learns of it who does not know the password.
    app.visitor().post("/login", &[("email", ada.email.as_str()), ("password", "not the password")]).await.is(422);
    // Even a session that was there all the same is none.
    app.visitor().post("/password/reset", &[("email", ada.email.as_str())]).await.is(200);
    admin.get("/admin/subscribers").await.is(200).says("locked");
    does(&app, &admin, &ada, "lock", &[]).await.is(409);
    does(&app, &admin, &ada, "unlock", &[]).await.is(303);
    ada.log_in().await;
    ada.reads().await;
}

async fn sessions_end_and_mails_are_sent_again(app: App) {
    let (ada, admin) = (app.member().await, app.admin().await);
    does(&app, &admin, &ada, "sign-out", &[]).await.is(303);
    assert_eq!(ada.get_json("/api/v1/me").await.status, 401);
    app.asks_new_people();
    does(&app, &admin, &ada, "confirmation-mail", &[]).await.is(303);
    does(&app, &admin, &ada, "confirmation-mail", &[]).await.is(409).says("A mail has just been sent");
    let link = app.mailed_link(&ada.email).await;
    app.visitor().post(&link, &[]).await.is(200);
    does(&app, &admin, &ada, "confirmation-mail", &[]).await.is(409).says("confirmed already");
}

async fn stripe_is_asked_and_both_ends_of_it_are_written_down(app: App) {
    let ada = app.subscriber().await;
    let admin = app.admin().await;
    does(&app, &admin, &ada, "cancellation", &[]).await.is(303);
    assert_eq!(ada.me().await["subscription"]["cancel_at_period_end"], true);
    app.deliveries_done().await;
    does(&app, &admin, &ada, "resumption", &[]).await.is(303);
    assert_eq!(ada.me().await["subscription"]["cancel_at_period_end"], false);
    app.deliveries_done().await;
    does(&app, &admin, &ada, "refresh", &[]).await.is(303);
    assert_eq!((entries(&app, "outcome = 'begun'"), entries(&app, "outcome = 'made'")), (3, 3));
    app.deliveries_done().await;
    app.stripe_fails(json!({"path_prefix": "/v1/subscriptions", "status": 500, "times": 100})).await;
    let refused = does(&app, &admin, &ada, "refresh", &[]).await;
    assert!(refused.status >= 500, "{}", refused.status);
    assert_eq!((entries(&app, "outcome = 'begun'"), entries(&app, "outcome = 'failed'")), (4, 1));
    ada.reads().await;
}

async fn the_page_of_a_person_says_why(app: App) {
    let (ada, admin) = (app.member().await, app.admin().await);
    let page = page_of(&app, &ada);
    admin.get(&page).await.is(200).says("premium pages are open, by: Trial of six months");
    admin
        .get(&format!("{page}?at=2027-02-28T11:16"))
        .await
        .is(200)
        .says("premium pages are closed")
        .says("trial_ended");
    admin.get(&format!("{page}?at=2027-02-28T11:15")).await.is(200).says("premium pages are open");
    admin.get(&format!("{page}?at=2027-02-28T10:15:29Z")).await.is(200).says("premium pages are open");
    for wrong in ["2027-02-30T10:00", "2027-03-28T02:30", "tomorrow", "99999-01-01T00:00", "%00", "%3Cscript%3E"] {
        let answer = admin.get(&format!("{page}?at={wrong}")).await.is(200);
        answer.says("There is no such moment").says("premium pages are open").keeps_quiet_about("<script>");
    }
    ada.is_subscribed_by_event("sub_1").await;
    let told = admin.get(&page).await.is(200).says("by: Subscription at Stripe").says("sub_1");
    told.says("customer.subscription.created").says("if the renewal is paid");
}

//! `/admin/events` and `/admin/audit`: what Stripe told us, and what staff did.

use serde_json::json;

use crate::{
    on_both,
    support::{
        app::App,
        member::Member,
        stripe::{Snapshot, event},
    },
};

on_both! {
    for_everybody_else_there_is_no_such_page,
    strange_addresses_never_break_anything,
    the_list_is_filtered_and_leads_to_each_event,
    a_replay_applies_nothing_twice_and_is_written_down,
    all_failed_ones_are_tried_again,
    what_waits_is_put_forward_and_silence_is_seen,
    the_log_is_filtered_paged_and_downloaded,
    roles_are_written_down_and_the_last_admin_stays,
}

const EVENTS: &str = "/admin/events";

async fn for_everybody_else_there_is_no_such_page(app: App) {
    let ada = Member::sign_up(&app, "ada@example.com").await;
    ada.is_subscribed_by_event("sub_1").await;
    for path in ["/admin", EVENTS, "/admin/events/evt_sub_1", "/admin/audit", "/admin/audit.csv"] {
        app.visitor().get(path).await.is(404);
        ada.get(path).await.is(404).keeps_quiet_about("sub_1");
    }
    for path in ["/admin/events/evt_sub_1/replay", "/admin/events/replay"] {
        app.visitor().post(path, &[]).await.is(404);
        ada.post(path, &[]).await.is(404);
    }
    let support = app.staff("support").await;
    support.get("/admin/events/evt_sub_1").await.is(200).says("customer.subscription.created");
    support.post("/admin/events/evt_sub_1/replay", &[]).await.is(403);
    support.post("/admin/events/replay", &[]).await.is(403);
    support.get("/admin/audit").await.is(200);
    support.get("/admin/audit.csv").await.is(403);
    support.get("/admin").await.is(200).says("People by status");
}

async fn strange_addresses_never_break_anything(app: App) {
    let admin = app.admin().await;
    app.member().await.is_subscribed_by_event("sub_1").await;
    let long = "a".repeat(4_000);
    for value in ["0", "-1", "9223372036854775808", "abc", "", "%00", "%ff", "2026-02-30T10:00", &long] {
        for name in ["outcome", "type", "person", "since", "until", "before", "actor", "action", "subject", "limit"] {
            for path in [EVENTS, "/admin/audit", "/admin/audit.csv"] {
                let answer = admin.get(&format!("{path}?{name}={value}")).await;
                assert!(answer.status < 500, "{path} {name}={value}: {}", answer.status);
            }
        }
    }
    for unknown in ["outcome=done", "since=yesterday", "before=x", "type=%00"] {
        admin.get(&format!("{EVENTS}?{unknown}")).await.is(400).keeps_quiet_about("evt_sub_1");
    }
    for unknown in ["outcome=done", "action=dance", "actor=%00"] {
        admin.get(&format!("/admin/audit?{unknown}")).await.is(400);
    }
    for id in ["evt_nothing", "%00", "..%2f.."] {
        admin.get(&format!("{EVENTS}/{id}")).await.is(404);
        admin.post(&format!("{EVENTS}/{id}/replay"), &[]).await.is(404);
    }
}

async fn the_list_is_filtered_and_leads_to_each_event(app: App) {
    let (admin, ada) = (app.admin().await, app.member().await);
    ada.is_subscribed_by_event("sub_1").await;
    let stranger = Snapshot::active("sub_9", "cus_9", "usr_nobody", app.now());
    app.deliver(&stranger.event("evt_stranger", "created", app.now())).await.is(200);
    let id = ada.id().await;
    for (query, has, has_not) in [
        ("", "evt_sub_1", "nothing at all"),
        ("outcome=applied", "evt_sub_1", "evt_stranger"),
        ("outcome=unmatched", "evt_stranger", "evt_sub_1"),
        ("type=customer.subscription.created", "evt_sub_1", "nothing at all"),
        (&format!("person={id}"), "evt_sub_1", "evt_stranger"),
        ("since=2026-08-31T12:15", "evt_sub_1", "nothing at all"),
    ] {
        admin.get(&format!("{EVENTS}?{query}")).await.is(200).says(has).keeps_quiet_about(has_not);
    }
    for query in ["until=2026-08-31T12:15", "since=2026-08-31T12:16", "type=invoice.paid", "person=usr_nobody"] {
        admin.get(&format!("{EVENTS}?{query}")).await.is(200).says("No event fits").keeps_quiet_about("/evt_");
    }
    let page = admin.get("/admin/events/evt_sub_1").await.is(200);
    page.says("What it changed").says("current_period_end").says(&format!("/admin/subscribers/{id}"));
}

async fn a_replay_applies_nothing_twice_and_is_written_down(app: App) {
    let (admin, ada) = (app.admin().await, app.member().await);
    ada.is_subscribed_by_event("sub_1").await;
    let before = app.database.dump("subscriptions", &["updated_at", "version"]);
    for _ in 0..3 {
        admin.post("/admin/events/evt_sub_1/replay", &[]).await.is(303);
    }
    assert_eq!(app.database.dump("subscriptions", &["updated_at", "version"]), before);
    assert_eq!(app.database.count("audit_log", "action = 'replay' AND outcome = 'made'"), 3);
    // What is no longer kept can't be applied.
    app.database.execute("UPDATE webhook_events SET payload = NULL");
    admin.get("/admin/events/evt_sub_1").await.is(200).says("not kept any more").keeps_quiet_about("Apply it again");
    admin.post("/admin/events/evt_sub_1/replay", &[]).await.is(404);
    assert_eq!(app.database.count("audit_log", "action = 'replay' AND outcome = 'refused'"), 1);
}

async fn all_failed_ones_are_tried_again(app: App) {
    let (admin, ada) = (app.admin().await, app.member().await);
    ada.is_subscribed_by_event("sub_1").await;
    app.database.execute("UPDATE webhook_events SET outcome = 'failed', change = NULL WHERE event_id = 'evt_sub_1'");
    app.database.execute("DELETE FROM subscriptions WHERE kind = 'recurring'");
    admin.get(EVENTS).await.is(200).says("wait for somebody to look");
    let answer = admin.post("/admin/events/replay", &[]).await.is(303);
    admin.follow(answer).await.is(200).says("1 of the failed events are applied now");
    assert_eq!(ada.me().await["subscription"]["kind"], "recurring");
    assert_eq!(app.database.count("webhook_events", "outcome = 'failed'"), 0);
    admin.get(EVENTS).await.is(200).keeps_quiet_about("wait for somebody to look");
}

async fn what_waits_is_put_forward_and_silence_is_seen(app: App) {
    let admin = app.admin().await;
    let stranger = Snapshot::active("sub_9", "cus_9", "usr_nobody", app.now());
    app.deliver(&stranger.event("evt_stranger", "created", app.now())).await.is(200);
    app.deliver(&event("evt_other", "customer.updated", app.now(), &json!({"id": "cus_x", "object": "customer"})))
        .await;
    let page = admin.get(EVENTS).await.is(200).says("wait for somebody to look").text();
    let last = |kind: &str| {
        let part = page.split(&format!("<dt><code>{kind}</code></dt>")).nth(1).unwrap_or_default();
        part.split("</dd>").next().unwrap_or_default().to_owned()
    };
    assert!(last("customer.subscription.created").contains("31 August 2026"), "{page}");
    assert!(last("charge.refunded").contains("never"), "{page}");
}

async fn the_log_is_filtered_paged_and_downloaded(app: App) {
    let (admin, ada) = (app.admin().await, app.member().await);
    ada.is_subscribed_by_event("sub_1").await;
    for _ in 0..60 {
        admin.post("/admin/events/evt_sub_1/replay", &[]).await.is(303);
    }
    app.database.execute(
        "INSERT INTO audit_log (happened_at, actor, origin, action, subject, reason, outcome) \
         VALUES (0, 'usr_2', '192.0.2.1', 'lock', 'usr_3', '=cmd()', 'made')",
    );
    let rows = |text: String| text.matches("<th scope=\"row\">").count();
    let page = admin.get("/admin/audit").await.is(200).says("rel=\"next\"").text();
    let next = page.split("rel=\"next\"").next().unwrap().rsplit("href=\"").next().unwrap();
    let next = next.split('"').next().unwrap().replace("&#38;", "&");
    assert_eq!((rows(page), rows(admin.get(&next).await.is(200).text())), (50, 11));
    for (query, count) in [("action=lock", 1), ("actor=usr_2", 1), ("subject=usr_3", 1), ("outcome=refused", 0)] {
        assert_eq!(rows(admin.get(&format!("/admin/audit?{query}")).await.is(200).text()), count, "{query}");
    }
    let file = admin.get("/admin/audit.csv").await.is(200).text();
    assert_eq!(file.lines().count(), 62, "{file}");
    assert!(file.contains(",'=cmd(),"), "{file}");
    let locks = admin.get("/admin/audit.csv?action=lock").await.is(200).text();
    assert_eq!(locks.lines().count(), 2, "{locks}");
}

async fn roles_are_written_down_and_the_last_admin_stays(app: App) {
    use turnpike::{
        domain::{email::Email, user::Role},
        staff::{RoleChange, set_role},
    };
    let (_ada, _bob) = (Member::sign_up(&app, "ada@example.com").await, Member::sign_up(&app, "bob@example.com").await);
    let set = |email: &'static str, role| {
        let (store, now) = (app.store.clone(), app.now());
        async move {
            let email = Email::parse(email).unwrap();
            store.write(move |conn| set_role(conn, &email, role, now)).await.unwrap()
        }
    };
    assert_eq!(set("eve@example.com", Role::Admin).await, RoleChange::Nobody);
    assert_eq!(set("ada@example.com", Role::Admin).await, RoleChange::Set);
    for role in [Role::User, Role::Support] {
        assert_eq!(set("ada@example.com", role).await, RoleChange::LastAdmin);
    }
    assert_eq!(set("bob@example.com", Role::Admin).await, RoleChange::Set);
    let both = tokio::join!(set("ada@example.com", Role::User), set("bob@example.com", Role::User));
    assert!(
        matches!(both, (RoleChange::Set, RoleChange::LastAdmin) | (RoleChange::LastAdmin, RoleChange::Set)),
        "{both:?}"
    );
    assert_eq!(app.database.count("users", "role = 'admin'"), 1);
    assert_eq!(app.database.count("audit_log", "action = 'role' AND outcome = 'refused'"), 3);
}

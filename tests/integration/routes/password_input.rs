//! Passwords that no person types, at each form that takes one.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::{
    on_both,
    support::{
        app::App,
        member::{Member, PASSWORD},
    },
};

on_both! {
    what_nobody_types_is_refused_at_every_form,
    a_reset_sets_the_password_and_nothing_else,
}

const ADA: &str = "ada@example.com";

async fn what_nobody_types_is_refused_at_every_form(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    app.visitor().post("/password/reset", &[("email", ADA)]).await.is(200);
    let link = app.reset_link(ADA, 1).await;
    let current = utf8_percent_encode(PASSWORD, NON_ALPHANUMERIC);
    for (name, password) in [
        ("5 MB", "kX9mQ2vLw7".repeat(500_000)),
        ("10 KB", "kX9mQ2vLw7".repeat(1_000)),
        ("NUL", "kX9mQ2vL%00w7fjord".to_owned()),
        ("lone surrogates", "%ED%A0%80".repeat(12)),
    ] {
        for (path, answer) in [
            (
                "change",
                ada.post_raw("/account/password", format!("current_password={current}&password={password}")).await,
            ),
            ("reset", app.visitor().post_raw(&link, format!("password={password}")).await),
            ("log-in", app.visitor().post_raw("/login", format!("email=ada%40example.com&password={password}")).await),
        ] {
            assert!(matches!(answer.status, 400 | 413 | 422), "{name} at {path}: {}", answer.status);
            assert!(!answer.text().contains("kX9mQ2vL"), "{name} at {path} is shown");
        }
    }
    assert_eq!(app.log_in_status(ADA, PASSWORD).await, 303);
    // Nothing of this used the link up.
    app.visitor().get(&link).await.is(200);
}

async fn a_reset_sets_the_password_and_nothing_else(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    let bob = Member::sign_up(&app, "bob@example.com").await;
    let (mut before, bobs) = (ada.me().await, bob.me().await);
    app.visitor().post("/password/reset", &[("email", ADA)]).await.is(200);
    let link = app.reset_link(ADA, 1).await;
    let fields = [
        ("password", "fjord-lantern-42"),
        ("role", "admin"),
        ("id", "2"),
        ("user_id", "2"),
        ("email", "bob@example.com"),
        ("status", "active"),
    ];
    app.visitor().post(&link, &fields).await.is(303);
    assert_eq!((app.log_in_status(ADA, "fjord-lantern-42").await, app.log_in_status(ADA, PASSWORD).await), (303, 422));
    assert_eq!(bob.me().await, bobs);
    let again = app.visitor();
    again.post("/login", &[("email", ADA), ("password", "fjord-lantern-42")]).await.is(303);
    let after = again.get_json("/api/v1/me").await.is(200).json();
    // Whoever opens the link reads the mailbox, which confirms the address.
    before["user"]["email_confirmed"] = after["user"]["email_confirmed"].clone();
    assert_eq!(before, after);
}

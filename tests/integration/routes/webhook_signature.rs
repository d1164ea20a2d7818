//! `/webhooks/stripe`: who may speak (`docs/stripe.md`).

use reqwest::Method;
use serde_json::json;

use crate::{
    on_both,
    support::{
        app::App,
        client::{Answer, http_client},
        raw,
        stripe::{Snapshot, WEBHOOK_SECRET, event, signature, v1},
    },
};

/// Writes a header from `t` and the right code.
type Header = fn(i64, &str) -> String;

/// An event that opens the gate for `user` if it is believed.
fn grant(app: &App, user: &str) -> Vec<u8> {
    Snapshot::active("sub_1", "cus_1", user, app.now()).event("evt_1", "created", app.now()).to_string().into_bytes()
}

on_both! {
    what_is_not_signed_by_stripe_is_refused_and_leaves_no_trace,
    what_is_signed_but_no_event_is_refused,
    every_right_way_to_sign_is_believed,
    it_counts_what_came_byte_for_byte,
    a_large_event_is_taken_and_a_huge_one_is_not,
    other_methods_and_other_sites_do_not_matter,
}

async fn what_is_not_signed_by_stripe_is_refused_and_leaves_no_trace(app: App) {
    let ada = app.member_after_trial().await;
    let body = grant(&app, &ada.id().await);
    let now = app.now().timestamp();
    let good = v1(WEBHOOK_SECRET, &now.to_string(), &body);
    let over = |t: &str| format!("t={t},v1={}", v1(WEBHOOK_SECRET, t, &body));
    let rows = [
        ("empty", String::new()),
        ("nonsense", "nonsense".to_owned()),
        ("another secret", signature("whsec_other", now, &body)),
        ("another body", signature(WEBHOOK_SECRET, now, b"{}")),
        ("another t", format!("t={},v1={good}", now + 1)),
        ("no t", format!("v1={good}")),
        ("an empty t", format!("t=,v1={}", v1(WEBHOOK_SECRET, "", &body))),
        ("no v1", format!("t={now}")),
        ("an empty v1", format!("t={now},v1=")),
        ("v0 alone", format!("t={now},v0={good}")),
        ("half a v1", format!("t={now},v1={}", &good[..32])),
        ("a longer v1", format!("t={now},v1={good}00")),
        ("no hexadecimal", format!("t={now},v1={}", "zz".repeat(32))),
        ("301 seconds old", over(&(now - 301).to_string())),
        ("301 seconds ahead", over(&(now + 301).to_string())),
        ("the year 1970", over("0")),
        ("negative", over("-1")),
        ("the largest 64 bits", over("9223372036854775807")),
        ("the smallest 64 bits", over("-9223372036854775808")),
        ("beyond 64 bits", over("9223372036854775808")),
        ("far beyond", over("99999999999999999999999999999999")),
        ("no number", over("soon")),
        ("a fraction", over(&format!("{now}.0"))),
        ("two values of t", format!("t={now},t={},v1={good}", now - 1)),
        ("very long", format!("t={now},{}v1=00", "v1=00,".repeat(1_000))),
    ];
    for (what, signature) in rows {
        let answer = app.deliver_signed(body.clone(), &signature).await;
        assert_eq!(answer.status, 400, "{what}: {}", answer.text());
    }
    let unsigned =
        http_client().post(format!("http://{}/webhooks/stripe", app.address)).body(body).send().await.unwrap();
    assert_eq!(unsigned.status(), 400, "no header at all");
    assert_eq!(ada.me().await["access"]["granted"], false);
    assert_eq!(app.events_recorded(), 0, "an unsigned event is in the journal");
}

async fn what_is_signed_but_no_event_is_refused(app: App) {
    let whole = event("evt_1", "customer.updated", app.now(), &json!({ "id": "cus_1" }));
    let mut bodies: Vec<Vec<u8>> = ["id", "type", "created", "data"]
        .iter()
        .map(|missing| {
            let mut event = whole.clone();
            event.as_object_mut().unwrap().remove(*missing);
            event.to_string().into_bytes()
        })
        .collect();
    bodies
        .extend([&b""[..], b"null", b"[]", b"{", b"\"evt_1\"", b"\xff\xfe", b"{\"id\":\"evt_1\"}"].map(<[u8]>::to_vec));
    bodies.push(
        json!({ "id": "evt_1", "type": "a", "created": "soon", "data": { "object": {} } }).to_string().into_bytes(),
    );
    bodies.push(format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)).into_bytes());
    for body in bodies {
        let shown = String::from_utf8_lossy(&body[..body.len().min(60)]).into_owned();
        assert_eq!(app.deliver_bytes(body).await.status, 400, "{shown}");
    }
    assert_eq!(app.events_recorded(), 0);
}

async fn every_right_way_to_sign_is_believed(app: App) {
    let now = app.now().timestamp();
    let rows: [(&str, Header); 8] = [
        ("as usual", |t, code| format!("t={t},v1={code}")),
        ("the second v1 is right", |t, code| format!("t={t},v1={},v1={code}", "0".repeat(64))),
        ("the first v1 is right", |t, code| format!("t={t},v1={code},v1={}", "0".repeat(64))),
        ("spaces after the commas", |t, code| format!("t={t}, v1={code}, v0=abc")),
        ("schemes to come", |t, code| format!("t={t},v0=00,v2=ff,v1={code},x")),
        ("t after v1", |t, code| format!("v1={code},t={t}")),
        ("t twice, the same", |t, code| format!("t={t},t={t},v1={code}")),
        ("not hexadecimal beside", |t, code| format!("t={t},v1=zz,v1={code}")),
    ];
    for (number, (what, header)) in rows.into_iter().enumerate() {
        let body = event(&format!("evt_{number}"), "customer.updated", app.now(), &json!({ "id": "cus_1" }))
            .to_string()
            .into_bytes();
        let header = header(now, &v1(WEBHOOK_SECRET, &now.to_string(), &body));
        assert_eq!(app.deliver_signed(body, &header).await.status, 200, "{what}");
    }
    for (number, age) in [300, -300, 0].into_iter().enumerate() {
        let body = event(&format!("evt_a{number}"), "customer.updated", app.now(), &json!({ "id": "cus_1" }))
            .to_string()
            .into_bytes();
        let header = signature(WEBHOOK_SECRET, now - age, &body);
        assert_eq!(app.deliver_signed(body, &header).await.status, 200, "{age} seconds old");
    }
}

async fn it_counts_what_came_byte_for_byte(app: App) {
    let now = app.now().timestamp();
    let object = event("evt_1", "customer.updated", app.now(), &json!({ "id": "cus_1", "name": "é 🙂 \u{0}" }));
    let pretty = serde_json::to_string_pretty(&object).unwrap().replace('\n', "\r\n");
    for (kind, encoding) in [
        (Some("application/json; charset=utf-16"), None),
        (Some("text/plain"), None),
        (Some("nonsense"), None),
        (None, None),
        (Some("application/x-www-form-urlencoded"), None),
        (Some("application/json"), Some("gzip")),
    ] {
        let mut request = http_client().post(format!("http://{}/webhooks/stripe", app.address));
        request = request.header("Stripe-Signature", signature(WEBHOOK_SECRET, now, pretty.as_bytes()));
        if let Some(kind) = kind {
            request = request.header("Content-Type", kind);
        }
        if let Some(encoding) = encoding {
            request = request.header("Content-Encoding", encoding);
        }
        let answer = Answer::read(request.body(pretty.clone()).send().await.unwrap()).await;
        assert_eq!(answer.status, 200, "{kind:?} {encoding:?}: {}", answer.text());
        assert_eq!(answer.header("set-cookie"), None);
    }
}

async fn a_large_event_is_taken_and_a_huge_one_is_not(app: App) {
    let large = event(
        "evt_1",
        "customer.updated",
        app.now(),
        &json!({ "id": "cus_1", "metadata": { "long": "x".repeat(300_000) } }),
    );
    app.deliver(&large).await.is(200);

    let head = format!(
        "POST /webhooks/stripe HTTP/1.1\r\nHost: {}\r\nStripe-Signature: t=1,v1=00\r\nContent-Length: 20000000\r\n\r\n",
        app.address
    );
    let answer = raw::exchange(app.address, head.as_bytes());
    assert_eq!(raw::status(&answer), 413, "announced: {answer}");

    let head = format!(
        "POST /webhooks/stripe HTTP/1.1\r\nHost: {}\r\nStripe-Signature: t=1,v1=00\r\nTransfer-Encoding: chunked\r\n\r\n",
        app.address
    );
    let chunk = format!("40000\r\n{}\r\n", "x".repeat(0x40000));
    let answer = raw::exchange(app.address, (head + &chunk.repeat(80) + "0\r\n\r\n").as_bytes());
    assert!(answer.is_empty() || raw::status(&answer) == 413, "in pieces: {answer}");

    let huge = app.deliver_bytes(vec![b' '; 1_048_577]).await;
    assert_eq!(huge.status, 413, "one byte too many");
}

async fn other_methods_and_other_sites_do_not_matter(app: App) {
    let visitor = app.visitor();
    for method in [Method::GET, Method::PUT, Method::DELETE] {
        let answer = visitor.send(method, "/webhooks/stripe", |request| request).await.is(405);
        assert_eq!(answer.header("allow"), Some("POST"));
    }
    let body = event("evt_1", "customer.updated", app.now(), &json!({ "id": "cus_1" })).to_string();
    let signature = signature(WEBHOOK_SECRET, app.now().timestamp(), body.as_bytes());
    let answer = visitor
        .send(Method::POST, "/webhooks/stripe", |request| {
            request
                .header("Sec-Fetch-Site", "cross-site")
                .header("Origin", "https://evil.example")
                .header("Stripe-Signature", signature)
                .body(body)
        })
        .await
        .is(200);
    assert_eq!(answer.header("set-cookie"), None);
}

#[test]
fn two_secrets_are_good_while_one_is_being_replaced() {
    use crate::support::{app::Setup, database::Engine};
    let setup = Setup::on(Engine::Sqlite).with("TURNPIKE_STRIPE_WEBHOOK_SECRET", "whsec_old_one_1,whsec_new_one_2");
    setup.run(|app| async move {
        for (secret, status) in [("whsec_old_one_1", 200), ("whsec_new_one_2", 200), (WEBHOOK_SECRET, 400)] {
            let body = event(&format!("evt_{secret}"), "customer.updated", app.now(), &json!({ "id": "cus_1" }))
                .to_string()
                .into_bytes();
            let header = signature(secret, app.now().timestamp(), &body);
            assert_eq!(app.deliver_signed(body, &header).await.status, status, "{secret}");
        }
    });
}

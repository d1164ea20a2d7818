//! Our check of signatures against the official library's generator, through the real route.

use serde_json::{Value, json};

use crate::{
    on_both,
    support::{
        app::App,
        official::python,
        stripe::{Snapshot, WEBHOOK_SECRET},
    },
};

on_both! {
    what_the_official_library_signs_is_believed_and_nothing_that_differs,
}

/// The headers that the library makes for these bodies.
fn headers(letters: &[(&str, &str, i64)]) -> Vec<String> {
    let letters: Vec<Value> = letters
        .iter()
        .map(|(payload, secret, timestamp)| json!({"payload": payload, "secret": secret, "timestamp": timestamp}))
        .collect();
    let said = python(&["sign.py"], &[], &Value::from(letters).to_string());
    serde_json::from_str(&said).unwrap()
}

async fn what_the_official_library_signs_is_believed_and_nothing_that_differs(app: App) {
    let ada = app.member_after_trial().await;
    let (user, now) = (ada.id().await, app.now().timestamp());
    let event = |number: usize| {
        Snapshot::active("sub_1", "cus_1", &user, app.now()).event(&format!("evt_{number}"), "created", app.now())
    };
    let mut bodies: Vec<String> = vec![
        event(0).to_string(),
        serde_json::to_string_pretty(&event(1)).unwrap(),
        serde_json::to_string_pretty(&event(2)).unwrap().replace('\n', "\r\n"),
        format!(" \n{}\n\n", event(3)),
        event(4).to_string().replace("\"usr", "\"\\u0075sr"),
    ];
    let mut long = event(5);
    long["data"]["object"]["description"] = "žluťoučký kůň 🂡 ".repeat(15_000).into();
    bodies.push(long.to_string());
    assert!(bodies[5].len() > 262_144);

    let secret = WEBHOOK_SECRET;
    let ages = [0, 299, -299, 300, -300, 0];
    let asked: Vec<(&str, &str, i64)> =
        bodies.iter().zip(ages).map(|(body, age)| (body.as_str(), secret, now - age)).collect();
    let signed = headers(&asked);
    let body = &bodies[0];
    let others = headers(&[(body, "whsec_another", now), (body, secret, now - 301), (body, secret, now + 301)]);

    let tampered = [
        (format!("{body} "), signed[0].clone()),
        (body.replace("active", "Active"), signed[0].clone()),
        (bodies[1].clone(), signed[0].clone()),
        (bodies[2].replace("\r\n", "\n"), signed[2].clone()),
        (body.clone(), signed[0].replace(&format!("t={now}"), &format!("t={}", now - 1))),
        (body.clone(), signed[0].replace("v1=", "v0=")),
        (body.clone(), others[0].clone()),
        (body.clone(), others[1].clone()),
        (body.clone(), others[2].clone()),
    ];
    for (body, header) in tampered {
        app.deliver_signed(body.into_bytes(), &header).await.is(400);
    }
    assert_eq!(app.events_recorded(), 0);
    ada.get("/premium").await.is(403);

    for (body, header) in bodies.iter().zip(&signed) {
        app.deliver_signed(body.clone().into_bytes(), header).await.is(200);
    }
    let rolled = format!("{}, {}", others[0], signed[0].split_once(',').unwrap().1);
    app.deliver_signed(body.clone().into_bytes(), &rolled).await.is(200);
    assert_eq!(app.events_recorded(), 6);
    ada.reads().await;
}

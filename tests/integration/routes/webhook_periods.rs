//! `/webhooks/stripe`: where a subscription's period stands, and for which price (`docs/rules.md §5`).

use serde_json::{Value, json};

use crate::{
    on_both,
    support::{app::App, case::Cases},
};

on_both! {
    without_a_period_of_ours_nothing_opens_and_stripe_is_asked,
    without_a_price_of_ours_nothing_opens,
    a_price_of_ours_that_is_taken_out_opens_nothing_any_more,
    a_period_that_was_known_stays_when_the_next_word_has_none,
    the_period_is_that_of_our_price_wherever_both_stand,
}

/// Changes a subscription as `Snapshot` makes it.
type Change = fn(&mut Value);

fn item(object: &mut Value) -> &mut Value {
    &mut object["items"]["data"][0]
}

fn remove(object: &mut Value, key: &str) {
    object.as_object_mut().unwrap().remove(key);
}

fn no_period(object: &mut Value) {
    for key in ["current_period_start", "current_period_end"] {
        remove(object, key);
        remove(item(object), key);
    }
}

/// A line with the price of something else, which runs for a year.
fn foreign(object: &Value) -> Value {
    let mut line = object["items"]["data"][0].clone();
    line["id"] = json!("si_foreign");
    line["price"]["id"] = json!("price_of_something_else");
    line["current_period_end"] = json!(line["current_period_start"].as_i64().unwrap() + 366 * 86_400);
    line
}

fn first(object: &mut Value, line: Value) {
    object["items"]["data"].as_array_mut().unwrap().insert(0, line);
}

fn last(object: &mut Value, line: Value) {
    object["items"]["data"].as_array_mut().unwrap().push(line);
}

async fn without_a_period_of_ours_nothing_opens_and_stripe_is_asked(app: App) {
    let rows: [(&str, Change); 9] = [
        ("nowhere", no_period),
        ("null", |object| {
            item(object)["current_period_start"] = Value::Null;
            item(object)["current_period_end"] = Value::Null;
        }),
        ("a start alone", |object| remove(item(object), "current_period_end")),
        ("an end alone", |object| remove(item(object), "current_period_start")),
        ("half on the item, half on the subscription", |object| {
            object["current_period_end"] = item(object)["current_period_end"].take();
        }),
        ("as text", |object| item(object)["current_period_end"] = json!("1788171330")),
        ("with a fraction", |object| item(object)["current_period_end"] = json!(1_788_171_330.5)),
        ("beyond all calendars", |object| item(object)["current_period_end"] = json!(i64::MAX)),
        ("on the line of something else alone", |object| {
            let line = foreign(object);
            no_period(object);
            first(object, line);
        }),
    ];
    let cases = Cases::after_trial(&app).await;
    for (case, change) in rows {
        let snapshot = cases.next().await;
        let mut object = snapshot.object();
        change(&mut object);
        cases.hears(&object).await;
        cases.is_closed(case).await;
        cases.member.get("/account").await.is(200).keeps_quiet_about("1970").says("Your trial has ended");
        cases.stripe_is_asked(&snapshot.id).await;
        // Stripe knows nothing of it, and so it stays.
        cases.is_closed(case).await;
        let period = format!("provider_id = '{}' AND current_period_end IS NULL", snapshot.id);
        assert_eq!(app.database.count("subscriptions", &period), 1, "{case}: a date was invented");
    }
}

async fn without_a_price_of_ours_nothing_opens(app: App) {
    let rows: [(&str, Change); 13] = [
        ("another product's", |object| item(object)["price"]["id"] = json!("price_of_something_else")),
        ("two of them", |object| {
            let line = foreign(object);
            object["items"]["data"] = json!([line, line]);
        }),
        ("nearly ours", |object| item(object)["price"]["id"] = json!("PRICE_MONTHLY")),
        ("null", |object| item(object)["price"] = Value::Null),
        ("none", |object| remove(item(object), "price")),
        ("a number", |object| item(object)["price"]["id"] = json!(7)),
        ("ours as the product", |object| {
            item(object)["price"] = json!({ "id": "price_else", "product": "price_monthly" });
        }),
        ("no lines", |object| object["items"]["data"] = json!([])),
        ("lines null", |object| object["items"]["data"] = Value::Null),
        ("items null", |object| object["items"] = Value::Null),
        ("items gone", |object| remove(object, "items")),
        ("items a list", |object| object["items"] = object["items"]["data"].take()),
        ("lines of garbage", |object| object["items"]["data"] = json!([null, 1, "price_monthly", [], {}])),
    ];
    let cases = Cases::after_trial(&app).await;
    for (case, change) in rows {
        let snapshot = cases.next().await;
        let mut object = snapshot.object();
        change(&mut object);
        let event = cases.event("customer.subscription.created", &object);
        cases.takes(&event).await;
        cases.is_closed(case).await;
        assert_eq!(app.database.count("subscriptions", "kind = 'recurring'"), 0, "{case}");
        assert_eq!(cases.noted(&event, "outcome").as_deref(), Some("ignored"), "{case}");
        assert_eq!(cases.noted(&event, "detail").as_deref(), Some("no price of ours"), "{case}");
    }
}

async fn a_price_of_ours_that_is_taken_out_opens_nothing_any_more(app: App) {
    let rows: [(&str, Change); 3] = [
        ("exchanged", |object| item(object)["price"]["id"] = json!("price_of_something_else")),
        ("beside another, and taken out", |object| {
            let line = foreign(object);
            object["items"]["data"] = json!([line]);
        }),
        ("nothing is left", |object| object["items"]["data"] = json!([])),
    ];
    let cases = Cases::after_trial(&app).await;
    for (case, change) in rows {
        let mut object = cases.next().await.object();
        let line = foreign(&object);
        last(&mut object, line);
        cases.hears(&object).await;
        cases.is_open(case).await;
        let mut without = object.clone();
        change(&mut without);
        without["items"]["data"].as_array_mut().unwrap().truncate(1);
        cases.hears(&without).await;
        let closed = cases.is_closed(case).await;
        assert_eq!((closed.status.as_str(), closed.reason.as_deref()), ("expired", Some("period_ended")), "{case}");
        cases.hears(&object).await;
        cases.is_open(&format!("{case}, and put in again")).await;
    }
}

async fn a_period_that_was_known_stays_when_the_next_word_has_none(app: App) {
    let cases = Cases::after_trial(&app).await;
    let snapshot = cases.next().await;
    cases.hears_of(&snapshot).await;
    let mut bare = snapshot.object();
    no_period(&mut bare);
    cases.hears(&bare).await;
    assert_eq!(cases.is_open("no period any more").await.until, Some(snapshot.end));
    cases.stripe_is_asked(&snapshot.id).await;
    app.move_to(snapshot.end);
    cases.is_closed("at its end").await;
    cases.hears_of(&snapshot.renewed()).await;
    assert_eq!(cases.is_open("a period again").await.until, Some(snapshot.renewed().end));
}

/// The end is in two hours on our line; other places say what must not count.
async fn the_period_is_that_of_our_price_wherever_both_stand(app: App) {
    let rows: [(&str, Change); 16] = [
        ("on the item", |_| ()),
        ("on the subscription", |object| {
            for key in ["current_period_start", "current_period_end"] {
                object[key] = item(object)[key].clone();
                remove(item(object), key);
            }
        }),
        ("on both", |object| {
            object["current_period_start"] = json!(1_000_000_000);
            object["current_period_end"] = json!(4_000_000_000_u64);
        }),
        ("on the subscription, null on the item", |object| {
            for key in ["current_period_start", "current_period_end"] {
                object[key] = item(object)[key].take();
            }
        }),
        ("ours is the second", |object| {
            let line = foreign(object);
            first(object, line);
        }),
        ("ours is the first", |object| {
            let line = foreign(object);
            last(object, line);
        }),
        ("ours is the fourth, after garbage", |object| {
            let line = foreign(object);
            first(object, line);
            first(object, Value::Null);
            first(object, json!("price_monthly"));
        }),
        ("two of ours", |object| {
            let mut line = foreign(object);
            line["price"]["id"] = json!("price_yearly");
            last(object, line);
        }),
        ("none of it", |object| item(object)["quantity"] = json!(0)),
        ("one of it", |object| item(object)["quantity"] = json!(1)),
        ("three of it", |object| item(object)["quantity"] = json!(3)),
        ("as many as there are", |object| item(object)["quantity"] = json!(u64::MAX)),
        ("the quantity is not told", |object| remove(item(object), "quantity")),
        ("the price's id alone", |object| item(object)["price"] = item(object)["price"]["id"].take()),
        ("the price with its product", |object| {
            item(object)["price"]["product"] = json!({ "id": "prod_1", "object": "product", "metadata": null });
        }),
        ("a plan, as long ago", |object| {
            let price = item(object)["price"].take();
            item(object)["plan"] = price;
        }),
    ];
    let cases = Cases::after_trial(&app).await;
    for (case, change) in rows {
        let snapshot = cases.next().await;
        let mut object = snapshot.object();
        change(&mut object);
        cases.hears(&object).await;
        let open = cases.is_open(case).await;
        assert_eq!(open.until, Some(snapshot.end), "{case}");
        assert_eq!(cases.member.me().await["subscription"]["plan"], "monthly", "{case}");
        assert_eq!(cases.questions(&snapshot.id).await, 0, "{case}: nothing is in doubt");
        app.move_to(snapshot.end);
        cases.is_closed(case).await;
    }
}

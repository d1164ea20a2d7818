//! How a payment finds its invoice, in the new shape and in the old.

use serde_json::{Value, json};

use super::support::{Bench, DAY, HOUR, START, text};

fn rows(list: &Value) -> Vec<Value> {
    list["data"].as_array().unwrap().clone()
}

#[actix_web::test]
async fn an_invoice_payment_names_the_invoice_and_its_payment_intent() {
    let bench = Bench::boot();
    let (_, subscription) = bench.member().await;
    let invoice = text(&bench.subscription(&subscription).await["latest_invoice"]);
    assert!(bench.get(&format!("/v1/invoices/{invoice}")).await.ok().get("payment_intent").is_none());
    let of_invoice = bench.get(&format!("/v1/invoice_payments?invoice={invoice}")).await.ok();
    let row = rows(&of_invoice).remove(0);
    assert_eq!((&row["status"], &row["amount_paid"], &row["is_default"]), (&json!("paid"), &json!(900), &json!(true)));
    assert_eq!(row["status_transitions"], json!({"canceled_at": null, "paid_at": START}));
    let intent = text(&row["payment"]["payment_intent"]);
    let query = format!("/v1/invoice_payments?payment[type]=payment_intent&payment[payment_intent]={intent}");
    assert_eq!(bench.get(&query).await.ok()["data"], json!([row]));
    assert_eq!(bench.get(&format!("/v1/invoice_payments/{}", text(&row["id"]))).await.ok(), row);
    let whole = bench.get(&format!("/v1/invoices/{invoice}?expand[]=payments.data.payment.payment_intent")).await.ok();
    assert_eq!(whole["payments"]["data"][0]["payment"]["payment_intent"]["status"], "succeeded");
    bench.stop().await;
}

#[actix_web::test]
async fn filters_of_invoice_payments_are_checked() {
    let bench = Bench::boot();
    bench.member().await;
    for (query, param) in [
        ("invoice=in_x", "invoice"),
        ("status=lost", "status"),
        ("payment[payment_intent]=pi_x", "payment[type]"),
        ("payment[type]=cheque", "payment[type]"),
        ("customer=cus_x", "customer"),
    ] {
        let error = bench.get(&format!("/v1/invoice_payments?{query}")).await.refused(400);
        assert_eq!(error["param"], param, "{query}");
    }
    bench.get("/v1/invoice_payments/inpay_x").await.refused(404);
    for (query, count) in [("status=paid", 1), ("status=open", 0), ("payment[type]=payment_record", 0)] {
        assert_eq!(rows(&bench.get(&format!("/v1/invoice_payments?{query}")).await.ok()).len(), count, "{query}");
    }
    bench.stop().await;
}

#[actix_web::test]
async fn an_unpaid_invoice_has_an_open_payment_until_it_is_paid_or_void() {
    let bench = Bench::boot();
    let (customer, subscription) = bench.member().await;
    let card = format!("/_sandbox/customers/{customer}/card");
    bench.control(&card, json!({"card": "declines"})).await.ok();
    bench.advance(30 * DAY + HOUR).await;
    let open = format!("/v1/invoices?subscription={subscription}&status=open");
    let first = text(&rows(&bench.get(&open).await.ok())[0]["id"]);
    let state = async |invoice: &str| {
        let list = bench.get(&format!("/v1/invoice_payments?invoice={invoice}")).await.ok();
        (text(&list["data"][0]["status"]), list["data"][0]["amount_paid"].clone())
    };
    assert_eq!(state(&first).await, ("open".to_owned(), json!(null)));
    bench.control(&card, json!({"card": "works"})).await.ok();
    bench.settled().await;
    bench.post(&format!("/v1/invoices/{first}/pay"), &[]).await.ok();
    assert_eq!(state(&first).await, ("paid".to_owned(), json!(900)));
    let events = bench.settled().await;
    let paid = events.iter().find(|event| event["type"] == "invoice_payment.paid").unwrap();
    assert_eq!(paid["data"]["object"]["invoice"], first.as_str());

    bench.control(&card, json!({"card": "declines"})).await.ok();
    bench.advance(31 * DAY + HOUR).await;
    let second = text(&rows(&bench.get(&open).await.ok())[0]["id"]);
    bench.post(&format!("/v1/invoices/{second}/void"), &[]).await.ok();
    assert_eq!(state(&second).await, ("canceled".to_owned(), json!(null)));
    bench.stop().await;
}

#[actix_web::test]
async fn what_costs_nothing_has_no_payment() {
    let bench = Bench::boot();
    let customer = bench.customer().await;
    let session = bench.session(&customer, "price_monthly", &[("subscription_data[trial_period_days]", "7")]).await;
    bench.finish(&session, json!({"outcome": "paid"})).await;
    let types = bench.types().await;
    assert!(types.contains(&"invoice.paid".to_owned()) && !types.contains(&"invoice_payment.paid".to_owned()));
    assert_eq!(rows(&bench.get("/v1/invoice_payments").await.ok()), Vec::<Value>::new());
    bench.stop().await;
}

#[actix_web::test]
async fn in_the_old_shape_invoice_and_charge_name_each_other_and_there_is_no_such_event() {
    let bench = Bench::boot();
    bench.control("/_sandbox/delivery", json!({"shape": "subscription"})).await.ok();
    let customer = bench.customer().await;
    let session = bench.session(&customer, "price_monthly", &[]).await;
    bench.finish(&session, json!({"outcome": "paid"})).await;
    let events = bench.settled().await;
    let find = |kind: &str| events.iter().find(|event| event["type"] == kind).map(|event| &event["data"]["object"]);
    let (invoice, charge) = (find("invoice.paid").unwrap(), find("charge.succeeded").unwrap());
    assert_eq!((&invoice["payment_intent"], &invoice["charge"]), (&charge["payment_intent"], &charge["id"]));
    assert_eq!(charge["invoice"], invoice["id"]);
    assert_eq!(find("payment_intent.succeeded").unwrap()["invoice"], invoice["id"]);
    assert_eq!(find("invoice_payment.paid"), None);
    bench.stop().await;
}

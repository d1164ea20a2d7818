//! Payment methods, payment intents, charges and refunds.

use serde_json::{Value, json};

use super::{join, nulls};
use crate::sandbox::world::{Card, Charge, IntentStatus, Object, PaymentIntent, PaymentMethod, Refund, State};

fn billing_details(customer: Option<&str>, state: &State) -> Value {
    let customer = customer.and_then(|id| state.customers.get(id));
    json!({
        "address": {"city": null, "country": "DE", "line1": null, "line2": null, "postal_code": null, "state": null},
        "email": customer.and_then(|customer| customer.email.clone()),
        "name": customer.and_then(|customer| customer.name.clone()),
        "phone": null,
        "tax_id": null,
    })
}

pub fn payment_method(method: &PaymentMethod, state: &State) -> Value {
    json!({
        "id": method.id,
        "object": "payment_method",
        "allow_redisplay": "unspecified",
        "billing_details": billing_details(method.customer.as_deref(), state),
        "card": {
            "brand": "visa",
            "checks": {"address_line1_check": null, "address_postal_code_check": null, "cvc_check": "pass"},
            "country": "DE",
            "display_brand": "visa",
            "exp_month": 12,
            "exp_year": 2050,
            "fingerprint": format!("sandbox{}", method.card.last4()),
            "funding": "credit",
            "generated_from": null,
            "last4": method.card.last4(),
            "networks": {"available": ["visa"], "preferred": null},
            "regulated_status": "unregulated",
            "three_d_secure_usage": {"supported": true},
            "wallet": null,
        },
        "created": method.created,
        "customer": method.customer,
        "customer_account": null,
        "livemode": false,
        "metadata": {},
        "type": "card",
    })
}

pub fn payment_intent(intent: &PaymentIntent, state: &State) -> Value {
    let succeeded = intent.status == IntentStatus::Succeeded;
    let charge = intent.latest_charge.as_deref().and_then(|id| Charge::table(state).get(id));
    let error = charge.filter(|_| !succeeded).and_then(|charge| charge.failure_code.as_deref()).map(|code| {
        json!({
            "charge": intent.latest_charge,
            "code": code,
            "decline_code": "generic_decline",
            "doc_url": format!("https://docs.stripe.com/error-codes/{}", code.replace('_', "-")),
            "message": failure_message(code),
            "type": "card_error",
        })
    });
    join([
        json!({
            "id": intent.id,
            "object": "payment_intent",
            "amount": intent.amount,
            "amount_capturable": 0,
            "amount_details": {"tip": {}},
            "amount_received": if succeeded { intent.amount } else { 0 },
            "capture_method": "automatic",
            "client_secret": format!("{}_secret_sandbox", intent.id),
            "confirmation_method": "automatic",
            "created": intent.created,
            "currency": intent.currency,
            "customer": intent.customer,
            "description": intent.description,
            "last_payment_error": error,
            "latest_charge": intent.latest_charge,
            "livemode": false,
            "metadata": intent.metadata,
            "payment_method": intent.payment_method,
            "payment_method_options": {},
            "payment_method_types": ["card"],
            "setup_future_usage": if intent.invoice.is_some() { json!("off_session") } else { Value::Null },
            "status": intent.status.word(),
            "_legacy": {"invoice": intent.invoice, "source": null},
        }),
        nulls(&[
            "application",
            "application_fee_amount",
            "automatic_payment_methods",
            "canceled_at",
            "cancellation_reason",
            "customer_account",
            "excluded_payment_method_types",
            "next_action",
            "on_behalf_of",
            "payment_method_configuration_details",
            "processing",
            "receipt_email",
            "review",
            "shipping",
            "statement_descriptor",
            "statement_descriptor_suffix",
            "transfer_data",
            "transfer_group",
        ]),
    ])
}

pub fn charge(charge: &Charge, state: &State) -> Value {
    let succeeded = charge.succeeded();
    join([
        json!({
            "id": charge.id,
            "object": "charge",
            "amount": charge.amount,
            "amount_captured": if succeeded { charge.amount } else { 0 },
            "amount_refunded": charge.amount_refunded,
            "billing_details": billing_details(charge.customer.as_deref(), state),
            "calculated_statement_descriptor": "TURNPIKE SANDBOX",
            "captured": succeeded,
            "created": charge.created,
            "currency": charge.currency,
            "customer": charge.customer,
            "description": charge.description,
            "disputed": charge.disputed,
            "failure_code": charge.failure_code,
            "failure_message": charge.failure_code.as_deref().map(failure_message),
            "fraud_details": {},
            "livemode": false,
            "metadata": charge.metadata,
            "outcome": outcome(charge),
            "paid": succeeded,
            "payment_intent": charge.payment_intent,
            "payment_method": charge.payment_method,
            "payment_method_details": card_details(charge.card),
            "receipt_url": succeeded.then(|| format!("{}/receipts/{}", state.base, charge.id)),
            "refunded": charge.refunded(),
            "status": if succeeded { "succeeded" } else { "failed" },
            "_legacy": {"invoice": charge.invoice, "destination": null, "dispute": null, "order": null, "source": null},
        }),
        nulls(&[
            "application",
            "application_fee",
            "application_fee_amount",
            "balance_transaction",
            "failure_balance_transaction",
            "on_behalf_of",
            "receipt_email",
            "receipt_number",
            "review",
            "shipping",
            "source_transfer",
            "statement_descriptor",
            "statement_descriptor_suffix",
            "transfer_data",
            "transfer_group",
        ]),
    ])
}

fn outcome(charge: &Charge) -> Value {
    let declined = !charge.succeeded();
    json!({
        "advice_code": null,
        "network_advice_code": null,
        "network_decline_code": declined.then_some("05"),
        "network_status": if declined { "declined_by_network" } else { "approved_by_network" },
        "reason": declined.then_some("generic_decline"),
        "risk_level": "normal",
        "risk_score": 12,
        "seller_message": if declined { "The bank did not return any further details with this decline." } else { "Payment complete." },
        "type": if declined { "issuer_declined" } else { "authorized" },
    })
}

fn card_details(card: Card) -> Value {
    json!({
        "type": "card",
        "card": {
            "brand": "visa",
            "checks": {"address_line1_check": null, "address_postal_code_check": null, "cvc_check": "pass"},
            "country": "DE",
            "exp_month": 12,
            "exp_year": 2050,
            "fingerprint": format!("sandbox{}", card.last4()),
            "funding": "credit",
            "installments": null,
            "last4": card.last4(),
            "mandate": null,
            "network": "visa",
            "network_token": {"used": false},
            "three_d_secure": null,
            "wallet": null,
        },
    })
}

/// What the bank says, in words.
pub fn failure_message(code: &str) -> &'static str {
    match code {
        "authentication_required" => "Your card was declined. This transaction requires authentication.",
        _ => "Your card was declined.",
    }
}

pub fn refund(refund: &Refund, _: &State) -> Value {
    json!({
        "id": refund.id,
        "object": "refund",
        "amount": refund.amount,
        "balance_transaction": null,
        "charge": refund.charge,
        "created": refund.created,
        "currency": refund.currency,
        "destination_details": {"card": {"reference_status": "pending", "reference_type": "acquirer_reference_number", "type": "refund"}, "type": "card"},
        "metadata": refund.metadata,
        "payment_intent": refund.payment_intent,
        "reason": refund.reason,
        "receipt_number": null,
        "source_transfer_reversal": null,
        "status": "succeeded",
        "transfer_reversal": null,
    })
}

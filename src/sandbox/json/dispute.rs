//! Disputes.

use serde_json::{Value, json};

use crate::sandbox::{
    calendar::DAY,
    world::{Dispute, State},
};

const EVIDENCE: [&str; 27] = [
    "access_activity_log",
    "billing_address",
    "cancellation_policy",
    "cancellation_policy_disclosure",
    "cancellation_rebuttal",
    "customer_communication",
    "customer_email_address",
    "customer_name",
    "customer_purchase_ip",
    "customer_signature",
    "duplicate_charge_documentation",
    "duplicate_charge_explanation",
    "duplicate_charge_id",
    "product_description",
    "receipt",
    "refund_policy",
    "refund_policy_disclosure",
    "refund_refusal_explanation",
    "service_date",
    "service_documentation",
    "shipping_address",
    "shipping_carrier",
    "shipping_date",
    "shipping_documentation",
    "shipping_tracking_number",
    "uncategorized_file",
    "uncategorized_text",
];

pub fn dispute(dispute: &Dispute, _: &State) -> Value {
    let mut evidence: serde_json::Map<String, Value> =
        EVIDENCE.iter().map(|name| ((*name).to_owned(), Value::Null)).collect();
    evidence.insert("enhanced_evidence".to_owned(), json!({}));
    json!({
        "id": dispute.id,
        "object": "dispute",
        "amount": dispute.amount,
        "balance_transactions": [],
        "charge": dispute.charge,
        "created": dispute.created,
        "currency": dispute.currency,
        "enhanced_eligibility_types": [],
        "evidence": evidence,
        "evidence_details": {
            "due_by": dispute.created + 10 * DAY,
            "enhanced_eligibility": {},
            "has_evidence": false,
            "past_due": false,
            "submission_count": 0,
        },
        "is_charge_refundable": false,
        "livemode": false,
        "metadata": dispute.metadata,
        "payment_intent": dispute.payment_intent,
        "payment_method_details": {
            "card": {"brand": "visa", "case_type": "chargeback", "network_reason_code": "10.4"},
            "type": "card",
        },
        "reason": dispute.reason,
        "status": dispute.status,
    })
}

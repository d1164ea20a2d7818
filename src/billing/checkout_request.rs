//! What Stripe is told of a sale.

use std::collections::HashMap;

use stripe_checkout::checkout_session::{
    CreateCheckoutSession, CreateCheckoutSessionLineItems, CreateCheckoutSessionPaymentIntentData,
    CreateCheckoutSessionSubscriptionData,
};
use stripe_shared::CheckoutSessionMode;

use super::customer::USER_ID;
use crate::{
    domain::{
        carry_over::CarryOver,
        plan::{Plan, PlanKind},
    },
    store::users::User,
};

/// The name under which the plan's key stands in Stripe's metadata.
pub const PLAN: &str = "plan";
/// The name under which the months of a prepaid plan stand in Stripe's metadata.
pub const MONTHS: &str = "months";

/// Where Stripe sends the person back to.
pub(super) struct Return {
    /// After the payment.
    pub paid: String,
    /// Without one.
    pub left: String,
}

/// A session for one plan. Whatever comes of it names the person and what was bought (`docs/rules.md §5, §6`).
pub(super) fn new(user: &User, customer: &str, plan: &Plan, left: CarryOver, back: &Return) -> CreateCheckoutSession {
    let metadata = metadata(user, plan);
    let request = CreateCheckoutSession::new()
        .customer(customer)
        .client_reference_id(user.public_id.clone())
        .metadata(metadata.clone())
        .line_items(vec![CreateCheckoutSessionLineItems {
            price: Some(plan.price.clone()),
            quantity: Some(1),
            ..CreateCheckoutSessionLineItems::new()
        }])
        .success_url(back.paid.clone())
        .cancel_url(back.left.clone());
    match plan.kind {
        PlanKind::Recurring => {
            request.mode(CheckoutSessionMode::Subscription).subscription_data(subscription_data(metadata, left))
        }
        PlanKind::Prepaid { .. } => {
            let mut data = CreateCheckoutSessionPaymentIntentData::new();
            data.metadata = Some(metadata);
            request.mode(CheckoutSessionMode::Payment).payment_intent_data(data)
        }
    }
}

fn metadata(user: &User, plan: &Plan) -> HashMap<String, String> {
    let mut metadata =
        HashMap::from([(USER_ID.to_owned(), user.public_id.clone()), (PLAN.to_owned(), plan.key.clone())]);
    if let PlanKind::Prepaid { months } = plan.kind {
        metadata.insert(MONTHS.to_owned(), months.to_string());
    }
    metadata
}

fn subscription_data(metadata: HashMap<String, String>, left: CarryOver) -> CreateCheckoutSessionSubscriptionData {
    let mut data = CreateCheckoutSessionSubscriptionData::new();
    data.metadata = Some(metadata);
    match left {
        CarryOver::Nothing => {}
        CarryOver::Until(end) => data.trial_end = Some(end.timestamp()),
        CarryOver::Days(days) => data.trial_period_days = Some(days),
    }
    data
}

//! How far a checkout is, for the page to which a person comes back from paying. It only reads.

use actix_web::HttpRequest;

use super::{
    account::plan_name,
    checkout::Progress,
    site::{Site, query},
};
use crate::{
    domain::{
        access::{Access, premium_access, shown},
        payment::{Payment, PaymentStatus},
        subscription::{Kind, Status},
    },
    error::Error,
    store::{payments, sessions::SignedIn},
};

/// After so many looks a person should know that it takes longer.
const SLOW_AFTER: u32 = 20;

/// How far the checkout is that the address of this request names; without a name, how the person's access stands.
///
/// # Errors
/// The database failed.
pub async fn progress(site: &Site, request: &HttpRequest, person: &SignedIn) -> Result<Progress, Error> {
    let session = query(request, "session_id").filter(|id| is_session_id(id));
    let look = query(request, "look").and_then(|look| look.parse::<u32>().ok()).unwrap_or(0);
    let payment = match session.clone() {
        Some(session) => {
            let user = person.user.id;
            site.store.read(move |conn| payments::of_session(conn, user, &session)).await?
        }
        None => None,
    };
    let done = match &payment {
        Some(payment) => paid_once(site, person, payment),
        None => subscribed(site, person, session.is_none()),
    };
    Ok(done.unwrap_or_else(|| waiting(session.as_deref(), look)))
}

/// Other words are none of Stripe's.
fn is_session_id(id: &str) -> bool {
    id.starts_with("cs_") && id.len() <= 255 && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn paid_once(site: &Site, person: &SignedIn, payment: &Payment) -> Option<Progress> {
    match payment.status {
        PaymentStatus::Pending => None,
        PaymentStatus::Failed => Some(Progress::Failed),
        PaymentStatus::Paid => active(site, person, payment.plan.as_deref()),
    }
}

/// A recurring plan shows in the subscription. Months that were paid once count only where nothing tells for which
/// checkout the person waits.
fn subscribed(site: &Site, person: &SignedIn, any: bool) -> Option<Progress> {
    let now = site.clock.now();
    let paid_for = |kind| kind == Kind::Recurring || (any && kind == Kind::Prepaid);
    let shown = shown(&person.subscriptions, &site.policy, now).filter(|one| paid_for(one.kind))?;
    if shown.gives_access(&site.policy, now) {
        return active(site, person, shown.plan.as_deref());
    }
    (shown.status == Status::PastDue).then_some(Progress::Failed)
}

fn active(site: &Site, person: &SignedIn, plan: Option<&str>) -> Option<Progress> {
    match premium_access(&person.subscriptions, &site.policy, site.clock.now()) {
        Access::Granted { until, renews, .. } => Some(Progress::Active {
            plan: plan.and_then(|key| plan_name(site, key)).unwrap_or_default(),
            until: site.moment(until, &person.user),
            renews,
        }),
        Access::Denied { .. } => None,
    }
}

fn waiting(session: Option<&str>, look: u32) -> Progress {
    let of = session.map(|id| format!("session_id={id}&")).unwrap_or_default();
    match look {
        0..SLOW_AFTER => Progress::Pending { again: format!("/checkout/return?{of}look={}", look + 1) },
        SLOW_AFTER.. => Progress::Slow { again: format!("/checkout/return?{of}look={SLOW_AFTER}") },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_stripes_ids_are_looked_up() {
        for id in ["", "cs_\0", "pi_1", "cs_1&look=9", "cs_<b>", "cs_1 ", "CS_1", &format!("cs_{}", "1".repeat(253))] {
            assert!(!is_session_id(id), "{id:?}");
        }
        assert!(is_session_id("cs_test_a1B2"));
    }

    #[test]
    fn it_counts_the_looks_and_keeps_to_its_checkout() {
        for (session, look, again) in [
            (None, 0, "/checkout/return?look=1"),
            (Some("cs_1"), 0, "/checkout/return?session_id=cs_1&look=1"),
            (Some("cs_1"), 19, "/checkout/return?session_id=cs_1&look=20"),
        ] {
            assert_eq!(waiting(session, look), Progress::Pending { again: again.to_owned() });
        }
        for look in [20, 21, u32::MAX] {
            let again = "/checkout/return?session_id=cs_1&look=20".to_owned();
            assert_eq!(waiting(Some("cs_1"), look), Progress::Slow { again });
        }
    }
}

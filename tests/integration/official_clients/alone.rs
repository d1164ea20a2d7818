//! `turnpike sandbox` alone, on the system's clock: whatever the libraries do with Stripe, they do with it.

use crate::support::{
    official::{node, python},
    process::Process,
};

/// Runs a test script of Python against a sandbox of its own.
fn python_passes(script: &str, tests: usize) {
    with_sandbox(|url| {
        let said = python(&["-m", "unittest", script], &[("SANDBOX_URL", url)], "");
        assert!(said.contains(&format!("Ran {tests} tests")), "{script} has another number of tests:\n{said}");
    });
}

fn with_sandbox(body: impl FnOnce(&str)) {
    let folder = tempfile::tempdir().unwrap();
    let mut sandbox = Process::sandbox(folder.path());
    body(&format!("http://{}", sandbox.address()));
    assert!(sandbox.terminate().success(), "SIGTERM must be a clean end");
}

#[test]
fn customers_catalogue_checkout_and_portal() {
    python_passes("test_objects", 12);
}

#[test]
fn subscriptions_as_time_passes() {
    python_passes("test_subscriptions", 12);
}

#[test]
fn invoices_payments_refunds_and_disputes() {
    python_passes("test_money", 7);
}

#[test]
fn errors_retries_and_idempotency() {
    python_passes("test_errors", 10);
}

#[test]
fn webhooks_as_they_are_delivered() {
    python_passes("test_webhooks", 8);
}

#[test]
fn the_library_for_node() {
    with_sandbox(|url| {
        let said = node("node.cjs", &[("SANDBOX_URL", url)]);
        assert!(said.contains("pass 5") && said.contains("fail 0"), "{said}");
    });
}

//! Counters in Prometheus' text format.

use std::{
    fmt::Write,
    sync::atomic::{AtomicU64, Ordering},
};

const OTHER: &str = "other";

/// What is counted. Share it in an `Arc` or the app's data.
#[derive(Debug)]
pub struct Metrics {
    requests: Family,
    guard: Family,
    webhooks: Family,
}

/// A counter for each word of a label. The words are fixed, so that nothing a stranger sends can add a line.
#[derive(Debug)]
struct Family {
    name: &'static str,
    help: &'static str,
    label: &'static str,
    counters: Vec<(&'static str, AtomicU64)>,
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            requests: Family::new(
                "turnpike_requests_total",
                "Answered requests by class of status.",
                "class",
                &["1xx", "2xx", "3xx", "4xx", "5xx"],
            ),
            guard: Family::new(
                "turnpike_guard_decisions_total",
                "Decisions about premium pages.",
                "decision",
                &[
                    "granted",
                    "unauthenticated",
                    "second_factor_missing",
                    "never_subscribed",
                    "email_unconfirmed",
                    "trial_ended",
                    "period_ended",
                    "payment_failed",
                    "canceled",
                    "paused",
                    "plan_not_included",
                    "unavailable",
                ],
            ),
            webhooks: Family::new(
                "turnpike_webhooks_total",
                "Webhooks from Stripe by what became of them.",
                "outcome",
                &["applied", "seen", "stale", "ignored", "unmatched", "failed", "bad_signature", "not_an_event"],
            ),
        }
    }
}

impl Metrics {
    /// One answered request.
    pub fn request(&self, status: u16) {
        self.requests.count(match status {
            100..200 => "1xx",
            200..300 => "2xx",
            300..400 => "3xx",
            400..500 => "4xx",
            500..600 => "5xx",
            _ => OTHER,
        });
    }

    /// One decision of the guard: `granted`, `unauthenticated`, `unavailable`, or the reason of the refusal.
    pub fn guard(&self, decision: &str) {
        self.guard.count(decision);
    }

    /// One webhook: `applied`, `seen`, `stale`, `ignored`, `unmatched`, `failed`, `bad_signature` or `not_an_event`.
    pub fn webhook(&self, outcome: &str) {
        self.webhooks.count(outcome);
    }

    /// All counters, in Prometheus' text format 0.0.4.
    pub fn render(&self) -> String {
        let mut text = String::with_capacity(2_048);
        for family in [&self.requests, &self.guard, &self.webhooks] {
            family.render(&mut text);
        }
        text
    }
}

impl Family {
    fn new(name: &'static str, help: &'static str, label: &'static str, words: &[&'static str]) -> Self {
        let counters = words.iter().chain([&OTHER]).map(|word| (*word, AtomicU64::new(0))).collect();
        Self { name, help, label, counters }
    }

    /// A word that is not known counts as "other", the last one.
    fn count(&self, word: &str) {
        let counter = self.counters.iter().find(|(known, _)| *known == word).or(self.counters.last());
        if let Some((_, counter)) = counter {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn render(&self, text: &mut String) {
        let Self { name, help, label, counters } = self;
        // Writing into a String can't fail.
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} counter");
        for (word, counter) in counters {
            let _ = writeln!(text, "{name}{{{label}=\"{word}\"}} {}", counter.load(Ordering::Relaxed));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line<'a>(text: &'a str, start: &str) -> &'a str {
        text.lines().find(|line| line.starts_with(start)).unwrap_or_default()
    }

    #[test]
    fn what_was_counted_is_rendered() {
        let metrics = Metrics::default();
        for status in [200, 204, 303, 404, 503, 999] {
            metrics.request(status);
        }
        metrics.guard("trial_ended");
        metrics.webhook("bad_signature");
        metrics.webhook("bad_signature");
        metrics.webhook("x\"} 1\nevil 1");
        let text = metrics.render();
        for expected in [
            "turnpike_requests_total{class=\"2xx\"} 2",
            "turnpike_requests_total{class=\"3xx\"} 1",
            "turnpike_requests_total{class=\"other\"} 1",
            "turnpike_guard_decisions_total{decision=\"trial_ended\"} 1",
            "turnpike_guard_decisions_total{decision=\"granted\"} 0",
            "turnpike_webhooks_total{outcome=\"bad_signature\"} 2",
            "turnpike_webhooks_total{outcome=\"other\"} 1",
            "# TYPE turnpike_webhooks_total counter",
        ] {
            assert_eq!(line(&text, expected.rsplit_once(' ').unwrap().0), expected);
        }
        assert!(!text.contains("evil") && text.ends_with('\n'));
    }

    #[test]
    fn parallel_counts_are_all_kept() {
        let metrics = Metrics::default();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..1_000).for_each(|_| metrics.request(200)));
            }
        });
        assert!(metrics.render().contains("class=\"2xx\"} 4000"));
    }
}

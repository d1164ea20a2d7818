-- What Stripe showed of a subscription, as far as it decides what the row says: JSON.
ALTER TABLE subscriptions ADD COLUMN snapshots TEXT;

-- The payment that an event is about.
ALTER TABLE webhook_events ADD COLUMN provider_payment_id TEXT;
-- When a failed event is tried again.
ALTER TABLE webhook_events ADD COLUMN retry_at BIGINT;
CREATE INDEX webhook_events_by_payment ON webhook_events (provider_payment_id) WHERE provider_payment_id IS NOT NULL;
CREATE INDEX webhook_events_to_retry ON webhook_events (retry_at) WHERE retry_at IS NOT NULL;
CREATE INDEX webhook_events_with_payload ON webhook_events (received_at) WHERE payload IS NOT NULL;
-- For those who wait for a customer. (SQLite takes no index of one outcome alone when the outcome is a parameter.)
DROP INDEX webhook_events_unmatched;
CREATE INDEX webhook_events_by_customer ON webhook_events (provider_customer_id)
    WHERE provider_customer_id IS NOT NULL;

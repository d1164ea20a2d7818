DROP INDEX webhook_events_by_customer;
CREATE INDEX webhook_events_unmatched ON webhook_events (provider_customer_id) WHERE outcome = 'unmatched';
DROP INDEX webhook_events_with_payload;
DROP INDEX webhook_events_to_retry;
DROP INDEX webhook_events_by_payment;
ALTER TABLE webhook_events DROP COLUMN retry_at;
ALTER TABLE webhook_events DROP COLUMN provider_payment_id;
ALTER TABLE subscriptions DROP COLUMN snapshots;

-- Money that moved, or was to move: one row for an invoice, or for a single payment.
CREATE TABLE payments (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    purpose TEXT NOT NULL CHECK (purpose IN ('subscription', 'prepaid')),
    status TEXT NOT NULL CHECK (status IN ('pending', 'failed', 'paid')),
    -- When it was paid; before that, when it was tried.
    happened_at BIGINT NOT NULL,
    provider_payment_id TEXT UNIQUE,
    provider_invoice_id TEXT UNIQUE,
    provider_session_id TEXT UNIQUE,
    provider_charge_id TEXT UNIQUE,
    provider_subscription_id TEXT,
    plan TEXT,
    months BIGINT,
    amount BIGINT NOT NULL,
    amount_refunded BIGINT NOT NULL,
    currency TEXT,
    receipt_url TEXT,
    dispute TEXT,
    -- The span that a payment of a prepaid plan added, and when all of the money had gone back, and the span with it.
    added_from BIGINT,
    added_until BIGINT,
    taken_back_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    CHECK ((added_from IS NULL) = (added_until IS NULL))
);
CREATE INDEX payments_by_user ON payments (user_id, happened_at);
-- One prepaid subscription for a person; each payment extends it.
CREATE UNIQUE INDEX subscriptions_one_prepaid ON subscriptions (user_id) WHERE kind = 'prepaid';

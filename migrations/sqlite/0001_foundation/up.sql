CREATE TABLE users (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    public_id TEXT NOT NULL UNIQUE,
    email TEXT NOT NULL,
    email_canonical TEXT NOT NULL UNIQUE,
    email_confirmed_at BIGINT,
    password_hash TEXT NOT NULL,
    title TEXT,
    first_name TEXT NOT NULL,
    last_name TEXT NOT NULL,
    phone TEXT,
    time_zone TEXT NOT NULL,
    language TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('user', 'support', 'admin')),
    stripe_customer_id TEXT UNIQUE,
    terms_accepted_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    token_hash TEXT NOT NULL UNIQUE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    user_agent TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE subscriptions (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('trial', 'recurring', 'prepaid', 'complimentary')),
    status TEXT NOT NULL CHECK (status IN ('trialing', 'active', 'past_due', 'canceled', 'expired')),
    plan TEXT,
    provider_id TEXT UNIQUE,
    provider_status TEXT,
    current_period_start BIGINT,
    current_period_end BIGINT,
    cancel_at_period_end BOOLEAN NOT NULL,
    cancel_at BIGINT,
    ended_at BIGINT,
    snapshot_at BIGINT,
    refresh_due_at BIGINT,
    refreshed_at BIGINT,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    CHECK ((kind = 'recurring') = (provider_id IS NOT NULL)),
    CHECK ((current_period_start IS NULL) = (current_period_end IS NULL)),
    CHECK (kind = 'recurring' OR current_period_end IS NOT NULL)
);
CREATE INDEX subscriptions_by_user ON subscriptions (user_id);
CREATE INDEX subscriptions_by_end ON subscriptions (status, current_period_end);
CREATE INDEX subscriptions_by_refresh ON subscriptions (refresh_due_at);
-- One trial for a person, whatever the program does.
CREATE UNIQUE INDEX subscriptions_one_trial ON subscriptions (user_id) WHERE kind = 'trial';

-- Who had a trial, as a keyed hash of the canonical address: it outlives the account.
CREATE TABLE trial_grants (
    email_hash TEXT NOT NULL PRIMARY KEY,
    granted_at BIGINT NOT NULL
);

CREATE TABLE webhook_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    event_id TEXT NOT NULL UNIQUE,
    event_type TEXT NOT NULL,
    api_version TEXT,
    livemode BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    received_at BIGINT NOT NULL,
    finished_at BIGINT,
    outcome TEXT NOT NULL CHECK (outcome IN ('pending', 'applied', 'stale', 'ignored', 'unmatched', 'failed')),
    detail TEXT,
    attempts BIGINT NOT NULL,
    user_id BIGINT REFERENCES users (id) ON DELETE SET NULL,
    provider_subscription_id TEXT,
    provider_customer_id TEXT,
    change TEXT,
    payload TEXT
);
CREATE INDEX webhook_events_by_subscription ON webhook_events (provider_subscription_id);
CREATE INDEX webhook_events_unmatched ON webhook_events (provider_customer_id) WHERE outcome = 'unmatched';

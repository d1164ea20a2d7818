-- An address that waits for its confirmation; when the account was deleted (its payments stay, the person's data do not);
-- since when a second factor is asked for at log-in.
ALTER TABLE users ADD COLUMN email_pending TEXT;
ALTER TABLE users ADD COLUMN deleted_at BIGINT;
ALTER TABLE users ADD COLUMN second_factor_at BIGINT;

-- A session is named by an id that is of no use to anyone else. Those without one are over: people log in again.
DELETE FROM sessions;
ALTER TABLE sessions ADD COLUMN public_id TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX sessions_by_public_id ON sessions (public_id);

-- Links that were mailed, and log-ins that wait for their second factor. Only hashes are kept.
CREATE TABLE tokens (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    token_hash TEXT NOT NULL UNIQUE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    purpose TEXT NOT NULL CHECK (purpose IN ('email_confirmation', 'email_change', 'password_reset', 'second_factor')),
    email TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX tokens_by_user ON tokens (user_id, purpose);
CREATE INDEX tokens_by_expiry ON tokens (expires_at);

-- A row for each person with users.second_factor_at. The secret is encrypted with a key of the server; last_step is the last
-- time step whose code was used.
CREATE TABLE second_factors (
    user_id BIGINT PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    secret TEXT NOT NULL,
    last_step BIGINT NOT NULL
);
CREATE TABLE recovery_codes (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    code_hash TEXT NOT NULL,
    UNIQUE (user_id, code_hash)
);

-- Stripe voids its invoices while it is paused: what it gives ends with the period.
ALTER TABLE subscriptions ADD COLUMN collection_voided BOOLEAN NOT NULL DEFAULT FALSE;

-- What the bank took back in a dispute that was lost, which can be a part.
ALTER TABLE payments ADD COLUMN amount_lost BIGINT NOT NULL DEFAULT 0;

-- A mail that goes to another address than the account's.
ALTER TABLE mails ADD COLUMN recipient TEXT;
-- How many somebody asked for in the last day is counted.
CREATE INDEX mails_by_creation ON mails (created_at);

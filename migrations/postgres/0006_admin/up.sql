-- Since when somebody is kept out by an admin.
ALTER TABLE users ADD COLUMN locked_at BIGINT;

-- What the list of subscribers shows of each person, sorts by and searches in. It is made of the other tables, is true from
-- valid_from up to, and without, valid_until, and is made anew when it is asked for after that. Triggers say when something
-- that it is made of has changed: they raise changes, and a row that was never made is true at no time.
CREATE TABLE roster (
    user_id BIGINT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    changes BIGINT NOT NULL DEFAULT 0,
    valid_from BIGINT NOT NULL DEFAULT 0,
    valid_until BIGINT NOT NULL DEFAULT 0,
    -- Compared byte by byte, as the other engine does.
    name_key TEXT COLLATE "C" NOT NULL DEFAULT '',
    search TEXT NOT NULL DEFAULT '',
    signed_up_at BIGINT NOT NULL DEFAULT 0,
    status TEXT NOT NULL DEFAULT 'none'
        CHECK (status IN ('none', 'trialing', 'active', 'past_due', 'canceled', 'expired')),
    kind TEXT NOT NULL DEFAULT 'none' CHECK (kind IN ('none', 'trial', 'recurring', 'prepaid', 'complimentary')),
    plan TEXT,
    granted BOOLEAN NOT NULL DEFAULT FALSE,
    renews BOOLEAN NOT NULL DEFAULT FALSE,
    -- Until when premium pages open; else when that ended; 0 where there never was anything.
    ends_at BIGINT NOT NULL DEFAULT 0,
    -- Subscriptions that run at Stripe.
    live BIGINT NOT NULL DEFAULT 0,
    confirmed BOOLEAN NOT NULL DEFAULT FALSE,
    locked BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE INDEX roster_stale ON roster (valid_until);
CREATE INDEX roster_early ON roster (valid_from);
CREATE INDEX roster_by_name ON roster (name_key, user_id);
CREATE INDEX roster_by_status_name ON roster (status, name_key, user_id);
CREATE INDEX roster_by_kind_name ON roster (kind, name_key, user_id);
CREATE INDEX roster_by_plan_name ON roster (plan, name_key, user_id);
CREATE INDEX roster_unconfirmed_by_name ON roster (name_key, user_id) WHERE NOT confirmed;
CREATE INDEX roster_by_sign_up ON roster (signed_up_at, user_id);
CREATE INDEX roster_by_status_sign_up ON roster (status, signed_up_at, user_id);
CREATE INDEX roster_by_kind_sign_up ON roster (kind, signed_up_at, user_id);
CREATE INDEX roster_by_plan_sign_up ON roster (plan, signed_up_at, user_id);
CREATE INDEX roster_unconfirmed_by_sign_up ON roster (signed_up_at, user_id) WHERE NOT confirmed;
CREATE INDEX roster_by_end ON roster (ends_at, user_id);
CREATE INDEX roster_by_status_end ON roster (status, ends_at, user_id);
CREATE INDEX roster_by_kind_end ON roster (kind, ends_at, user_id);
CREATE INDEX roster_by_plan_end ON roster (plan, ends_at, user_id);
CREATE INDEX roster_unconfirmed_by_end ON roster (ends_at, user_id) WHERE NOT confirmed;
CREATE INDEX roster_twice ON roster (user_id) WHERE live > 1;

CREATE FUNCTION roster_add() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO roster (user_id) VALUES (NEW.id);
    RETURN NULL;
END $$;
CREATE FUNCTION roster_user_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE roster SET changes = changes + 1, valid_until = 0 WHERE user_id = NEW.id;
    RETURN NULL;
END $$;
CREATE FUNCTION roster_subscription_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        UPDATE roster SET changes = changes + 1, valid_until = 0 WHERE user_id = OLD.user_id;
    END IF;
    IF TG_OP = 'INSERT' OR (TG_OP = 'UPDATE' AND NEW.user_id <> OLD.user_id) THEN
        UPDATE roster SET changes = changes + 1, valid_until = 0 WHERE user_id = NEW.user_id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER roster_of_new_user AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION roster_add();
CREATE TRIGGER roster_of_changed_user AFTER UPDATE OF email, first_name, last_name, email_confirmed_at, deleted_at, locked_at ON users
    FOR EACH ROW EXECUTE FUNCTION roster_user_changed();
CREATE TRIGGER roster_of_subscription AFTER INSERT OR UPDATE OR DELETE ON subscriptions
    FOR EACH ROW EXECUTE FUNCTION roster_subscription_changed();

-- Any three letters in a row lead to the people in whose name or address they stand. The extension comes with PostgreSQL's
-- own packages; where it can't be had, the search is slower and finds the same.
DO $$
BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE INDEX roster_search ON roster USING gin (search gin_trgm_ops);
EXCEPTION WHEN OTHERS THEN
    RAISE WARNING 'the search of subscribers has no index: %', SQLERRM;
END $$;
INSERT INTO roster (user_id) SELECT id FROM users WHERE deleted_at IS NULL;

-- Settings that rows of the roster were made by. With others they are stale.
CREATE TABLE roster_rules (
    name TEXT PRIMARY KEY NOT NULL,
    value TEXT NOT NULL
);

-- What was known of each subscription, and from when on, so that the rule can be asked for a moment that has passed. A row for
-- each change, made by triggers, whoever changes it. Of subscriptions that are older than this table there is what is known
-- of them when it is made.
CREATE TABLE subscription_history (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    subscription_id BIGINT NOT NULL REFERENCES subscriptions (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    known_from BIGINT NOT NULL,
    status TEXT NOT NULL,
    plan TEXT,
    provider_status TEXT,
    current_period_start BIGINT,
    current_period_end BIGINT,
    cancel_at_period_end BOOLEAN NOT NULL,
    cancel_at BIGINT,
    ended_at BIGINT,
    collection_voided BOOLEAN NOT NULL
);
CREATE INDEX subscription_history_by_user ON subscription_history (user_id, id);
CREATE INDEX subscription_history_by_subscription ON subscription_history (subscription_id);
INSERT INTO subscription_history (
        subscription_id, user_id, known_from, status, plan, provider_status, current_period_start, current_period_end,
        cancel_at_period_end, cancel_at, ended_at, collection_voided
    ) SELECT id, user_id, created_at, status, plan, provider_status, current_period_start, current_period_end,
        cancel_at_period_end, cancel_at, ended_at, collection_voided FROM subscriptions ORDER BY id;
CREATE FUNCTION subscription_history_add() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO subscription_history (
        subscription_id, user_id, known_from, status, plan, provider_status, current_period_start, current_period_end,
        cancel_at_period_end, cancel_at, ended_at, collection_voided
    ) VALUES (
        NEW.id, NEW.user_id, NEW.updated_at, NEW.status, NEW.plan, NEW.provider_status, NEW.current_period_start,
        NEW.current_period_end, NEW.cancel_at_period_end, NEW.cancel_at,
        NEW.ended_at, NEW.collection_voided
    );
    RETURN NULL;
END $$;
CREATE TRIGGER history_of_new_subscription AFTER INSERT ON subscriptions
    FOR EACH ROW EXECUTE FUNCTION subscription_history_add();
CREATE TRIGGER history_of_changed_subscription AFTER UPDATE ON subscriptions
    FOR EACH ROW WHEN ((
        OLD.user_id, OLD.status, OLD.plan, OLD.provider_status, OLD.current_period_start, OLD.current_period_end,
        OLD.cancel_at_period_end, OLD.cancel_at, OLD.ended_at, OLD.collection_voided
    ) IS DISTINCT FROM (
        NEW.user_id, NEW.status, NEW.plan, NEW.provider_status, NEW.current_period_start, NEW.current_period_end,
        NEW.cancel_at_period_end, NEW.cancel_at, NEW.ended_at, NEW.collection_voided
    )) EXECUTE FUNCTION subscription_history_add();

-- What staff did, tried, or was refused. Rows are only ever added; people are named by their ids, which outlive accounts.
CREATE TABLE audit_log (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    happened_at BIGINT NOT NULL,
    -- The public id of an account, or the command line.
    actor TEXT NOT NULL,
    -- The address of the browser, or the name of the machine's user.
    origin TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT,
    reason TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('begun', 'made', 'refused', 'failed')),
    detail TEXT
);
CREATE INDEX audit_log_by_actor ON audit_log (actor, id);
CREATE INDEX audit_log_by_action ON audit_log (action, id);
CREATE INDEX audit_log_by_subject ON audit_log (subject, id);
CREATE FUNCTION audit_log_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit log is append-only';
END $$;
CREATE TRIGGER audit_log_is_not_changed BEFORE UPDATE OR DELETE ON audit_log
    FOR EACH ROW EXECUTE FUNCTION audit_log_is_append_only();
CREATE TRIGGER audit_log_is_not_emptied BEFORE TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only();

-- What programs show to read the list of subscribers.
CREATE TABLE api_tokens (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    public_id TEXT NOT NULL UNIQUE,
    token_hash TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    scope TEXT NOT NULL CHECK (scope IN ('read')),
    made_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    used_at BIGINT,
    revoked_at BIGINT
);

-- For the journal's filters, newest first.
CREATE INDEX webhook_events_failed ON webhook_events (id) WHERE outcome = 'failed';
CREATE INDEX webhook_events_unmatched ON webhook_events (id) WHERE outcome = 'unmatched';
CREATE INDEX webhook_events_by_type ON webhook_events (event_type, id);
CREATE INDEX webhook_events_by_user ON webhook_events (user_id, id);

-- When a payment first failed, also of one that was paid afterwards. Of older ones this is known while they are unpaid.
ALTER TABLE payments ADD COLUMN failed_at BIGINT;
UPDATE payments SET failed_at = happened_at WHERE status = 'failed';
CREATE INDEX payments_failed ON payments (failed_at) WHERE failed_at IS NOT NULL;
-- The last payment of a subscription.
CREATE INDEX payments_by_subscription ON payments (provider_subscription_id, happened_at);

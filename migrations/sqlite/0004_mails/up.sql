-- Mails that are to be sent, and those that were: one for each cause.
CREATE TABLE mails (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    cause TEXT NOT NULL UNIQUE,
    notice TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    due_at BIGINT,
    sent_at BIGINT,
    error TEXT,
    created_at BIGINT NOT NULL
);
CREATE INDEX mails_by_user ON mails (user_id);
CREATE INDEX mails_due ON mails (due_at) WHERE due_at IS NOT NULL;

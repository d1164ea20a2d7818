ALTER TABLE mails DROP COLUMN recipient;
DROP TABLE recovery_codes;
DROP TABLE second_factors;
DROP TABLE tokens;
DROP INDEX sessions_by_public_id;
ALTER TABLE sessions DROP COLUMN public_id;
ALTER TABLE users DROP COLUMN second_factor_at;
ALTER TABLE users DROP COLUMN deleted_at;
ALTER TABLE users DROP COLUMN email_pending;

DROP TABLE webhook_events;
DROP TABLE trial_grants;
DROP TABLE subscriptions;
DROP TABLE sessions;
DROP TABLE users;

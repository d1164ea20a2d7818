DROP INDEX subscriptions_one_prepaid;
DROP TABLE payments;

//! What is wrong with a database is said as the database says it.

//! What SQLite must have been built with, and what that is worth.

use diesel::{
    Connection, QueryableByName, RunQueryDsl, SqliteConnection,
    connection::SimpleConnection,
    sql_types::{BigInt, Text},
};
use turnpike::store::{Location, Store};

#[derive(QueryableByName)]
struct CompileOption {
    #[diesel(sql_type = Text)]
    compile_options: String,
}

#[derive(QueryableByName)]
struct PlanStep {
    #[diesel(sql_type = Text)]
    detail: String,
}

#[test]
fn it_is_built_to_keep_its_statements() {
    let mut connection = SqliteConnection::establish(":memory:").unwrap();
    let options: Vec<CompileOption> = diesel::sql_query("PRAGMA compile_options").load(&mut connection).unwrap();
    let kept = options.iter().any(|option| option.compile_options == "ENABLE_QPSG");
    assert!(kept, "LIBSQLITE3_FLAGS of .cargo/config.toml did not reach the build");
}

/// A statement whose plan depends on what is bound is compiled again at each bind: several times the price of the query.
/// Here one label is rare and one is common, so that the best plan differs; the plan of a bound one must not.
#[test]
fn what_is_bound_does_not_make_a_new_plan() {
    let mut connection = skewed_table();
    let literal = |value: &str| format!("SELECT id FROM numbers WHERE label = '{value}' AND kind = 7");
    let rare = plan(&mut connection, &literal("rare"));
    let common = plan(&mut connection, &literal("common"));
    assert_ne!(rare, common, "this table does not show the trap");

    let mut bound = |value: &str| -> Vec<String> {
        let query = diesel::sql_query("EXPLAIN QUERY PLAN SELECT id FROM numbers WHERE label = ? AND kind = ?");
        let steps: Vec<PlanStep> = query.bind::<Text, _>(value).bind::<BigInt, _>(7).load(&mut connection).unwrap();
        steps.into_iter().map(|step| step.detail).collect()
    };
    assert_eq!(bound("rare"), bound("common"));
}

/// Each link of a customer looks for what waits, inside its write transaction: through an index, however long the journal
/// is. An index of one outcome alone would not do, because the outcome is bound.
#[test]
fn what_waits_in_the_journal_is_found_by_an_index() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("turnpike.db");
    Store::migrate(&Location::Sqlite(file.clone())).unwrap();
    let mut connection = SqliteConnection::establish(file.to_str().unwrap()).unwrap();
    for column in ["provider_customer_id", "provider_subscription_id", "provider_payment_id"] {
        for outcome in ["outcome = ?", "outcome IN (?, ?)"] {
            let steps = plan(
                &mut connection,
                &format!("SELECT id FROM webhook_events WHERE payload IS NOT NULL AND {outcome} AND {column} = ?"),
            );
            assert!(steps.iter().all(|step| step.starts_with("SEARCH") && step.contains(column)), "{steps:?}");
        }
    }
}

fn skewed_table() -> SqliteConnection {
    let mut connection = SqliteConnection::establish(":memory:").unwrap();
    connection
        .batch_execute(
            "CREATE TABLE numbers (id INTEGER PRIMARY KEY, label TEXT NOT NULL, kind INTEGER NOT NULL);
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
             INSERT INTO numbers SELECT i, CASE i WHEN 1 THEN 'rare' ELSE 'common' END, i % 50 FROM n;
             CREATE INDEX by_label ON numbers (label);
             CREATE INDEX by_kind ON numbers (kind);
             ANALYZE;",
        )
        .unwrap();
    connection
}

fn plan(connection: &mut SqliteConnection, query: &str) -> Vec<String> {
    let steps: Vec<PlanStep> = diesel::sql_query(format!("EXPLAIN QUERY PLAN {query}")).load(connection).unwrap();
    steps.into_iter().map(|step| step.detail).collect()
}

//! A look into the database beside the program, with a connection of its own.

use std::path::PathBuf;

use diesel::{
    Connection, PgConnection, RunQueryDsl, SqliteConnection,
    connection::SimpleConnection,
    sql_types::{BigInt, Nullable, Text},
};

use super::postgres::PostgresDatabase;

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    Sqlite,
    Postgres,
}

/// The database of one app.
pub enum Database {
    Sqlite(PathBuf),
    Postgres(PostgresDatabase),
}

#[derive(diesel::QueryableByName)]
struct Number {
    #[diesel(sql_type = Nullable<BigInt>)]
    value: Option<i64>,
}

#[derive(diesel::QueryableByName)]
struct Words {
    #[diesel(sql_type = Nullable<Text>)]
    value: Option<String>,
}

#[derive(diesel::QueryableByName)]
struct Plan {
    #[diesel(sql_type = Text)]
    detail: String,
}

#[derive(diesel::QueryableByName)]
struct PostgresPlan {
    #[diesel(sql_type = Text, column_name = "QUERY PLAN")]
    detail: String,
}

impl From<PostgresPlan> for Plan {
    fn from(line: PostgresPlan) -> Self {
        Self { detail: line.detail }
    }
}

/// An open transaction; its end is the connection's.
enum Held {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl Drop for Held {
    fn drop(&mut self) {
        let _ = match self {
            Self::Sqlite(connection) => connection.batch_execute("ROLLBACK"),
            Self::Postgres(connection) => connection.batch_execute("ROLLBACK"),
        };
    }
}

impl Database {
    /// What `TURNPIKE_DATABASE_URL` must be.
    pub fn url(&self) -> String {
        match self {
            Self::Sqlite(file) => file.to_str().unwrap().to_owned(),
            Self::Postgres(database) => database.url(),
        }
    }

    /// Which it is.
    pub fn engine(&self) -> Engine {
        match self {
            Self::Sqlite(_) => Engine::Sqlite,
            Self::Postgres(_) => Engine::Postgres,
        }
    }

    /// Runs statements.
    pub fn execute(&self, sql: &str) {
        let done = match self {
            Self::Sqlite(_) => self.sqlite().batch_execute(sql),
            Self::Postgres(_) => self.postgres().batch_execute(sql),
        };
        done.unwrap_or_else(|error| panic!("{sql}: {error}"));
    }

    /// Runs a statement that may be refused.
    pub fn try_execute(&self, sql: &str) -> diesel::QueryResult<()> {
        match self {
            Self::Sqlite(_) => self.sqlite().batch_execute(sql),
            Self::Postgres(_) => self.postgres().batch_execute(sql),
        }
    }

    /// The number that the query gives as its only column; its type must be a 64-bit integer.
    pub fn number(&self, expression_and_rest: &str) -> Option<i64> {
        let sql = format!("SELECT CAST(({expression_and_rest}) AS BIGINT) AS value");
        let query = diesel::sql_query(&sql);
        let row: Result<Number, _> = match self {
            Self::Sqlite(_) => query.get_result(&mut self.sqlite()),
            Self::Postgres(_) => query.get_result(&mut self.postgres()),
        };
        row.unwrap_or_else(|error| panic!("{sql}: {error}")).value
    }

    /// Keeps what the query locks until the answer is dropped.
    pub fn hold(&self, query: &str) -> impl Drop + use<> {
        let Self::Postgres(_) = self else { panic!("only rows of PostgreSQL can be held") };
        let mut connection = self.postgres();
        let begun = connection.batch_execute(&format!("BEGIN; {query}"));
        begun.unwrap_or_else(|error| panic!("{query}: {error}"));
        Held::Postgres(connection)
    }

    /// Keeps everybody else from writing to a table until the answer is dropped.
    pub fn hold_writes(&self, table: &str) -> impl Drop + use<> {
        match self {
            Self::Sqlite(_) => {
                let mut connection = self.sqlite();
                connection.batch_execute("BEGIN IMMEDIATE").unwrap();
                Held::Sqlite(connection)
            }
            Self::Postgres(_) => {
                let mut connection = self.postgres();
                connection.batch_execute(&format!("BEGIN; LOCK TABLE {table} IN EXCLUSIVE MODE")).unwrap();
                Held::Postgres(connection)
            }
        }
    }

    /// How the engine means to answer a query, whatever its values are; on PostgreSQL, if it had many rows.
    pub fn explain(&self, sql: &str) -> String {
        let sql = sql.split(" -- binds:").next().unwrap_or_default();
        let lines: Vec<Plan> = match self {
            Self::Sqlite(_) => diesel::sql_query(format!("EXPLAIN QUERY PLAN {sql}")).load(&mut self.sqlite()).unwrap(),
            Self::Postgres(_) => {
                let values = (1..).take_while(|number| sql.contains(&format!("${number}"))).map(|_| "NULL");
                let mut connection = self.postgres();
                let ready = "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_sort = off; \
                             SET enable_bitmapscan = off";
                connection.batch_execute(&format!("{ready}; PREPARE asked AS {sql}")).unwrap();
                let values = values.collect::<Vec<_>>().join(", ");
                let explain = format!("EXPLAIN EXECUTE asked ({values})").replace(" ()", "");
                diesel::sql_query(explain)
                    .load::<PostgresPlan>(&mut connection)
                    .unwrap()
                    .into_iter()
                    .map(Plan::from)
                    .collect()
            }
        };
        lines.into_iter().flat_map(|line| [line.detail, "\n".to_owned()]).collect()
    }

    /// How many rows the table has, where the condition holds.
    pub fn count(&self, table: &str, condition: &str) -> i64 {
        self.number(&format!("SELECT count(*) FROM {table} WHERE {condition}")).unwrap()
    }

    /// The text that the query gives as its only column.
    pub fn text(&self, query: &str) -> Option<String> {
        let sql = format!("SELECT CAST(({query}) AS TEXT) AS value");
        let query = diesel::sql_query(&sql);
        let row: Result<Words, _> = match self {
            Self::Sqlite(_) => query.get_result(&mut self.sqlite()),
            Self::Postgres(_) => query.get_result(&mut self.postgres()),
        };
        row.unwrap_or_else(|error| panic!("{sql}: {error}")).value
    }

    /// All rows of a table as text, in the order of their numbers, without these columns.
    pub fn dump(&self, table: &str, without: &[&str]) -> String {
        self.rows(table, without, "ORDER BY id")
    }

    fn rows(&self, table: &str, without: &[&str], order: &str) -> String {
        let (columns, lines) = match self {
            Self::Sqlite(_) => {
                (format!("SELECT group_concat(name) FROM pragma_table_info('{table}')"), "group_concat(line, char(10))")
            }
            Self::Postgres(_) => (
                format!(
                    "SELECT string_agg(column_name, ',') FROM information_schema.columns WHERE table_name = '{table}'"
                ),
                "string_agg(line, chr(10))",
            ),
        };
        let columns = self.text(&columns).unwrap();
        let shown = columns.split(',').filter(|column| !without.contains(column));
        let shown: Vec<String> =
            shown.map(|column| format!("'{column}=' || coalesce(CAST({column} AS TEXT), '-')")).collect();
        let row = shown.join(" || ' ' || ");
        self.text(&format!("SELECT {lines} FROM (SELECT {row} AS line FROM {table} {order}) AS dumped"))
            .unwrap_or_default()
    }

    /// Whether a text stands in any table.
    pub fn holds(&self, text: &str) -> bool {
        self.tables().iter().any(|table| self.rows(table, &[], "").contains(text))
    }

    /// The names of all tables, in order.
    pub fn tables(&self) -> Vec<String> {
        let list = match self {
            Self::Sqlite(_) => {
                "SELECT group_concat(name) FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' \
                 AND name NOT LIKE 'roster_search%'"
            }
            Self::Postgres(_) => "SELECT string_agg(tablename, ',') FROM pg_tables WHERE schemaname = 'public'",
        };
        let mut names: Vec<String> = self.text(list).unwrap_or_default().split(',').map(str::to_owned).collect();
        names.sort();
        names
    }

    /// Makes every query of the program fail, as a database does that went away.
    pub fn go_away(&self) {
        match self {
            // An open file can't be taken away from a process; its tables can.
            Self::Sqlite(_) => self.rename_tables("", "away_"),
            Self::Postgres(database) => database.go_away(),
        }
    }

    /// Ends what [`Database::go_away`] began.
    pub fn come_back(&self) {
        match self {
            Self::Sqlite(_) => self.rename_tables("away_", ""),
            Self::Postgres(database) => database.come_back(),
        }
    }

    fn rename_tables(&self, from: &str, to: &str) {
        for table in self.tables().iter().filter(|name| name.starts_with(from)) {
            let renamed = format!("{to}{}", table.strip_prefix(from).unwrap());
            self.execute(&format!("ALTER TABLE {table} RENAME TO {renamed}"));
        }
    }

    fn sqlite(&self) -> SqliteConnection {
        let mut connection = SqliteConnection::establish(&self.url()).unwrap();
        diesel::connection::SimpleConnection::batch_execute(&mut connection, "PRAGMA busy_timeout = 10000").unwrap();
        connection
    }

    fn postgres(&self) -> PgConnection {
        PgConnection::establish(&self.url()).unwrap()
    }
}

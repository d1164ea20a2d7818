//! `/healthz` and `/readyz`.

use crate::{on_both, support::app::App};

on_both! {
    it_is_alive_without_a_database_and_ready_only_with_one,
}

async fn it_is_alive_without_a_database_and_ready_only_with_one(app: App) {
    let operator = app.visitor();
    operator.get("/healthz").await.is(200);
    operator.get("/readyz").await.is(200);
    app.database.go_away();
    operator.get("/healthz").await.is(200);
    operator.get("/readyz").await.is(503);
    app.database.come_back();
    app.eventually("readiness", || async { operator.get("/readyz").await.status == 200 }).await;
    assert_eq!(operator.cookies().len(), 0);
}

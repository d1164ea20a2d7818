//! A list as a file, written while it is read, so that it may be of any length.
//!
//! A program for tables takes a cell that begins with a sign such as `=` for a formula, and runs it. Such a cell gets an
//! apostrophe in front (`docs/admin.md`).

use actix_web::{HttpResponse, http::header, web};
use chrono::{DateTime, SecondsFormat, Utc};
use futures_util::stream::try_unfold;

use crate::store::StoreError;

/// So many lines are in memory at a time.
pub(super) const AT_A_TIME: i64 = 500;

/// Lines, each a list of cells, and where the next ones begin, if there are more.
pub(super) type Batch<S> = (Vec<Vec<String>>, Option<S>);

/// The file: batch by batch, from the first on. When one can't be read, the connection is cut, so that nobody takes the
/// beginning for the whole.
pub(super) fn answer<S: 'static, F: Future<Output = Result<Batch<S>, StoreError>> + 'static>(
    name: &str,
    columns: &'static [&'static str],
    first: S,
    batch: impl Fn(S) -> F + 'static,
) -> HttpResponse {
    let lines = try_unfold((Some(first), true), move |(place, is_first)| {
        let reading = place.map(&batch);
        async move {
            let Some(reading) = reading else { return Ok::<_, Failed>(None) };
            let read = reading.await;
            let (lines, rest) =
                read.inspect_err(|error| tracing::error!(%error, "a list could not be read to its end"))?;
            let columns = is_first.then_some(columns);
            Ok(Some((written(columns, lines).map_err(Failed::Line)?, (rest, false))))
        }
    });
    HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "text/csv; charset=utf-8"))
        .insert_header((header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")))
        .insert_header((header::CACHE_CONTROL, "private, no-store"))
        .insert_header((header::VARY, "cookie"))
        .streaming(Box::pin(lines))
}

/// The rows that begin the next batch after this one, if it is full.
pub(super) fn last_of_full<T>(rows: &[T]) -> Option<&T> {
    rows.last().filter(|_| rows.len() >= usize::try_from(AT_A_TIME).unwrap_or_default())
}

/// The connection is cut then.
#[derive(Debug, thiserror::Error)]
enum Failed {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("a line could not be written: {0}")]
    Line(String),
}

fn written(columns: Option<&[&str]>, lines: Vec<Vec<String>>) -> Result<web::Bytes, String> {
    let mut file = csv::Writer::from_writer(Vec::new());
    if let Some(columns) = columns {
        file.write_record(columns).map_err(|error| error.to_string())?;
    }
    for line in lines {
        file.write_record(line).map_err(|error| error.to_string())?;
    }
    file.into_inner().map(web::Bytes::from).map_err(|error| error.to_string())
}

/// An instant in RFC 3339, UTC.
pub(super) fn instant(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

/// A cell that no program takes for a formula.
pub(super) fn safe(text: &str) -> String {
    let text = on_one_line(text);
    let looks_like_one = text.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠', '\'']);
    if looks_like_one { format!("'{text}") } else { text }
}

/// Each row is one line, whatever stands in the database.
pub(super) fn on_one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula_and_none_breaks_its_line() {
        for (text, cell) in [
            ("=1+1", "'=1+1"),
            ("+SUM(A1)", "'+SUM(A1)"),
            ("-2", "'-2"),
            ("@x", "'@x"),
            ("\t=1", "' =1"),
            ("  =1", "'  =1"),
            ("\r\n@x", "'  @x"),
            ("＝1", "'＝1"),
            ("'=1", "''=1"),
            ("O'Brien", "O'Brien"),
            ("a\r\nb", "a  b"),
            ("Ada, \"the first\"", "Ada, \"the first\""),
        ] {
            assert_eq!(safe(text), cell, "{text:?}");
        }
    }
}

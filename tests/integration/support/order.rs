//! Orders in which things can come, and people to whom they happen.

use super::app::App;

/// Every order of so many things.
pub fn permutations(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let shorter = permutations(count - 1);
    shorter
        .iter()
        .flat_map(|order| {
            (0..count).map(move |place| {
                let mut order = order.clone();
                order.insert(place, count - 1);
                order
            })
        })
        .collect()
}

/// Somebody in the table of people, without a form and a password, a trial and a session: row and public id.
pub fn somebody(app: &App, name: &str) -> (i64, String) {
    let public_id = format!("person-{name}");
    app.database.execute(&format!(
        "INSERT INTO users (public_id, email, email_canonical, password_hash, first_name, last_name, time_zone, \
         language, role, terms_accepted_at, created_at, updated_at) VALUES ('{public_id}', '{name}@example.com', \
         '{name}@example.com', '', 'Ada', 'Lovelace', 'UTC', 'en', 'user', 0, 0, 0)"
    ));
    (app.database.number(&format!("SELECT id FROM users WHERE public_id = '{public_id}'")).unwrap(), public_id)
}

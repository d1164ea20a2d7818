//! People who look after the others.

use super::{app::App, member::Member};

impl App {
    /// Somebody who signed up and was made an admin.
    pub async fn admin(&self) -> Member {
        self.staff("admin").await
    }

    /// Somebody with this role.
    pub async fn staff(&self, role: &str) -> Member {
        let email = format!("{role}@staff.example.com");
        let member = Member::sign_up(self, &email).await;
        self.database.execute(&format!("UPDATE users SET role = '{role}' WHERE email = '{email}'"));
        member
    }
}

//! People who look after the others.

use super::{app::App, client::Answer, member::Member};

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

/// The page of staff about somebody, also if they are not signed in any more.
pub fn page_of(app: &App, member: &Member) -> String {
    let id = app.database.text(&format!("SELECT public_id FROM users WHERE email = '{}'", member.email)).unwrap();
    format!("/admin/subscribers/{id}")
}

/// Opens the page of an action and sends its form.
pub async fn does(app: &App, staff: &Member, person: &Member, action: &str, more: &[(&str, &str)]) -> Answer {
    let path = format!("{}/{action}", page_of(app, person));
    loop {
        let seen = seen(staff, &path).await;
        let mut fields = vec![("reason", "asked for it by telephone"), ("seen", seen.as_str())];
        fields.extend(more);
        let answer = staff.post(&path, &fields).await;
        // An event of Stripe's may come in between.
        if answer.status != 409 || !answer.text().contains("has changed since you opened the page") {
            return answer;
        }
    }
}

/// What the form of an action says of how things stood.
pub async fn seen(staff: &Member, path: &str) -> String {
    let form = staff.get(path).await.is(200).text();
    form.split("name=\"seen\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
}

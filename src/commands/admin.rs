//! `turnpike admin`: the first admin is made here, and nowhere else.

use clap::Subcommand;
use turnpike::{
    clock::Clock,
    config::Config,
    domain::{email::Email, user::Role},
    startup,
    store::{Store, users},
};

use super::{Failure, say};

#[derive(Debug, Subcommand)]
pub(super) enum Admin {
    /// Make the person with this address an admin.
    #[command(after_help = "Example: turnpike admin grant ada@example.com")]
    Grant {
        /// The address of an account.
        email: String,
    },
    /// Make an admin an ordinary person again.
    #[command(after_help = "Example: turnpike admin revoke ada@example.com")]
    Revoke {
        /// The address of an account.
        email: String,
    },
    /// List the admins.
    #[command(after_help = "Example: turnpike admin list")]
    List,
}

pub(super) async fn run(command: Admin, config: &Config) -> Result<(), Failure> {
    let store = Store::open(startup::location(config), 1)?;
    match command {
        Admin::Grant { email } => set(&store, &email, Role::Admin).await,
        Admin::Revoke { email } => set(&store, &email, Role::User).await,
        Admin::List => list(&store).await,
    }
}

async fn set(store: &Store, email: &str, role: Role) -> Result<(), Failure> {
    let parsed = Email::parse(email).map_err(|error| Failure::Refused(format!("{email}: {error}")))?;
    let (account, now) = (parsed.canonical().to_owned(), Clock::system().now());
    let admins = store.read(users::admins).await?;
    if role == Role::User && admins.len() <= 1 && admins.iter().any(|one| is_account(one, &account)) {
        return Err(Failure::Refused(format!("{email} is the last admin; make somebody else an admin first")));
    }
    if !store.write(move |conn| users::set_role(conn, &account, role, now)).await? {
        return Err(Failure::Refused(format!("nobody has an account with the address {email}; sign up first")));
    }
    match role {
        Role::Admin => say(format!("{email} is an admin now.")),
        Role::User | Role::Support => say(format!("{email} is no longer an admin.")),
    }
}

fn is_account(email: &str, canonical: &str) -> bool {
    Email::parse(email).is_ok_and(|email| email.canonical() == canonical)
}

async fn list(store: &Store) -> Result<(), Failure> {
    let admins = store.read(users::admins).await?;
    if admins.is_empty() {
        return say("There is no admin yet. Make one with: turnpike admin grant EMAIL");
    }
    say(admins.join("\n"))
}

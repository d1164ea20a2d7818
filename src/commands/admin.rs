//! `turnpike admin`: the first admin is made here, and nowhere else.

use clap::Subcommand;
use turnpike::{
    auth::{second_factor, token::random_id},
    clock::{Clock, Entropy},
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
    /// Turn off the second factor of a person who has lost the device and the recovery codes.
    #[command(after_help = "Make sure that it is the person who asks: from then on the password alone is enough.\n\n\
                            Example: turnpike admin reset-second-factor ada@example.com")]
    ResetSecondFactor {
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
        Admin::ResetSecondFactor { email } => reset_second_factor(config, &store, &email).await,
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

async fn reset_second_factor(config: &Config, store: &Store, email: &str) -> Result<(), Failure> {
    let parsed = Email::parse(email).map_err(|error| Failure::Refused(format!("{email}: {error}")))?;
    let (account, now) = (parsed.canonical().to_owned(), startup::clock(config)?.now());
    let found = store.read(move |conn| users::credentials(conn, &account)).await?;
    let Some((user_id, _)) = found else {
        return Err(Failure::Refused(format!("nobody has an account with the address {email}")));
    };
    let cause = random_id("second_factor_reset", Entropy);
    match store.write(move |conn| second_factor::reset(conn, user_id, &cause, now)).await? {
        None => Err(Failure::Refused(format!("{email} has no second factor; nothing was changed"))),
        Some(ended) => say(format!(
            "The second factor of {email} is off, and so are its recovery codes. Sessions ended: {ended}. \
             The person is told by mail and logs in with the password alone."
        )),
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

//! `turnpike admin`: the first admin is made here, and nowhere else.

use clap::Subcommand;
use turnpike::{
    auth::{second_factor, token::random_id},
    clock::{Clock, Entropy},
    config::Config,
    domain::{email::Email, user::Role},
    staff::{RoleChange, set_role},
    startup,
    store::{Store, users},
};

use super::{Failure, say};

#[derive(Debug, Subcommand)]
pub(super) enum Admin {
    /// Make the person with this address an admin, or somebody of the support.
    #[command(after_help = "The support sees everything and changes no access.\n\n\
                            Examples: turnpike admin grant ada@example.com\n          \
                            turnpike admin grant --role support bob@example.com")]
    Grant {
        /// The address of an account.
        email: String,
        /// `admin` or `support`.
        #[arg(long, default_value = "admin", value_parser = ["admin", "support"])]
        role: String,
    },
    /// Make an admin, or somebody of the support, an ordinary person again.
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
    /// List the admins and the support.
    #[command(after_help = "Example: turnpike admin list")]
    List,
}

pub(super) async fn run(command: Admin, config: &Config) -> Result<(), Failure> {
    let store = Store::open(startup::location(config), 1)?;
    match command {
        Admin::Grant { email, role } => {
            set(&store, &email, if role == "support" { Role::Support } else { Role::Admin }).await
        }
        Admin::Revoke { email } => set(&store, &email, Role::User).await,
        Admin::ResetSecondFactor { email } => reset_second_factor(config, &store, &email).await,
        Admin::List => list(&store).await,
    }
}

async fn set(store: &Store, email: &str, role: Role) -> Result<(), Failure> {
    let parsed = Email::parse(email).map_err(|error| Failure::Refused(format!("{email}: {error}")))?;
    let now = Clock::system().now();
    match store.write(move |conn| set_role(conn, &parsed, role, now)).await? {
        RoleChange::Nobody => {
            return Err(Failure::Refused(format!("nobody has an account with the address {email}; sign up first")));
        }
        RoleChange::LastAdmin => {
            return Err(Failure::Refused(format!("{email} is the last admin; make somebody else an admin first")));
        }
        RoleChange::Set => {}
    }
    match role {
        Role::Admin => say(format!("{email} is an admin now.")),
        Role::Support => say(format!("{email} belongs to the support now.")),
        Role::User => say(format!("{email} is no longer an admin.")),
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

async fn list(store: &Store) -> Result<(), Failure> {
    let staff = store.read(users::staff).await?;
    if staff.is_empty() {
        return say("There is no admin yet. Make one with: turnpike admin grant EMAIL");
    }
    let lines = staff.iter().map(|(_, email, role)| match role {
        Role::Admin => email.clone(),
        role => format!("{email} ({})", role.as_str()),
    });
    say(lines.collect::<Vec<_>>().join("\n"))
}

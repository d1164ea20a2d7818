//! What a mail says: words in the language of the person's account. Plain text and HTML are made of the same.

use askama::Template;
use chrono::{DateTime, Utc};

use super::{email_letters, farewell, greeting::greeting, password_letters, payment_letters, security_letters};
use crate::{
    domain::{
        access::Access,
        local_time,
        money::{Currency, Money},
        notice::{Amount, Notice},
        plan::Plans,
    },
    store::users::User,
    words::{Message, Words},
};

/// A mail in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    /// The language of it, and of what stands around it.
    pub words: Words,
    /// The subject.
    pub subject: String,
    /// The first line.
    pub greeting: String,
    /// What happened and what it means.
    pub paragraphs: Vec<String>,
    /// What to do next.
    pub action: String,
    /// Where that is done.
    pub link: String,
    /// The address of the site.
    pub site: String,
    /// The address that it goes to has an account; else somebody named it, or it had one.
    pub to_account: bool,
}

/// To whom it is written, and what is known at that moment.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    /// The person.
    pub user: &'a User,
    /// What the person may read.
    pub access: Access,
    /// What can be bought.
    pub plans: &'a Plans,
    /// The address of the site, without a slash at the end.
    pub site: &'a str,
    /// The moment.
    pub now: DateTime<Utc>,
    /// What the link proves, where the letter has one that proves something; it is made for this letter alone.
    pub token: &'a str,
}

#[derive(Template)]
#[template(path = "emails/layout.txt")]
struct Plain<'a> {
    letter: &'a Letter,
}

#[derive(Template)]
#[template(path = "emails/layout.html")]
struct Html<'a> {
    letter: &'a Letter,
}

impl Letter {
    /// Writes what `notice` has to tell.
    pub fn new(notice: &Notice, reader: &Reader<'_>) -> Self {
        match notice {
            Notice::PaymentFailed { plan, amount, next_attempt } => {
                payment_letters::failed(reader, plan.as_deref(), amount.as_ref(), *next_attempt)
            }
            Notice::SubscriptionEnded { plan, ended_at } => payment_letters::ended(reader, plan.as_deref(), *ended_at),
            Notice::DisputeLost { plan, amount, in_full } => {
                payment_letters::taken_back(reader, plan.as_deref(), amount.as_ref(), *in_full)
            }
            Notice::Refunded { plan, amount, in_full } => {
                payment_letters::refunded(reader, plan.as_deref(), amount.as_ref(), *in_full)
            }
            Notice::ConfirmEmail => email_letters::confirm(reader),
            Notice::ConfirmNewEmail { .. } => email_letters::confirm_new(reader),
            Notice::EmailChanged => email_letters::changed(reader),
            Notice::EmailChangeAsked => email_letters::change_asked(reader),
            Notice::EmailWanted => email_letters::wanted(reader),
            Notice::ResetPassword => password_letters::reset(reader),
            Notice::PasswordChanged => password_letters::changed(reader),
            Notice::AccountDeleted => farewell::letter(reader),
            Notice::SecondFactorOn => security_letters::turned_on(reader),
            Notice::SecondFactorOff => security_letters::turned_off(reader),
            Notice::RecoveryCodesNew => security_letters::recovery_codes_new(reader),
            Notice::RecoveryCodeUsed => security_letters::recovery_code_used(reader),
        }
    }

    /// The mail as plain text.
    ///
    /// # Errors
    /// The template failed.
    pub fn text(&self) -> Result<String, askama::Error> {
        Plain { letter: self }.render()
    }

    /// The mail as HTML.
    ///
    /// # Errors
    /// The template failed.
    pub fn html(&self) -> Result<String, askama::Error> {
        Html { letter: self }.render()
    }
}

impl Reader<'_> {
    /// The language of the account.
    pub(super) fn words(&self) -> Words {
        Words::of(self.user.language())
    }

    /// A text in the language of the account.
    pub(super) fn say(&self, key: &'static str) -> Message {
        self.words().say(key)
    }

    /// A letter with this subject, these paragraphs, and what to do on a page of the site.
    pub(super) fn letter(&self, subject: Message, paragraphs: Vec<String>, action: Message, page: &str) -> Letter {
        Letter {
            words: self.words(),
            subject: subject.into(),
            greeting: greeting(self.words(), &self.user.first_name),
            paragraphs,
            action: action.into(),
            link: format!("{}{page}", self.site),
            site: self.site.to_owned(),
            to_account: true,
        }
    }

    /// The page below `path` that takes the token of this letter.
    pub(super) fn token_page(&self, path: &str) -> String {
        format!("{path}/{}", self.token)
    }

    /// What people call a plan; nothing where it is no longer sold.
    pub(super) fn plan(&self, key: Option<&str>) -> Option<&str> {
        self.plans.by_key(key?).map(|plan| plan.name.as_str())
    }

    /// A moment on the reader's clocks.
    pub(super) fn moment(&self, at: DateTime<Utc>) -> String {
        local_time::moment(at, self.user.zone(), self.user.language())
    }

    /// An amount; nothing where its currency is none.
    pub(super) fn money(&self, amount: &Amount) -> Option<String> {
        let currency = Currency::parse(&amount.currency)?;
        Some(Money::new(amount.minor, currency).in_words_of(self.user.language()))
    }
}

#[cfg(test)]
mod tests;

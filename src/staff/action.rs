//! The actions.

/// What can be done for, or to, a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Give the trial more months.
    ExtendTrial,
    /// Give months for nothing.
    GiveMonths,
    /// End the given months now.
    EndGiven,
    /// Let the subscription end with its period, at Stripe.
    Cancel,
    /// Let it go on after all, at Stripe.
    Resume,
    /// Ask Stripe about all subscriptions.
    Refresh,
    /// Send the mail that confirms the address once more.
    SendConfirmation,
    /// Turn the second factor off.
    ResetSecondFactor,
    /// End all sessions.
    SignOut,
    /// Keep the person out.
    Lock,
    /// Let the person in again.
    Unlock,
}

impl Action {
    /// Every action, in the order in which pages show them.
    pub const ALL: [Self; 11] = [
        Self::ExtendTrial,
        Self::GiveMonths,
        Self::EndGiven,
        Self::Cancel,
        Self::Resume,
        Self::Refresh,
        Self::SendConfirmation,
        Self::SignOut,
        Self::ResetSecondFactor,
        Self::Lock,
        Self::Unlock,
    ];

    /// The word in addresses and in the log.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ExtendTrial => "trial-extension",
            Self::GiveMonths => "complimentary-months",
            Self::EndGiven => "complimentary-end",
            Self::Cancel => "cancellation",
            Self::Resume => "resumption",
            Self::Refresh => "refresh",
            Self::SendConfirmation => "confirmation-mail",
            Self::ResetSecondFactor => "second-factor-reset",
            Self::SignOut => "sign-out",
            Self::Lock => "lock",
            Self::Unlock => "unlock",
        }
    }

    /// The action with that word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == word)
    }

    /// Whether the support may do it: what changes no access and no way into the account.
    pub fn is_for_support(self) -> bool {
        matches!(self, Self::Refresh | Self::SendConfirmation | Self::SignOut)
    }

    /// Whether a number of months is asked for.
    pub fn takes_months(self) -> bool {
        matches!(self, Self::ExtendTrial | Self::GiveMonths)
    }
}

/// Who asks for what, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The public id of the one who does it.
    pub actor: String,
    /// The address of the browser.
    pub origin: String,
    /// What.
    pub action: Action,
    /// For whom: the row.
    pub user_id: i64,
    /// In their words.
    pub reason: String,
    /// 1 to 24, where the action takes months.
    pub months: u32,
    /// How often the person had changed when the page was made on which this was decided.
    pub seen: i64,
    /// Whether the actor may.
    pub is_admin: bool,
}

/// One setting, as the README's table shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The environment variable. In the settings file it is [`Setting::key`].
    pub name: &'static str,
    /// What holds when it is not set; empty when nothing does.
    pub default: &'static str,
    /// What it is for, in one line.
    pub description: &'static str,
    /// Never shown; may also come from the file that the variable with `_FILE` names.
    pub secret: bool,
}

impl Setting {
    /// Its key in the settings file: the variable's name without `TURNPIKE_`, in small letters.
    pub fn key(&self) -> String {
        self.name.trim_start_matches(PREFIX).to_ascii_lowercase()
    }
}

pub(super) const PREFIX: &str = "TURNPIKE_";
pub(super) const CONFIG: &str = "TURNPIKE_CONFIG";
pub(super) const CONFIG_DEFAULT: &str = "turnpike.toml";

/// Every setting there is, in the order in which they are shown. Plans and gates stand in the settings file only.
pub const SETTINGS: &[Setting] = &[
    plain(CONFIG, CONFIG_DEFAULT, "The settings file; only as a variable."),
    plain(
        "TURNPIKE_LISTEN",
        "127.0.0.1:8080",
        "Address and port to listen on; port 0 is any free one, which is logged.",
    ),
    plain(
        "TURNPIKE_PUBLIC_URL",
        "",
        "Where people reach the site, such as https://members.example.com; follows the listening port when not set.",
    ),
    secret(
        "TURNPIKE_DATABASE_URL",
        "data/turnpike.db",
        "An SQLite file (a path or sqlite:…), or postgres://user:password@host/database.",
    ),
    secret(
        "TURNPIKE_COOKIE_SECRET",
        "",
        "At least 16 random characters (openssl rand -hex 32); needed for a public site.",
    ),
    plain(
        "TURNPIKE_COOKIE_DOMAIN",
        "",
        "A domain such as example.com whose hosts all get the session's cookie, for applications behind a gate.",
    ),
    plain(
        "TURNPIKE_GATE_HOSTS",
        "",
        "Hosts of applications behind a gate, separated by commas, to which people may be sent back.",
    ),
    plain("TURNPIKE_CONTENT_DIR", "content", "The folder with the premium pages and files."),
    secret(
        "TURNPIKE_MAIL",
        "dir:data/outbox",
        "Where mail goes: dir:FOLDER, smtps://user:password@host or smtp://user:password@host?tls=required.",
    ),
    plain(
        "TURNPIKE_MAIL_CA",
        "",
        "A file with certificates (PEM) that are believed beside the public ones, for a mail server of your own.",
    ),
    plain(
        "TURNPIKE_MAIL_FROM",
        "Turnpike <turnpike@localhost>",
        "The sender of mail, as an address or Name <address>.",
    ),
    secret(
        "TURNPIKE_STRIPE_SECRET_KEY",
        "",
        "Stripe's secret key; without one, a site on this machine uses the sandbox.",
    ),
    secret(
        "TURNPIKE_STRIPE_WEBHOOK_SECRET",
        "",
        "The signing secret of the webhook endpoint; two, separated by a comma, while rolling.",
    ),
    plain("TURNPIKE_STRIPE_API_BASE", "", "Where Stripe's API is if not at Stripe, without /v1."),
    plain("TURNPIKE_SANDBOX_LISTEN", "127.0.0.1:8081", "Address and port of the sandbox, on this machine only."),
    plain(
        "TURNPIKE_REQUIRE_ADMIN_SECOND_FACTOR",
        "false",
        "Whether admins and support must set up a second factor before anything else: true or false.",
    ),
    plain(
        "TURNPIKE_PAST_DUE_GRACE_DAYS",
        "0",
        "For how many days a renewal that could not be charged still gives access.",
    ),
    plain(
        "TURNPIKE_REQUIRE_CONFIRMED_EMAIL",
        "false",
        "Whether premium pages open only after the e-mail address was confirmed: true or false.",
    ),
    plain(
        "TURNPIKE_JOURNAL_DAYS",
        "90",
        "For how many days the text of Stripe's events is kept; what became of each is kept for ever.",
    ),
    plain("TURNPIKE_METRICS_LISTEN", "", "Address and port for /metrics; not served when not set."),
    plain(
        "TURNPIKE_TRUSTED_PROXIES",
        "",
        "Addresses or networks (10.0.0.0/8), separated by commas, whose X-Forwarded-For is believed.",
    ),
    plain("TURNPIKE_JOBS_INTERVAL_SECONDS", "60", "How often the server does its background work; 0 is never."),
    plain(
        "TURNPIKE_LOG",
        "info",
        "What is logged: error, warn, info, debug, trace, or a filter such as turnpike=debug.",
    ),
    plain("TURNPIKE_LOG_FORMAT", "text", "How log lines look: text or json."),
];

const fn plain(name: &'static str, default: &'static str, description: &'static str) -> Setting {
    Setting { name, default, description, secret: false }
}

const fn secret(name: &'static str, default: &'static str, description: &'static str) -> Setting {
    Setting { name, default, description, secret: true }
}

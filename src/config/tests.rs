use std::fs;

use proptest::prelude::*;

use super::*;
use crate::domain::plan::PlanKind;

const PLAN: &str = "[[plans]]\nkey = \"m\"\nname = \"M\"\nprice = \"price_m\"\nkind = \"recurring\"\n";

/// A folder with a settings file and secrets in files.
struct Folder(tempfile::TempDir);

impl Folder {
    fn empty() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn with(file: &str, text: impl AsRef<[u8]>) -> Self {
        Self::empty().and(file, text)
    }

    fn and(self, file: &str, text: impl AsRef<[u8]>) -> Self {
        fs::write(self.0.path().join(file), text).unwrap();
        self
    }

    fn load(&self, env: &[(&str, &str)]) -> Result<Config, ConfigError> {
        let env = env.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        Config::load(env, self.0.path())
    }

    fn refusal(&self, env: &[(&str, &str)]) -> String {
        self.load(env).unwrap_err().to_string()
    }
}

fn with(env: &[(&str, &str)]) -> Result<Config, ConfigError> {
    Folder::empty().load(env)
}

const PUBLIC: [(&str, &str); 4] = [
    ("TURNPIKE_PUBLIC_URL", "https://members.example.com"),
    ("TURNPIKE_COOKIE_SECRET", "0123456789abcdef0123456789abcdef"),
    ("TURNPIKE_STRIPE_SECRET_KEY", "sk_live_abc"),
    ("TURNPIKE_STRIPE_WEBHOOK_SECRET", "whsec_abc"),
];

#[test]
fn a_public_site_must_not_start_half_configured() {
    for (missing, words) in [
        ("TURNPIKE_COOKIE_SECRET", "needs TURNPIKE_COOKIE_SECRET; set it"),
        ("TURNPIKE_STRIPE_SECRET_KEY", "needs TURNPIKE_STRIPE_SECRET_KEY; set it"),
        ("TURNPIKE_STRIPE_WEBHOOK_SECRET", "needs TURNPIKE_STRIPE_WEBHOOK_SECRET; set it"),
    ] {
        let env: Vec<_> = PUBLIC.into_iter().filter(|(name, _)| *name != missing).collect();
        let refusal = with(&env).unwrap_err().to_string();
        assert!(refusal.contains(words) && !refusal.contains('\n'), "{refusal}");
    }
    for url in [
        "http://members.example.com",
        "http://192.168.1.5:8080",
        "http://localhost.example.com",
        "http://127.example.com",
    ] {
        let mut env = PUBLIC;
        env[0].1 = url;
        let refusal = with(&env).unwrap_err().to_string();
        assert!(refusal.contains("TURNPIKE_PUBLIC_URL") && refusal.contains("needs https"), "{refusal}");
    }
    let config = with(&PUBLIC).unwrap();
    assert!(config.stripe.is_live() && !config.uses_sandbox() && config.plans.is_empty());
}

#[test]
fn a_live_key_never_meets_the_sandbox() {
    for key in ["sk_live_abc", "rk_live_abc"] {
        for base in
            ["http://127.0.0.1:8081", "http://localhost:9", "http://[::1]:8081", "http://[::ffff:127.0.0.1]:8081"]
        {
            let refusal = with(&[
                ("TURNPIKE_STRIPE_SECRET_KEY", key),
                ("TURNPIKE_STRIPE_WEBHOOK_SECRET", "whsec_a"),
                ("TURNPIKE_STRIPE_API_BASE", base),
            ]);
            assert!(refusal.unwrap_err().to_string().contains("live key"), "{key} {base}");
        }
    }
    let config = with(&[
        ("TURNPIKE_STRIPE_SECRET_KEY", "sk_test_abc"),
        ("TURNPIKE_STRIPE_WEBHOOK_SECRET", "w"),
        ("TURNPIKE_STRIPE_API_BASE", "http://127.0.0.1:8081"),
    ]);
    let config = config.unwrap();
    assert!(!config.uses_sandbox() && !config.stripe.is_live());
    assert_eq!(config.plans.iter().count(), 3);
    assert_eq!(config.stripe.api_base.unwrap().as_str(), "http://127.0.0.1:8081/");
}

#[test]
fn strangers_are_refused_by_name() {
    for name in [
        "TURNPIKE_LISTN",
        "TURNPIKE_",
        "TURNPIKE_PLANS",
        "TURNPIKE_LISTEN_FILE",
        "TURNPIKE_listen",
        "TURNPIKE_CONFIG_FILE",
    ] {
        let refusal = with(&[(name, "")]).unwrap_err().to_string();
        assert!(refusal.starts_with(&format!("{name} is not a setting")), "{refusal}");
    }
    assert!(with(&[("TURNPIKEX", "1"), ("PATH", "/bin"), ("turnpike_listen", "x")]).is_ok());
    for (text, key) in [
        ("listn = \"x\"", "\"listn\""),
        ("Listen = \"127.0.0.1:1\"", "\"Listen\""),
        ("config = \"x\"", "\"config\""),
        ("listen_file = \"x\"", "\"listen_file\""),
        ("COOKIE_SECRET_file = \"x\"", "\"COOKIE_SECRET_file\""),
        ("[stripe]\nkey = 1", "\"stripe\""),
        (&format!("{PLAN}color = \"red\""), "`color`"),
    ] {
        let refusal = Folder::with("turnpike.toml", text).refusal(&[]);
        assert!(refusal.contains(key), "{refusal}");
    }
}

#[test]
fn a_bad_value_names_its_variable() {
    let long = "9".repeat(40);
    for (name, values) in [
        ("TURNPIKE_LISTEN", &["8080", "localhost:8080", "127.0.0.1", "127.0.0.1:65536", "x\0y"][..]),
        (
            "TURNPIKE_PUBLIC_URL",
            &[
                "example.com",
                "ftp://example.com",
                "https://",
                "https://a/b",
                "https://a?x",
                "https://u:p@a",
                "javascript:alert(1)",
            ],
        ),
        (
            "TURNPIKE_DATABASE_URL",
            &["mysql://x/y", "postgre://x", "sqlite:", "sqlite::memory:", ":memory:", "file:x.db", "data/"],
        ),
        ("TURNPIKE_COOKIE_SECRET", &["short"]),
        (
            "TURNPIKE_MAIL",
            &[
                "data/outbox",
                "dir:",
                "smtp:",
                "smtp://",
                "http://mail.example.com",
                "smtp://ada@mail.example.com",
                "smtp://:secret@mail.example.com",
                "smtp://ada:secret@mail.example.com",
                "smtp://ada:secret@mail.example.com?tls=opportunistic",
                "smtp://ada:secret@localhost.example.com",
                "smtp://mail.example.com?tls=off",
                "smtp://mail.example.com?tsl=required",
                "smtps://mail.example.com?tls=opportunistic",
            ],
        ),
        (
            "TURNPIKE_MAIL_FROM",
            &[
                "Turnpike",
                "a b@example.com",
                "X <a@example.com",
                "\"X\" <a@example.com>",
                "X <a@example.com> <b@example.com>",
            ],
        ),
        ("TURNPIKE_STRIPE_SECRET_KEY", &["pk_test_abc", "whsec_abc", "sk_test abc"]),
        ("TURNPIKE_STRIPE_WEBHOOK_SECRET", &["whsec_a,", ",", "a,b,c", "sk_test_a", "a b"]),
        (
            "TURNPIKE_STRIPE_API_BASE",
            &["http://stripe.example.com", "https://api.stripe.com/v1", "https://api.stripe.com/v1/", "x"],
        ),
        ("TURNPIKE_SANDBOX_LISTEN", &["0.0.0.0:8081", "192.168.0.1:8081", "[::]:8081", "x"]),
        ("TURNPIKE_REQUIRE_ADMIN_SECOND_FACTOR", &["yes", "1", "True", "on", &long]),
        ("TURNPIKE_PAST_DUE_GRACE_DAYS", &["-1", "1.5", "367", "three", &long]),
        ("TURNPIKE_REQUIRE_CONFIRMED_EMAIL", &["yes", "1", "True", "on", &long]),
        ("TURNPIKE_METRICS_LISTEN", &["9090"]),
        ("TURNPIKE_TRUSTED_PROXIES", &["10.0.0.0/33", "proxy.example.com", "10.0.0.1,", "10.0.0.1 10.0.0.2"]),
        ("TURNPIKE_JOBS_INTERVAL_SECONDS", &["-1", "86401", "1m"]),
        ("TURNPIKE_LOG", &["loud,,==", "verbose", "inof", "info,", "turnpike=loud"]),
        ("TURNPIKE_LOG_FORMAT", &["xml", "JSON"]),
    ] {
        for value in values {
            let refusal = with(&[(name, value)]).unwrap_err().to_string();
            assert!(
                refusal.starts_with(&format!("{name}: ")) && !refusal.contains('\n'),
                "{name}={value:?}: {refusal}"
            );
        }
    }
}

#[test]
fn a_mail_server_is_shown_without_its_password() {
    for (text, masked) in [
        ("smtp://mail.example.com", "smtp://mail.example.com"),
        ("smtp://mail.example.com:2525?tls=opportunistic", "smtp://mail.example.com:2525?tls=opportunistic"),
        ("smtp://ada:hunter2@mail.example.com?tls=required", "smtp://***@mail.example.com?tls=required"),
        ("smtps://ada%40example.com:hunter%2F2@mail.example.com/me", "smtps://***@mail.example.com/me"),
        ("smtp://ada:hunter2@127.0.0.1:1025", "smtp://***@127.0.0.1:1025"),
        ("smtp://ada:hunter2@localhost", "smtp://***@localhost"),
        ("smtp://ada:hunter2@[::1]:1025", "smtp://***@[::1]:1025"),
    ] {
        let shown = with(&[("TURNPIKE_MAIL", text)]).unwrap().masked();
        assert!(shown.contains(&format!("mail = \"{masked}\"\n")), "{text}: {shown}");
    }
}

#[test]
fn a_refusal_never_repeats_a_secret() {
    for (name, secret) in [
        ("TURNPIKE_DATABASE_URL", "mysql://u:hunter2@x/y"),
        ("TURNPIKE_COOKIE_SECRET", "hunter2"),
        ("TURNPIKE_MAIL", "smtq://u:hunter2@x"),
        ("TURNPIKE_MAIL", "smtp://u:hunter2@x"),
        ("TURNPIKE_STRIPE_SECRET_KEY", "pk_hunter2"),
        ("TURNPIKE_STRIPE_WEBHOOK_SECRET", "sk_hunter2"),
        ("TURNPIKE_PUBLIC_URL", "https://u:hunter2@a"),
    ] {
        assert!(!with(&[(name, secret)]).unwrap_err().to_string().contains("hunter2"), "{name}");
    }
    for text in ["cookie_secret = hunter2", "a = 1\ncookie_secret = \"hunter2", "cookie_secret = \"hunter2\\q\""] {
        let refusal = Folder::with("turnpike.toml", text).refusal(&[]);
        assert!(!refusal.contains("hunter2") && refusal.contains("line "), "{refusal}");
    }
}

#[test]
fn values_that_are_not_utf8_name_their_variable() {
    use std::os::unix::ffi::OsStringExt;
    let env = [(OsString::from("TURNPIKE_LOG"), OsString::from_vec(vec![0xFF]))];
    let refusal = Config::load(env, Folder::empty().0.path()).unwrap_err().to_string();
    assert!(refusal.starts_with("TURNPIKE_LOG: "), "{refusal}");
}

#[test]
fn the_file_must_be_readable() {
    assert!(Folder::empty().refusal(&[("TURNPIKE_CONFIG", "missing.toml")]).contains("missing.toml"));
    assert!(Folder::with("turnpike.toml", [0xFF]).refusal(&[]).contains("UTF-8"));
    for text in ["listen = true", "listen = 1.5", "listen = [1]", "[listen]"] {
        let refusal = Folder::with("turnpike.toml", text).refusal(&[]);
        assert!(refusal.starts_with("listen in turnpike.toml: "), "{refusal}");
    }
    let refusal = Folder::with("turnpike.toml", "log = \"info\"\n\nlog = \"warn\"").refusal(&[]);
    assert!(refusal.contains("line 3"), "{refusal}");
}

#[test]
fn plans_must_be_whole_and_apart() {
    let second = |lines: &str| format!("{PLAN}{}", lines.replace(';', "\n"));
    for (text, words) in [
        (second("[[plans]];key='y';name='Y';price='price_m';kind='recurring'"), "share the price \"price_m\""),
        (second("[[plans]];key='m';name='Y';price='price_y';kind='recurring'"), "the key \"m\""),
        (second("[[plans]];key='p';name='P';price='price_p';kind='prepaid'"), "needs months"),
        (second("[[plans]];key='p';name='P';price='price_p';kind='prepaid';months=0"), "1 to 120 months"),
        (second("[[plans]];key='p';name='P';price='price_p';kind='prepaid';months=-1"), "plans: "),
        (second("[[plans]];key='p';name='P';price='price_p';kind='weekly'"), "weekly"),
        (second("[[plans]];key='p';name='P';kind='recurring'"), "price"),
        (second("[[plans]];key='p';name='P';price='price_p';kind='recurring';months=6"), "can't have months"),
        ("plans = 5".into(), "plans: "),
    ] {
        let refusal = Folder::with("turnpike.toml", text).refusal(&[]);
        assert!(refusal.starts_with("plans: ") && refusal.contains(words), "{refusal}");
    }
}

#[test]
fn the_defaults_start_everything() {
    let config = Config::load([], Path::new("")).unwrap();
    assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(config.public_url.as_str(), "http://127.0.0.1:8080/");
    assert_eq!(config.database_url, DatabaseUrl::Sqlite("data/turnpike.db".into()));
    assert_eq!(config.data_dir, Path::new("data"));
    assert_eq!(config.content_dir, Path::new("content"));
    assert_eq!(config.mail, Mail::Dir("data/outbox".into()));
    assert_eq!(config.sandbox_listen.to_string(), "127.0.0.1:8081");
    assert_eq!(config.past_due_grace_days, 0);
    assert_eq!(config.jobs_interval, Some(Duration::from_mins(1)));
    assert_eq!((config.log.as_str(), config.log_format), ("info", LogFormat::Text));
    assert!(config.uses_sandbox() && config.metrics_listen.is_none() && config.trusted_proxies.is_empty());
    let plans: Vec<_> = config.plans.iter().map(|plan| (plan.key.as_str(), plan.price.as_str(), plan.kind)).collect();
    let half_year = PlanKind::Prepaid { months: 6 };
    assert_eq!(
        plans,
        [
            ("monthly", "price_monthly", PlanKind::Recurring),
            ("yearly", "price_yearly", PlanKind::Recurring),
            ("half-year", "price_half_year", half_year)
        ]
    );
}

#[test]
fn the_environment_wins_over_the_file_and_an_empty_variable_is_none() {
    let folder = Folder::with("turnpike.toml", format!("listen = \"127.0.0.1:1\"\npast_due_grace_days = 3\n{PLAN}"))
        .and("other.toml", "listen = \"127.0.0.1:2\"\ntrusted_proxies = [\"10.1.2.3/8\", \"::1\"]\n");
    let port = |env: &[(&str, &str)]| folder.load(env).unwrap().listen.port();
    assert_eq!(port(&[]), 1);
    assert_eq!(port(&[("TURNPIKE_LISTEN", " ")]), 1);
    assert_eq!(port(&[("TURNPIKE_LISTEN", "127.0.0.1:3")]), 3);
    let config = folder.load(&[]).unwrap();
    assert_eq!((config.past_due_grace_days, config.plans.iter().count()), (3, 1));
    let other = folder.load(&[("TURNPIKE_CONFIG", "other.toml")]).unwrap();
    let proxies: Vec<_> = other.trusted_proxies.iter().map(ToString::to_string).collect();
    assert_eq!(
        (other.listen.port(), other.past_due_grace_days, proxies),
        (2, 0, vec!["10.0.0.0/8".to_owned(), "::1/128".to_owned()])
    );
}

#[test]
fn secrets_may_come_from_files() {
    let folder = Folder::with("cookie", "0123456789abcdef-from-file\n").and("empty", "\n").and("binary", [0xFF, 0xFE]);
    let config = folder.load(&[("TURNPIKE_COOKIE_SECRET_FILE", "cookie")]).unwrap();
    assert_eq!(config.cookie_secret.unwrap().expose(), "0123456789abcdef-from-file");
    for (path, why) in [("missing", "No such file"), ("empty", "empty"), ("binary", "UTF-8"), (".", "directory")] {
        let refusal = folder.refusal(&[("TURNPIKE_COOKIE_SECRET_FILE", path)]);
        assert!(refusal.starts_with("TURNPIKE_COOKIE_SECRET_FILE: ") && refusal.contains(why), "{refusal}");
    }
    let refusal =
        folder.refusal(&[("TURNPIKE_COOKIE_SECRET_FILE", "cookie"), ("TURNPIKE_COOKIE_SECRET", "0123456789abcdef")]);
    assert!(refusal.contains("both set"), "{refusal}");

    let folder = folder.and("turnpike.toml", "cookie_secret_file = \"cookie\"");
    assert!(folder.load(&[]).unwrap().cookie_secret.unwrap().expose().ends_with("-from-file"));
    let environment = [("TURNPIKE_COOKIE_SECRET", "0123456789abcdef")];
    assert_eq!(folder.load(&environment).unwrap().cookie_secret.unwrap().expose(), "0123456789abcdef");
    let folder = folder.and("turnpike.toml", "cookie_secret_file = \"cookie\"\ncookie_secret = \"0123456789abcdef\"");
    assert!(folder.refusal(&[]).contains("both set"));
}

#[test]
fn databases_by_their_scheme() {
    let folder = Folder::empty();
    let path = |name: &str| DatabaseUrl::Sqlite(folder.0.path().join(name));
    for (text, database) in [
        ("other/x.db", path("other/x.db")),
        ("sqlite:other/x.db", path("other/x.db")),
        ("sqlite://other/x.db", path("other/x.db")),
        ("sqlite:///srv/x.db", DatabaseUrl::Sqlite("/srv/x.db".into())),
        ("/srv/x.db", DatabaseUrl::Sqlite("/srv/x.db".into())),
        ("postgres://u:p@h/d", DatabaseUrl::Postgres(Secret::new("postgres://u:p@h/d"))),
        ("postgresql:///d?host=/run", DatabaseUrl::Postgres(Secret::new("postgresql:///d?host=/run"))),
    ] {
        assert_eq!(folder.load(&[("TURNPIKE_DATABASE_URL", text)]).unwrap().database_url, database);
    }
    let folder_of =
        |text| Config::load([("TURNPIKE_DATABASE_URL".into(), OsString::from(text))], Path::new("")).unwrap().data_dir;
    assert_eq!(folder_of("x.db"), Path::new("."));
    assert_eq!(folder_of("/srv/x.db"), Path::new("/srv"));
    assert_eq!(folder_of("postgres://h/d"), Path::new("data"));
    assert!(folder.refusal(&[("TURNPIKE_DATABASE_URL", "mysql://h/d")]).contains("mysql:// is not supported"));
}

#[test]
fn loopback_in_all_its_spellings_uses_the_sandbox() {
    for url in [
        "http://localhost:8080",
        "http://app.localhost",
        "http://127.0.0.2",
        "http://[::1]:1",
        "https://LOCALHOST",
        "http://127.1:8080",
    ] {
        assert!(with(&[("TURNPIKE_PUBLIC_URL", url)]).unwrap().uses_sandbox(), "{url}");
    }
}

#[test]
fn logs_by_level_or_filter() {
    for filter in ["info", "WARN", "off", "info,turnpike=debug", "warn,turnpike::billing=trace"] {
        assert_eq!(with(&[("TURNPIKE_LOG", filter)]).unwrap().log, filter);
    }
}

#[test]
fn the_public_url_follows_the_port_unless_it_was_given() {
    for (listen, bound, url) in [
        ("127.0.0.1:0", "127.0.0.1:5000", "http://127.0.0.1:5000/"),
        ("0.0.0.0:0", "0.0.0.0:5000", "http://127.0.0.1:5000/"),
        ("[::1]:0", "[::1]:5000", "http://[::1]:5000/"),
    ] {
        let mut config = with(&[("TURNPIKE_LISTEN", listen)]).unwrap();
        config.bound_to(bound.parse().unwrap());
        assert_eq!(config.public_url.as_str(), url);
    }
    let mut config = with(&[("TURNPIKE_PUBLIC_URL", "http://localhost:9000")]).unwrap();
    config.bound_to("127.0.0.1:5000".parse().unwrap());
    assert_eq!(config.public_url.as_str(), "http://localhost:9000/");
}

#[test]
fn what_is_printed_hides_secrets_and_can_be_read_again() {
    let mut env = PUBLIC.to_vec();
    env.extend([
        ("TURNPIKE_DATABASE_URL", "postgres://ada:hunter2@db.example/turnpike?password=hunter2"),
        ("TURNPIKE_MAIL", "smtps://ada:hunter2@mail.example:465"),
        ("TURNPIKE_TRUSTED_PROXIES", "10.0.0.0/8"),
    ]);
    let folder = Folder::with("turnpike.toml", PLAN);
    let config = folder.load(&env).unwrap();
    let printed = config.masked();
    for secret in ["hunter2", "sk_live", "whsec", "0123456789abcdef"] {
        assert!(!printed.contains(secret) && !format!("{config:?}").contains(secret), "{printed}");
    }
    assert!(printed.contains("database_url = \"postgres://***@db.example/turnpike\""), "{printed}");
    assert!(printed.contains("# stripe_api_base is not set"), "{printed}");

    let defaults = Config::load([], Path::new("")).unwrap();
    let again = Folder::with("turnpike.toml", defaults.masked());
    let env = [(OsString::from("TURNPIKE_CONFIG"), again.0.path().join("turnpike.toml").into_os_string())];
    assert_eq!(Config::load(env, Path::new("")).unwrap().masked(), defaults.masked());
}

#[test]
fn every_setting_is_printed() {
    let printed = Config::load([], Path::new("")).unwrap().masked();
    for setting in SETTINGS.iter().filter(|setting| setting.name != "TURNPIKE_CONFIG") {
        assert!(printed.contains(&setting.key()), "{}", setting.name);
        assert!(!setting.description.is_empty() && setting.name.starts_with("TURNPIKE_"));
    }
    let mut env = PUBLIC.to_vec();
    env.extend([
        ("TURNPIKE_MAIL_CA", "authority.pem"),
        ("TURNPIKE_METRICS_LISTEN", "127.0.0.1:9"),
        ("TURNPIKE_TRUSTED_PROXIES", "::1"),
        ("TURNPIKE_STRIPE_API_BASE", "https://x.example"),
        ("TURNPIKE_COOKIE_DOMAIN", "example.com"),
        ("TURNPIKE_GATE_HOSTS", "wiki.example.com"),
    ]);
    assert!(!with(&env).unwrap().masked().contains("is not set"), "a setting is missing from the listing");
}

#[test]
fn a_local_configuration_keeps_to_its_folder() {
    let folder = Folder::empty();
    let config = Config::local(folder.0.path()).unwrap();
    assert_eq!((config.listen.port(), config.sandbox_listen.port()), (0, 0));
    assert!(config.data_dir == folder.0.path() && config.uses_sandbox());
    assert_eq!(config.database_url, DatabaseUrl::Sqlite(folder.0.path().join("turnpike.db")));
    assert_eq!(config.mail, Mail::Dir(folder.0.path().join("outbox")));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(setting in 0..SETTINGS.len(), text in "\\PC{0,30}") {
        let _ = with(&[(SETTINGS[setting].name, &text)]);
    }

    #[test]
    fn any_file_is_read_or_refused(text in "([a-z_]{1,10} ?= ?[\"'\\[\\]{}a-z0-9.,-]{0,12}\n?){0,4}") {
        let _ = Folder::with("turnpike.toml", text).load(&[]);
    }
}

//! The program as it is started from a shell.

use std::{
    io::{Read, Write},
    os::unix::fs::PermissionsExt,
    time::{Duration, Instant},
};

use turnpike::clock::Clock;

use crate::support::{
    client::{Visitor, http_client},
    database::Database,
    device::Device,
    member::PASSWORD,
    outbox::mailed,
    postgres::PostgresDatabase,
    process::{Process, run},
    raw,
};

/// Gives asynchronous steps a runtime that ends before the processes do.
fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

#[test]
fn what_must_not_start_says_in_one_sentence_what_to_set() {
    let folder = tempfile::tempdir().unwrap();
    let rows: [(&[(&str, &str)], &str); 9] = [
        (&[("TURNPIKE_LISTEN", "nowhere")], "TURNPIKE_LISTEN"),
        (&[("TURNPIKE_DATABASE_URL", "mysql://127.0.0.1/x")], "TURNPIKE_DATABASE_URL"),
        (&[("TURNPIKE_NO_SUCH_THING", "1")], "TURNPIKE_NO_SUCH_THING"),
        (&[("TURNPIKE_PAST_DUE_GRACE_DAYS", "-1")], "TURNPIKE_PAST_DUE_GRACE_DAYS"),
        (&[("TURNPIKE_CONFIG", "no-such-file.toml")], "no-such-file.toml"),
        (&[("TURNPIKE_PUBLIC_URL", "https://members.example.com")], "TURNPIKE_STRIPE_SECRET_KEY"),
        (
            &[
                ("TURNPIKE_PUBLIC_URL", "http://members.example.com"),
                ("TURNPIKE_STRIPE_SECRET_KEY", "sk_test_1"),
                ("TURNPIKE_STRIPE_WEBHOOK_SECRET", "whsec_1"),
                ("TURNPIKE_COOKIE_SECRET", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"),
            ],
            "https",
        ),
        (&[("TURNPIKE_DATABASE_URL", "postgres://nobody@127.0.0.1:1/none")], "refused"),
        (&[("TURNPIKE_DATABASE_URL", "/proc/no/such/place.db")], "/proc/no/such"),
    ];
    for (settings, word) in rows {
        let start = Instant::now();
        let output = run(folder.path(), settings, &["serve"]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success(), "{settings:?} started");
        assert!(said.contains(word), "{settings:?} does not mention {word}: {said}");
        assert!(said.trim().lines().count() <= 2 && !said.contains("panicked"), "{settings:?}: {said}");
        assert!(start.elapsed() < Duration::from_secs(20), "{settings:?} took {:?}", start.elapsed());
    }
}

#[test]
fn the_sandbox_alone_keeps_away_from_real_money_and_public_sites() {
    let folder = tempfile::tempdir().unwrap();
    let public = [
        ("TURNPIKE_PUBLIC_URL", "https://members.example.com"),
        ("TURNPIKE_STRIPE_SECRET_KEY", "sk_test_1"),
        ("TURNPIKE_STRIPE_WEBHOOK_SECRET", "whsec_1"),
        ("TURNPIKE_COOKIE_SECRET", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"),
    ];
    let live = |key| [("TURNPIKE_STRIPE_SECRET_KEY", key), ("TURNPIKE_STRIPE_WEBHOOK_SECRET", "whsec_1")];
    let rows: [(&[(&str, &str)], &str); 4] = [
        (&live("sk_live_1"), "live key"),
        (&live("rk_live_1"), "live key"),
        (&public, "public site"),
        (&[("TURNPIKE_SANDBOX_LISTEN", "0.0.0.0:0")], "on this machine"),
    ];
    for (settings, words) in rows {
        let output = run(folder.path(), settings, &["sandbox"]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains(words), "{settings:?}: {said}");
    }
    assert!(!folder.path().join("data").exists(), "something was left behind");
}

#[test]
fn what_it_writes_is_for_its_own_user_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Process::serve(folder.path(), &[]);
    let ada = Visitor::new(server.address());
    block_on(async {
        ada.signs_up("ada@example.com").await.is(303);
        mailed(folder.path(), "ada@example.com", "/email/confirmation/").await;
    });
    let mut seen = Vec::new();
    let mut folders = vec![folder.path().join("data")];
    while let Some(inner) = folders.pop() {
        let entries = std::fs::read_dir(&inner).unwrap().map(|entry| entry.unwrap().path());
        for path in entries.chain([inner.clone()]) {
            let mode = path.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(mode & 0o077, 0, "{} has the mode {mode:o}", path.display());
            if path.is_dir() && path != inner {
                folders.push(path.clone());
            }
            seen.push(path.file_name().unwrap().to_string_lossy().into_owned());
        }
    }
    for name in ["turnpike.db", "turnpike.db-wal", "sandbox.json", "cookie-secret", "outbox"] {
        assert!(seen.iter().any(|one| one == name), "{name} is missing: {seen:?}");
    }
}

#[test]
fn a_proxy_that_nobody_named_is_told_of() {
    let folder = tempfile::tempdir().unwrap();
    let public = [
        ("TURNPIKE_PUBLIC_URL", "https://members.example.com"),
        ("TURNPIKE_STRIPE_API_BASE", "http://127.0.0.1:9"),
        ("TURNPIKE_STRIPE_SECRET_KEY", "sk_test_1"),
        ("TURNPIKE_STRIPE_WEBHOOK_SECRET", "whsec_1"),
        ("TURNPIKE_COOKIE_SECRET", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"),
    ];
    let told = |settings: &[(&str, &str)]| {
        let mut server = Process::serve(folder.path(), settings);
        server.address();
        server.printed().contains("TURNPIKE_TRUSTED_PROXIES names none")
    };
    assert!(told(&public));
    assert!(!told(&[&public[..], &[("TURNPIKE_TRUSTED_PROXIES", "127.0.0.1")]].concat()));
    assert!(!told(&[]));
}

#[test]
fn a_server_beside_a_sandbox_of_its_own_follows_its_clock() {
    let folder = tempfile::tempdir().unwrap();
    let mut sandbox = Process::sandbox(folder.path());
    let stripe = format!("http://{}", sandbox.address());
    let settings = [
        ("TURNPIKE_STRIPE_API_BASE", stripe.as_str()),
        ("TURNPIKE_STRIPE_SECRET_KEY", "sk_test_1"),
        ("TURNPIKE_STRIPE_WEBHOOK_SECRET", "whsec_1"),
    ];
    let mut server = Process::serve(folder.path(), &settings);
    let address = server.address();
    block_on(async {
        let ada = Visitor::new(address);
        ada.signs_up("ada@example.com").await.is(303);
        ada.get("/premium").await.is(200);
        let seven_months = r#"{"advance_seconds": 18600000}"#;
        let clock = http_client().post(format!("{stripe}/_sandbox/clock")).body(seven_months);
        assert_eq!(clock.send().await.unwrap().status(), 200);
        ada.post("/login", &[("email", "ada@example.com"), ("password", PASSWORD)]).await.is(303);
        ada.get("/premium").await.is(403);
    });
}

#[test]
fn a_second_start_keeps_everything() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = Process::serve(folder.path(), &[]);
    let address = first.address();
    let visitor = block_on(async {
        let visitor = Visitor::new(address);
        visitor.signs_up("ada@example.com").await.is(303);
        visitor.copy()
    });
    assert!(first.terminate().success(), "SIGTERM must be a clean end");
    assert!(folder.path().join("data/turnpike.db").exists());

    let mut second = Process::serve(folder.path(), &[]);
    let address = second.address();
    block_on(async {
        visitor.at(address).get("/premium").await.is(200);
        Visitor::new(address).post("/login", &[("email", "ada@example.com"), ("password", PASSWORD)]).await.is(303);
    });
}

#[test]
fn what_was_acknowledged_survives_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = Process::serve(folder.path(), &[]);
    let address = first.address();
    let visitor = block_on(async {
        let visitor = Visitor::new(address);
        visitor.signs_up("ada@example.com").await.is(303);
        visitor.copy()
    });
    drop(first);
    let mut second = Process::serve(folder.path(), &[]);
    let address = second.address();
    block_on(async { visitor.at(address).get("/premium").await.is(200) });
}

#[test]
fn a_browser_that_keeps_its_connection_does_not_keep_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Process::serve(folder.path(), &[]);
    let mut browser = raw::connect(server.address());
    browser.write_all(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").unwrap();
    assert!(browser.read(&mut [0; 1_024]).unwrap() > 0);
    let start = Instant::now();
    assert!(server.terminate().success(), "SIGTERM must be a clean end");
    assert!(start.elapsed() < Duration::from_secs(20), "it took {:?} to stop", start.elapsed());
}

#[test]
fn it_says_where_it_listens_and_how_to_make_an_admin() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Process::serve(folder.path(), &[]);
    let addresses = server.addresses(2);
    block_on(async {
        Visitor::new(addresses[0]).get("/").await.is(200).says("Start your six months");
        Visitor::new(addresses[1]).get("/").await.is(200).says("andbox");
    });
    let printed = server.printed();
    assert!(printed.contains("admin grant"), "{printed}");
    assert!(!printed.contains("whsec_"), "a secret is printed: {printed}");
}

#[test]
fn no_secret_reaches_the_log_or_the_shown_settings() {
    let folder = tempfile::tempdir().unwrap();
    let secret = "0123456789abcdef-cookie-secret-of-the-test";
    let mut server = Process::serve(folder.path(), &[("TURNPIKE_COOKIE_SECRET", secret), ("TURNPIKE_LOG", "debug")]);
    let address = server.address();
    let cookies = block_on(async {
        let visitor = Visitor::new(address);
        visitor.signs_up("ada@example.com").await.is(303);
        visitor.get("/premium?token=a-token-in-the-address").await.is(200);
        visitor.post("/login", &[("email", "ada@example.com"), ("password", "a wrong but secret one")]).await;
        visitor.cookies()
    });
    let printed = server.printed();
    assert!(printed.contains("/premium"), "requests are not logged: {printed}");
    for secret in [PASSWORD, "a wrong but secret one", "$argon2id", secret]
        .into_iter()
        .chain(cookies.values().map(String::as_str))
    {
        assert!(!printed.contains(secret), "the log tells {secret}");
    }
    let settings = run(folder.path(), &[("TURNPIKE_COOKIE_SECRET", secret)], &["config"]);
    let shown = String::from_utf8(settings.stdout).unwrap();
    assert!(settings.status.success() && shown.contains("cookie_secret") || shown.contains("COOKIE_SECRET"), "{shown}");
    assert!(!shown.contains(secret), "{shown}");
}

#[test]
fn an_admin_is_made_beside_the_running_server() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Process::serve(folder.path(), &[]);
    let address = server.address();
    let role = |visitor: &Visitor| block_on(visitor.get_json("/api/v1/me")).is(200).json()["user"]["role"].clone();
    let ada = Visitor::new(address);
    block_on(ada.signs_up("ada@example.com")).is(303);
    assert!(!run(folder.path(), &[], &["admin", "grant", "nobody@example.com"]).status.success());
    assert_eq!(role(&ada.copy()), "user");
    assert!(run(folder.path(), &[], &["admin", "grant", "ADA@example.com"]).status.success());
    assert_eq!(role(&ada.copy()), "admin");
    assert!(!run(folder.path(), &[], &["admin", "revoke", "ada@example.com"]).status.success(), "the last admin");
    block_on(Visitor::new(address).signs_up("bob@example.com")).is(303);
    assert!(run(folder.path(), &[], &["admin", "grant", "bob@example.com"]).status.success());
    assert!(run(folder.path(), &[], &["admin", "revoke", "ada@example.com"]).status.success());
    assert_eq!(role(&ada.copy()), "user");
}

#[test]
fn a_lost_second_factor_is_reset_on_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Process::serve(folder.path(), &[]);
    let address = server.address();
    let reset = |email: &str| run(folder.path(), &[], &["admin", "reset-second-factor", email]);
    let ada = Visitor::new(address);
    block_on(ada.signs_up("ada@example.com")).is(303);
    for (email, words) in [
        ("nobody@example.com", "nobody has an account"),
        ("no address", "no address"),
        ("ada@example.com", "has no second factor; nothing was changed"),
    ] {
        let output = reset(email);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            !output.status.success() && said.contains(words) && said.trim().lines().count() == 1,
            "{email}: {said}"
        );
    }
    block_on(async {
        let link = mailed(folder.path(), "ada@example.com", "/email/confirmation/").await;
        ada.post(&link, &[]).await.is(303);
        Device::set_up(&Clock::system(), &ada).await;
    });
    let copy = ada.copy();
    assert!(block_on(copy.is_signed_in()));
    let output = reset("ADA@example.com");
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && said.contains("is off") && said.contains("Sessions ended: 1."), "{said}");
    assert!(!block_on(copy.is_signed_in()));
    block_on(ada.post("/login", &[("email", "ada@example.com"), ("password", PASSWORD)])).is(303);
}

#[test]
fn two_servers_start_together_on_one_postgresql() {
    let database = PostgresDatabase::empty();
    let url = database.url();
    let settings = [
        ("TURNPIKE_DATABASE_URL", url.as_str()),
        ("TURNPIKE_COOKIE_SECRET", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"),
    ];
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let mut servers: Vec<Process> = folders.iter().map(|folder| Process::serve(folder.path(), &settings)).collect();
    let addresses: Vec<_> = servers.iter_mut().map(Process::address).collect();
    block_on(async {
        let ada = Visitor::new(addresses[0]);
        ada.signs_up("ada@example.com").await.is(303);
        let there = ada.at(addresses[1]);
        there.get("/premium").await.is(200);
        there.post("/logout", &[]).await.is(303);
        ada.get("/premium").await.is(303);
    });
    drop(servers);
    assert_eq!(Database::Postgres(database).count("users", "1 = 1"), 1);
}

#[test]
fn every_command_explains_itself_with_an_example() {
    let folder = tempfile::tempdir().unwrap();
    for command in ["serve", "migrate", "admin", "config", "sandbox"] {
        let output = run(folder.path(), &[], &[command, "--help"]);
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{command}");
        assert!(said.contains(&format!("turnpike {command}")), "{command} has no example:\n{said}");
    }
    let output = run(folder.path(), &[], &["no-such-command"]);
    assert!(!output.status.success() && !output.stderr.is_empty());
}

#[test]
fn a_log_that_nobody_reads_stops_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Process::serve_without_a_reader(folder.path());
    let address = server.address();
    block_on(async {
        for path in ["/", "/no-such-page", "/premium"] {
            let answer = Visitor::new(address).get(path).await;
            assert!(answer.status < 500, "{path}: {}", answer.status);
        }
    });
    assert!(server.terminate().success());
}

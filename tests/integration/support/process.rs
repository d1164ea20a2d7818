//! The program itself, started as a person starts it.

use std::{
    io::{BufRead, BufReader, Read},
    net::SocketAddr,
    path::Path,
    process::{Child, Command, ExitStatus, Output, Stdio},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

/// How long a start or an end may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running server. It is killed with the value.
pub struct Process {
    child: Child,
    printed: Arc<Mutex<String>>,
}

impl Process {
    /// `turnpike serve` in this folder with these settings, on ports that the system chooses.
    pub fn serve(folder: &Path, settings: &[(&str, &str)]) -> Self {
        let mut command = command(folder, settings);
        command.arg("serve").stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let printed = Arc::new(Mutex::new(String::new()));
        collect(child.stdout.take().unwrap(), &printed);
        collect(child.stderr.take().unwrap(), &printed);
        Self { child, printed }
    }

    /// `turnpike sandbox` in this folder, on a port that the system chooses.
    pub fn sandbox(folder: &Path) -> Self {
        let mut command = command(folder, &[("TURNPIKE_LISTEN", "127.0.0.1:9")]);
        let mut child = command.arg("sandbox").stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let printed = Arc::new(Mutex::new(String::new()));
        collect(child.stdout.take().unwrap(), &printed);
        Self { child, printed }
    }

    /// The same as [`Process::serve`], with a log whose reader has gone away.
    pub fn serve_without_a_reader(folder: &Path) -> Self {
        let mut child =
            command(folder, &[]).arg("serve").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stderr.take());
        let printed = Arc::new(Mutex::new(String::new()));
        collect(child.stdout.take().unwrap(), &printed);
        Self { child, printed }
    }

    /// Where the app listens, once it says so.
    pub fn address(&mut self) -> SocketAddr {
        self.addresses(1)[0]
    }

    /// The first `count` loopback addresses that it printed: the app's, then the sandbox's.
    pub fn addresses(&mut self, count: usize) -> Vec<SocketAddr> {
        let start = Instant::now();
        loop {
            let found = loopback_addresses(&self.printed());
            if found.len() >= count {
                return found;
            }
            if let Some(status) = self.child.try_wait().unwrap() {
                panic!("the program ended with {status}:\n{}", self.printed());
            }
            assert!(start.elapsed() < PATIENCE, "no address within {PATIENCE:?}:\n{}", self.printed());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// What it printed so far.
    pub fn printed(&self) -> String {
        self.printed.lock().unwrap().clone()
    }

    /// The polite way to end it.
    pub fn terminate(mut self) -> ExitStatus {
        Command::new("kill").arg(self.child.id().to_string()).status().unwrap();
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(start.elapsed() < PATIENCE, "it does not end:\n{}", self.printed());
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a command to its end.
pub fn run(folder: &Path, settings: &[(&str, &str)], arguments: &[&str]) -> Output {
    command(folder, settings).args(arguments).output().unwrap()
}

fn command(folder: &Path, settings: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_turnpike"));
    command.current_dir(folder).stdin(Stdio::null());
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("TURNPIKE_")) {
        command.env_remove(name);
    }
    command.env("TURNPIKE_CONTENT_DIR", concat!(env!("CARGO_MANIFEST_DIR"), "/content"));
    command.env("TURNPIKE_LISTEN", "127.0.0.1:0").env("TURNPIKE_SANDBOX_LISTEN", "127.0.0.1:0");
    command.envs(settings.iter().copied());
    command
}

fn collect(stream: impl Read + Send + 'static, into: &Arc<Mutex<String>>) {
    let into = Arc::clone(into);
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let mut text = into.lock().unwrap();
            text.push_str(&line);
            text.push('\n');
        }
    });
}

/// Each once, in the order of their first mention; port 0 is none.
fn loopback_addresses(text: &str) -> Vec<SocketAddr> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("127.0.0.1:") {
        let port: String = text[at + "127.0.0.1:".len()..].chars().take_while(char::is_ascii_digit).collect();
        let address =
            port.parse().ok().filter(|port| *port != 0).map(|port: u16| SocketAddr::from(([127, 0, 0, 1], port)));
        found.extend(address.filter(|address| !found.contains(address)));
    }
    found
}

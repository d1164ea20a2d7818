//! The proxies, started as in their documentation.

use std::{
    fs,
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use tempfile::TempDir;

use crate::support::source::repository;

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Nginx,
    Caddy,
}

/// A running proxy. It ends with the value.
pub struct Proxy {
    pub address: SocketAddr,
    child: Child,
    folder: TempDir,
}

/// A port that is free now.
pub fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

impl Proxy {
    /// Starts one on this address, in front of these two.
    pub fn start(kind: Kind, address: SocketAddr, turnpike: SocketAddr, application: SocketAddr) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let written = |name: &str, here: &str, mine: &str| {
            let text = fs::read_to_string(repository().join("docs/gate").join(name)).unwrap();
            assert_eq!(text.matches(here).count(), 1, "{name} does not say {here:?} once");
            let text = text.replace(here, mine).replace("127.0.0.1:8080", &turnpike.to_string());
            text.replace("127.0.0.1:9000", &application.to_string())
        };
        let mut command = match kind {
            Kind::Nginx => {
                let site = written("nginx.conf", "listen      80;", &format!("listen {address};"));
                nginx(folder.path(), &site.replace("server_name wiki.example.com;", "server_name _;"))
            }
            Kind::Caddy => {
                let site = written("Caddyfile", "\nwiki.example.com {", &format!("\nhttp://{address} {{"));
                caddy(folder.path(), &site)
            }
        };
        let log = fs::File::create(folder.path().join("log")).unwrap();
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn();
        let child = child.unwrap_or_else(|error| panic!("{kind:?} can't be started: {error}; see tests/run"));
        let mut proxy = Self { address, child, folder };
        proxy.wait_until_it_listens(kind);
        proxy
    }

    fn wait_until_it_listens(&mut self, kind: Kind) {
        let start = Instant::now();
        while TcpStream::connect(self.address).is_err() {
            let log = || fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            if let Some(status) = self.child.try_wait().unwrap() {
                panic!("{kind:?} ended with {status}:\n{}", log());
            }
            assert!(start.elapsed() < Duration::from_secs(30), "{kind:?} does not listen:\n{}", log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // Killed outright, nginx would leave its workers behind.
        let _ = Command::new("kill").arg(self.child.id().to_string()).status();
        let _ = self.child.wait();
    }
}

fn nginx(folder: &Path, site: &str) -> Command {
    let here = folder.display();
    let user = if is_root() { "user root;" } else { "" };
    let text = format!(
        "{user} pid {here}/pid; error_log stderr; worker_processes 1; events {{}} http {{ access_log off; \
         client_body_temp_path {here}/a; proxy_temp_path {here}/b; fastcgi_temp_path {here}/c; uwsgi_temp_path {here}/d; \
         scgi_temp_path {here}/e;\n{site}\n}}"
    );
    fs::write(folder.join("nginx.conf"), text).unwrap();
    let mut command = Command::new("nginx");
    command.arg("-c").arg(folder.join("nginx.conf")).arg("-p").arg(folder).args(["-g", "daemon off;"]);
    command
}

fn caddy(folder: &Path, site: &str) -> Command {
    fs::write(folder.join("Caddyfile"), format!("{{\n\tadmin off\n\tauto_https off\n}}\n{site}")).unwrap();
    let mut command = Command::new("caddy");
    command.args(["run", "--adapter", "caddyfile", "--config"]).arg(folder.join("Caddyfile"));
    command.env("HOME", folder).env("XDG_DATA_HOME", folder).env("XDG_CONFIG_HOME", folder);
    command
}

fn is_root() -> bool {
    let answer = Command::new("id").arg("-u").output().unwrap();
    answer.stdout.starts_with(b"0\n") || answer.stdout == b"0"
}

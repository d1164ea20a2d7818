//! A mail server that is not ours: aiosmtpd, as `tests/run` installed it, with an authority of its own.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tempfile::TempDir;

use super::{
    official,
    outbox::{self, Mail},
    source::repository,
};

/// A running one. It ends with the value.
pub struct MailServer {
    child: Child,
    folder: TempDir,
    manner: &'static str,
    port: u16,
}

impl MailServer {
    /// On a free port. `tests/clients/mail_server.py` says which manners there are.
    pub fn start(manner: &'static str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("mails")).unwrap();
        let mut command = Command::new(official::installed("TURNPIKE_TEST_PYTHON"));
        command
            .arg("-B")
            .arg(repository().join("tests/clients/mail_server.py"))
            .arg(manner)
            .arg(folder.path().join("mails"));
        certify(&folder);
        if manner.ends_with("tls") {
            command.arg(folder.path().join("certificate.pem")).arg(folder.path().join("key.pem"));
        }
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let port = line.trim().parse().unwrap_or_else(|_| panic!("the mail server did not start: {line:?}"));
        Self { child, folder, manner, port }
    }

    /// What `TURNPIKE_MAIL` must be, with the credentials (`user:password@`, or nothing).
    pub fn url(&self, credentials: &str) -> String {
        let (scheme, query) = match self.manner {
            "tls" => ("smtps", ""),
            "starttls" => ("smtp", "?tls=required"),
            _ => ("smtp", ""),
        };
        format!("{scheme}://{credentials}127.0.0.1:{}{query}", self.port)
    }

    /// The file with the certificate of its authority.
    pub fn authority(&self) -> PathBuf {
        self.folder.path().join("authority.pem")
    }

    /// What it took.
    pub fn mails(&self) -> Vec<Mail> {
        outbox::read(&self.folder.path().join("mails"))
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// An authority, and a certificate of its for this machine.
fn certify(folder: &TempDir) {
    let mut authority = CertificateParams::new(vec![]).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let server = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap().signed_by(&key, &authority).unwrap();
    let write = |name: &str, pem: String| fs::write(folder.path().join(name), pem).unwrap();
    write("authority.pem", authority.pem());
    write("certificate.pem", server.pem());
    write("key.pem", key.serialize_pem());
}

//! A mail server that keeps what it gets, and behaves badly when asked to.

use std::{
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use super::outbox::{self, Mail};

/// How it behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Takes every mail.
    Takes,
    /// Takes it after a while.
    TakesSlowly(Duration),
    /// Knows nobody, and says the address once more.
    RefusesThePerson,
    /// Wants a password that is none.
    RefusesThePassword,
}

/// A running one; it ends with the process.
#[derive(Clone)]
pub struct SmtpServer {
    pub address: SocketAddr,
    state: Arc<Mutex<State>>,
}

struct State {
    manner: Manner,
    mails: Vec<Vec<u8>>,
    said: Vec<String>,
}

impl SmtpServer {
    /// On a free port.
    pub fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(Mutex::new(State { manner, mails: Vec::new(), said: Vec::new() }));
        let server = Self { address, state };
        let serving = server.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let server = serving.clone();
                // Who hangs up in the middle is none of its business.
                thread::spawn(move || server.serve(&stream.unwrap()).ok());
            }
        });
        server
    }

    /// What `TURNPIKE_MAIL` must be.
    pub fn url(&self) -> String {
        format!("smtp://{}", self.address)
    }

    /// Changes its manner.
    pub fn becomes(&self, manner: Manner) {
        self.state.lock().unwrap().manner = manner;
    }

    /// What it took.
    pub fn mails(&self) -> Vec<Mail> {
        self.state.lock().unwrap().mails.iter().map(|mail| outbox::parse("", mail)).collect()
    }

    /// Every line that was said to it, but for the mails themselves.
    pub fn said(&self) -> Vec<String> {
        self.state.lock().unwrap().said.clone()
    }

    fn serve(&self, mut stream: &TcpStream) -> std::io::Result<()> {
        let manner = self.state.lock().unwrap().manner;
        let mut lines = BufReader::new(stream).split(b'\n').map_while(Result::ok);
        stream.write_all(b"220 mail.example ready\r\n")?;
        while let Some(line) = lines.next() {
            let line = String::from_utf8_lossy(&line).trim_end().to_owned();
            self.state.lock().unwrap().said.push(line.clone());
            let answer = match line.split([' ', ':']).next().unwrap_or_default() {
                "EHLO" => "250-mail.example\r\n250-8BITMIME\r\n250 AUTH PLAIN LOGIN".to_owned(),
                "AUTH" if manner == Manner::RefusesThePassword => "535 5.7.8 no".to_owned(),
                "AUTH" => "235 2.7.0 welcome".to_owned(),
                "RCPT" if manner == Manner::RefusesThePerson => format!("550 5.1.1 {line} is nobody here"),
                "DATA" => {
                    stream.write_all(b"354 go on\r\n")?;
                    let mail: Vec<u8> = lines.by_ref().take_while(|line| line != b".\r").flat_map(unstuffed).collect();
                    if let Manner::TakesSlowly(pause) = manner {
                        thread::sleep(pause);
                    }
                    self.state.lock().unwrap().mails.push(mail);
                    "250 2.0.0 taken".to_owned()
                }
                "QUIT" => "221 2.0.0 bye".to_owned(),
                "MAIL" | "RCPT" | "NOOP" | "RSET" => "250 2.0.0 fine".to_owned(),
                _ => "500 5.5.1 what?".to_owned(),
            };
            stream.write_all(format!("{answer}\r\n").as_bytes())?;
        }
        Ok(())
    }
}

/// A line of a mail as it was before it was sent: a dot at its beginning was doubled.
fn unstuffed(mut line: Vec<u8>) -> Vec<u8> {
    if line.starts_with(b"..") {
        line.remove(0);
    }
    line.push(b'\n');
    line
}

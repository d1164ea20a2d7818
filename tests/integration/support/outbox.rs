//! The mails in a folder, as a mail program reads them.

use std::{fs, path::Path, time::Duration};

use mail_parser::MessageParser;

/// One mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mail {
    /// The name of its file.
    pub file: String,
    /// Every header, as it is written.
    pub head: String,
    pub from: String,
    pub to: Vec<String>,
    pub subject: String,
    pub message_id: String,
    /// Seconds since 1970.
    pub date: i64,
    pub text: String,
    pub html: String,
}

/// Every `.eml` file, in the order of their names; none where there is no folder.
pub fn read(folder: &Path) -> Vec<Mail> {
    let mut names = names(folder);
    names.retain(|name| Path::new(name).extension().is_some_and(|ending| ending == "eml"));
    names.into_iter().map(|name| parse(&name, &fs::read(folder.join(&name)).unwrap())).collect()
}

/// The path of the link in the newest mail to an address that has one to `page`, of a program that runs in `folder`; the page
/// itself where it is no link.
pub async fn mailed(folder: &Path, to: &str, page: &str) -> String {
    for _ in 0..500 {
        let mails = read(&folder.join("data/outbox"));
        let newest = mails.iter().rev().find(|mail| mail.to == [to] && mail.text.contains(page));
        if let Some(mail) = newest {
            let start = mail.text.find(page).unwrap();
            return mail.text[start..].split_whitespace().next().unwrap().to_owned();
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("no mail to {to} with {page}");
}

/// Every file, finished or not.
pub fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A mail as it travels.
pub fn parse(file: &str, bytes: &[u8]) -> Mail {
    let mail = MessageParser::default().parse(bytes).expect("a mail");
    let raw = String::from_utf8(bytes.to_vec()).unwrap();
    let addresses = mail.to().unwrap().iter().map(|to| to.address().unwrap().to_owned());
    Mail {
        file: file.to_owned(),
        head: raw.split("\r\n\r\n").next().unwrap().to_owned(),
        from: mail.from().unwrap().first().unwrap().address().unwrap().to_owned(),
        to: addresses.collect(),
        subject: mail.subject().unwrap().to_owned(),
        message_id: mail.message_id().unwrap().to_owned(),
        date: mail.date().unwrap().to_timestamp(),
        text: mail.body_text(0).unwrap().replace("\r\n", "\n"),
        html: mail.body_html(0).unwrap().replace("\r\n", "\n"),
    }
}

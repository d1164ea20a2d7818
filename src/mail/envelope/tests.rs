use mail_parser::{MessageParser, MimeHeaders};

use super::*;
use crate::{
    config::{Mail, Mailbox as From},
    mail::Transport,
    words::Words,
};

const TO: &str = "ada@example.com";

fn letter() -> Letter {
    Letter {
        words: Words::default(),
        subject: "Your payment did not go through".to_owned(),
        greeting: "Hello Ada,".to_owned(),
        paragraphs: vec!["Your payment of €9.00 did not go through.".to_owned()],
        action: "Check your card".to_owned(),
        link: "https://members.example.com/account".to_owned(),
        site: "https://members.example.com".to_owned(),
        to_account: true,
    }
}

fn moment() -> DateTime<Utc> {
    "2027-02-28T10:15:30.000042Z".parse().unwrap()
}

fn mark() -> Mark {
    Mark { id: 7, queued_at: moment() }
}

fn from(name: &str, address: &str) -> Mailbox {
    let from = From { name: name.to_owned(), address: address.to_owned() };
    Transport::new(&Mail::Dir("outbox".into()), None, &from, &"http://127.0.0.1".parse().unwrap()).unwrap().from
}

fn sealed(letter: &Letter, from: &Mailbox, to: &str) -> Vec<u8> {
    seal(letter, from, to, mark(), moment()).unwrap().formatted()
}

#[test]
fn addresses_that_are_none_are_refused() {
    let from = from("", "turnpike@localhost");
    for to in [
        "",
        "ada",
        "ada@",
        "ada@example.com\r\nBcc: eve@example.com",
        "ada@example.com, eve@example.com",
        "a\0@example.com",
    ] {
        let refused = seal(&letter(), &from, to, mark(), moment()).unwrap_err();
        assert!(matches!(refused, EnvelopeError::Recipient) && !refused.to_string().contains('@'), "{to}: {refused}");
    }
}

#[test]
fn the_headers_are_those_of_a_mail_that_a_machine_writes() {
    let mail = sealed(&letter(), &from("Turnpike", "turnpike@localhost"), TO);
    let text = String::from_utf8(mail).unwrap();
    let (head, _) = text.split_once("\r\n\r\n").unwrap();
    for line in [
        "From: Turnpike <turnpike@localhost>",
        "To: ada@example.com",
        "Subject: Your payment did not go through",
        "Date: Sun, 28 Feb 2027 10:15:30 +0000",
        "Message-ID: <20270228T101530000042Z-7@localhost>",
        "Auto-Submitted: auto-generated",
        "MIME-Version: 1.0",
    ] {
        assert!(head.lines().any(|found| found == line), "{line} is not in\n{head}");
    }
    assert!(text.lines().all(|line| line.len() <= 998));
}

#[test]
fn text_comes_first_and_html_second() {
    let mail = sealed(&letter(), &from("", "turnpike@localhost"), TO);
    let mail = MessageParser::default().parse(&mail).unwrap();
    assert!(mail.is_content_type("multipart", "alternative"));
    let kinds: Vec<_> =
        mail.parts[1..].iter().map(|part| part.content_type().unwrap().subtype().unwrap().to_owned()).collect();
    assert_eq!(kinds, ["plain", "html"]);
    assert_eq!(mail.body_text(0).unwrap().replace("\r\n", "\n").trim_end(), letter().text().unwrap().trim_end());
    assert_eq!(mail.body_html(0).unwrap().replace("\r\n", "\n").trim_end(), letter().html().unwrap().trim_end());
}

#[test]
fn a_subject_is_one_line_of_any_script() {
    let long = "größer ".repeat(60);
    for subject in ["付款失败", "Zahlung für „Größe“ fehlgeschlagen", long.trim()] {
        let mail = sealed(&Letter { subject: subject.to_owned(), ..letter() }, &from("", "turnpike@localhost"), TO);
        assert_eq!(MessageParser::default().parse(&mail).unwrap().subject().unwrap(), subject);
        let head = mail.split(|byte| *byte == b'\n').take_while(|line| line.len() > 1);
        assert!(head.into_iter().all(|line| line.is_ascii() && line.len() <= 78), "{subject}");
    }
}

#[test]
fn nothing_that_was_typed_adds_a_header() {
    let injected = "Hello\r\nBcc: eve@evil.example\r\n\r\nbody";
    let letter = Letter { subject: injected.to_owned(), greeting: injected.to_owned(), ..letter() };
    let mail = sealed(&letter, &from("Größe GmbH", "billing@example.com"), TO);
    let mail = MessageParser::default().parse(&mail).unwrap();
    assert!(mail.bcc().is_none());
    assert_eq!(mail.headers().len(), sealed_headers());
    assert_eq!(mail.from().unwrap().first().unwrap().name().unwrap(), "Größe GmbH");
    assert_eq!(mail.message_id().unwrap(), "20270228T101530000042Z-7@example.com");
}

fn sealed_headers() -> usize {
    let mail = sealed(&letter(), &from("", "turnpike@localhost"), TO);
    MessageParser::default().parse(&mail).unwrap().headers().len()
}

#[test]
fn the_domain_is_written_in_ascii_and_the_rest_as_typed() {
    for (to, written) in [
        ("Ada.Lovelace+x@Example.COM", "Ada.Lovelace+x@example.com"),
        ("ada@bücher.example", "ada@xn--bcher-kva.example"),
        ("å@example.com", "å@example.com"),
    ] {
        let message = seal(&letter(), &from("", "turnpike@localhost"), to, mark(), moment()).unwrap();
        assert_eq!(message.envelope().to()[0].to_string(), written);
        let mail = message.formatted();
        let mail = MessageParser::default().parse(&mail).unwrap();
        assert_eq!(mail.to().unwrap().first().unwrap().address().unwrap(), written);
    }
}

#[test]
fn a_second_try_is_the_same_mail() {
    let from = from("", "turnpike@localhost");
    let later = moment() + chrono::TimeDelta::hours(1);
    let again = seal(&letter(), &from, TO, mark(), later).unwrap().formatted();
    let again = String::from_utf8(again).unwrap().replace(" 11:15:30", " 10:15:30");
    assert_eq!(again, String::from_utf8(sealed(&letter(), &from, TO)).unwrap());
}

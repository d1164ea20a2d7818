//! Mails without a running server.

use turnpike::store::{Location, mails};

use super::payment_failed;
use crate::support::{
    client::Visitor,
    outbox,
    process::{Process, run},
};

#[test]
fn jobs_run_sends_what_is_due_and_says_how_many() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Process::serve(folder.path(), &[]);
    let ada = Visitor::new(server.address());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { ada.signs_up("ada@example.com").await.is(303) });
    drop(ada);
    // The mail that asks for the address goes first.
    let folder_of_mails = folder.path().join("data/outbox");
    while outbox::read(&folder_of_mails).is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(server.terminate().success());

    let [asked] = outbox::read(&folder_of_mails).try_into().unwrap();
    assert_eq!((asked.to, asked.subject.as_str()), (vec!["ada@example.com".to_owned()], "Confirm your e-mail address"));
    let mut conn = Location::Sqlite(folder.path().join("data/turnpike.db")).connect().unwrap();
    let now = turnpike::clock::Clock::system().now();
    assert!(mails::queue(&mut conn, 1, "payment_failed:in_1", &payment_failed(None), now).unwrap());
    let output = run(folder.path(), &[], &["jobs", "run"]);
    let (said, log) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success() && said.contains("1 mails sent, 0 waiting."), "{said} {log}");
    assert!(log.contains("sent a mail") && !log.contains("ada@") && !log.contains("Ada"), "{log}");
    let [_, mail] = outbox::read(&folder_of_mails).try_into().unwrap();
    assert_eq!(mail.to, ["ada@example.com"]);
}

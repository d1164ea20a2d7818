//! A folder instead of a mail server: one RFC 5322 file for each mail.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

/// Where the files go. Mails are for one person each, so folder and files are for their owner alone.
#[derive(Clone, Debug)]
pub(super) struct Outbox(PathBuf);

impl Outbox {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self(folder)
    }

    /// Puts a mail there, or writes it anew; whoever looks sees all of it or nothing.
    pub(super) async fn put(&self, name: &str, mail: Vec<u8>) -> io::Result<()> {
        let (folder, name) = (self.0.clone(), name.to_owned());
        let written = tokio::task::spawn_blocking(move || write(&folder, &name, &mail)).await;
        written.unwrap_or_else(|_| Err(io::Error::other("the writing was given up")))
    }
}

fn write(folder: &Path, name: &str, mail: &[u8]) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let part = folder.join(format!(".{name}.part"));
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&part)?;
    file.write_all(mail)?;
    file.sync_all()?;
    fs::rename(&part, folder.join(format!("{name}.eml")))?;
    // The new name must be on the disk before the mail is marked as sent.
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_mail_is_one_file_however_often_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let outbox = folder.path().join("a").join("outbox");
        write(&outbox, "1", b"one, and longer").unwrap();
        write(&outbox, "1", b"one").unwrap();
        write(&outbox, "2", b"two").unwrap();
        let mut names: Vec<_> = fs::read_dir(&outbox).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["1.eml", "2.eml"]);
        assert_eq!(fs::read(outbox.join("1.eml")).unwrap(), b"one");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&outbox), mode(&outbox.join("1.eml"))), (0o700, 0o600));
    }
}

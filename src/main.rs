//! The command line: every subcommand is a few lines.

mod commands;

use std::process::ExitCode;

use clap::Parser;
use rustix::{fs::Mode, process::umask};

fn main() -> ExitCode {
    keep_files_private();
    commands::run(commands::Cli::parse())
}

/// What the program writes, it writes for its own user alone: the database and its backups, mails, secrets, the sandbox.
fn keep_files_private() {
    let inherited = umask(Mode::RWXG | Mode::RWXO);
    umask(inherited | Mode::RWXG | Mode::RWXO);
}

//! The command line: every subcommand is a few lines.

mod commands;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    commands::run(commands::Cli::parse())
}

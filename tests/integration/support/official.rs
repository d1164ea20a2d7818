//! Scripts of `tests/clients`, which use Stripe's official client libraries as `tests/run` installed them.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use super::source::repository;

/// Runs a script with Python; what it printed. It must end well.
pub fn python(arguments: &[&str], variables: &[(&str, &str)], input: &str) -> String {
    let mut command = Command::new(installed("TURNPIKE_TEST_PYTHON"));
    // No `__pycache__` beside the sources.
    command.arg("-B").args(arguments);
    finished(&mut command, variables, input)
}

/// Runs a script with Node. It must end well.
pub fn node(script: &str, variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(installed("TURNPIKE_TEST_NODE"));
    command.arg(script).env("NODE_PATH", installed("TURNPIKE_TEST_NODE_MODULES"));
    finished(&mut command, variables, "")
}

/// A program that `tests/run` installed, by the variable that names it.
pub fn installed(name: &str) -> String {
    std::env::var(name)
        .unwrap_or_else(|_| panic!("{name} is not set: tests/run installs Stripe's libraries and sets it"))
}

fn finished(command: &mut Command, variables: &[(&str, &str)], input: &str) -> String {
    command.current_dir(repository().join("tests/clients")).envs(variables.iter().copied());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let (said, complained) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?} ended with {}:\n{said}\n{complained}", output.status);
    format!("{said}\n{complained}")
}

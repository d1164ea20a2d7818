//! The file that the state is kept in.

use std::{fs, io, path::Path};

use super::world::State;

/// Reads the state; none when there is no file yet.
///
/// # Errors
/// The file can't be read, or holds something else.
pub fn read(file: &Path) -> io::Result<Option<State>> {
    let text = match fs::read(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let state = serde_json::from_slice(&text).map_err(|error| {
        let message =
            format!("{} is no file of this sandbox ({error}): move it away to start with an empty one", file.display());
        io::Error::new(io::ErrorKind::InvalidData, message)
    })?;
    Ok(Some(state))
}

/// Puts the state in place of the old one in one step.
///
/// # Errors
/// The folder can't be written to.
pub fn write(file: &Path, state: &State) -> io::Result<()> {
    let part = file.with_extension("json.part");
    fs::write(&part, serde_json::to_vec(state)?)?;
    fs::rename(&part, file)
}

//! The files that the sandbox lives in: `sandbox.json` with the state, replaced as a whole after each change, and
//! `sandbox-log.jsonl` with events and deliveries, which only grows and is cut at the next start.

use std::{
    borrow::Cow,
    collections::HashSet,
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{
    delivery::Attempt,
    world::{Event, State},
};

/// So many events and attempts outlive a start.
const KEPT: usize = 1_000;

pub struct Files {
    state: PathBuf,
    log: PathBuf,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Event(Cow<'a, Event>),
    Attempt(Cow<'a, Attempt>),
}

impl Files {
    /// The files in this folder, which is made when it is not there.
    ///
    /// # Errors
    /// The folder can't be made.
    pub fn in_folder(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        Ok(Self { state: folder.join("sandbox.json"), log: folder.join("sandbox-log.jsonl") })
    }

    /// Reads what is kept; none when there is nothing yet.
    ///
    /// # Errors
    /// A file can't be read, or holds something else.
    pub fn read(&self) -> io::Result<Option<State>> {
        let Some(text) = read_if_there(&self.state)? else { return Ok(None) };
        let mut state: State = serde_json::from_str(&text).map_err(|error| broken(&self.state, &error.to_string()))?;
        self.read_log(&mut state)?;
        self.rewrite_log(&state)?;
        Ok(Some(state))
    }

    fn read_log(&self, state: &mut State) -> io::Result<()> {
        let text = read_if_there(&self.log)?.unwrap_or_default();
        let (mut events, mut attempts) = (Vec::new(), Vec::new());
        // A process that was killed while it wrote leaves a last line without its end.
        for line in text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')) {
            match serde_json::from_str(line).map_err(|error| broken(&self.log, &error.to_string()))? {
                Line::Event(event) => events.push(event.into_owned()),
                Line::Attempt(attempt) => attempts.push(attempt.into_owned()),
            }
        }
        let waiting: HashSet<String> = state.deliveries.pending_events();
        let surplus = events.len().saturating_sub(KEPT);
        let kept =
            events.into_iter().enumerate().filter(|(place, event)| *place >= surplus || waiting.contains(&event.id));
        kept.for_each(|(_, event)| state.events.add(event));
        let surplus = attempts.len().saturating_sub(KEPT);
        state.deliveries.remember(attempts.into_iter().skip(surplus));
        Ok(())
    }

    fn rewrite_log(&self, state: &State) -> io::Result<()> {
        let mut text = Vec::new();
        state.events.iter().try_for_each(|event| write_line(&mut text, &Line::Event(Cow::Borrowed(event))))?;
        state.deliveries.log().try_for_each(|attempt| write_line(&mut text, &Line::Attempt(Cow::Borrowed(attempt))))?;
        replace(&self.log, &text)
    }

    /// Keeps the state as it is now.
    ///
    /// # Errors
    /// The folder can't be written to.
    pub fn keep(&self, state: &mut State) -> io::Result<()> {
        let mut text = Vec::new();
        let events = state.events.iter().rev().take(state.unkept_events);
        events.rev().try_for_each(|event| write_line(&mut text, &Line::Event(Cow::Borrowed(event))))?;
        state
            .deliveries
            .unkept()
            .try_for_each(|attempt| write_line(&mut text, &Line::Attempt(Cow::Borrowed(attempt))))?;
        if !text.is_empty() {
            OpenOptions::new().create(true).append(true).open(&self.log)?.write_all(&text)?;
        }
        replace(&self.state, &serde_json::to_vec(state)?)?;
        state.unkept_events = 0;
        state.deliveries.all_kept();
        Ok(())
    }
}

fn write_line(text: &mut Vec<u8>, line: &Line) -> io::Result<()> {
    serde_json::to_writer(&mut *text, line)?;
    text.push(b'\n');
    Ok(())
}

fn read_if_there(file: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(broken(file, &error.to_string())),
    }
}

/// Puts the text in place of the old one in one step.
fn replace(file: &Path, text: &[u8]) -> io::Result<()> {
    let part = file.with_extension("part");
    fs::write(&part, text)?;
    fs::rename(&part, file)
}

fn broken(file: &Path, why: &str) -> io::Error {
    let message =
        format!("{} is no file of this sandbox ({why}): move it away to start with an empty one", file.display());
    io::Error::new(io::ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state_with(events: usize) -> State {
        let mut state = State::default();
        state.stock(7);
        for number in 0..events {
            state.events.add(Event {
                id: format!("evt_{number}"),
                kind: "customer.created".to_owned(),
                created: 7,
                object: "{}".to_owned(),
                previous: None,
                request_id: None,
                idempotency_key: None,
            });
        }
        state.unkept_events = events;
        state
    }

    #[test]
    fn what_is_kept_comes_back_and_a_torn_last_line_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::in_folder(&folder.path().join("new")).unwrap();
        assert!(files.read().unwrap().is_none());
        files.keep(&mut state_with(2)).unwrap();
        OpenOptions::new().append(true).open(&files.log).unwrap().write_all(b"{\"event\": {\"id\"").unwrap();
        for _ in 0..2 {
            let state = files.read().unwrap().unwrap();
            assert_eq!((state.events.len(), state.prices.len()), (2, 4));
        }
    }

    #[test]
    fn a_start_cuts_the_log() {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::in_folder(folder.path()).unwrap();
        files.keep(&mut state_with(KEPT + 5)).unwrap();
        let state = files.read().unwrap().unwrap();
        assert_eq!((state.events.len(), state.events.iter().next().unwrap().id.as_str()), (KEPT, "evt_5"));
        assert_eq!(fs::read_to_string(&files.log).unwrap().lines().count(), KEPT);
    }

    #[test]
    fn a_broken_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::in_folder(folder.path()).unwrap();
        files.keep(&mut state_with(1)).unwrap();
        fs::write(&files.log, "nonsense\n").unwrap();
        assert!(files.read().err().unwrap().to_string().contains("sandbox-log.jsonl"));
        fs::write(&files.state, "{\"customers\": 1}").unwrap();
        assert!(files.read().err().unwrap().to_string().contains("sandbox.json"));
    }
}

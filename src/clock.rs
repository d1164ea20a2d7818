//! The only place that reads the time or the system's randomness. Both are passed in everywhere else.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use rand::Rng;

/// What the time is: the system's, moved forward by an offset, or a moment that stands still until it is moved.
///
/// Clones share one offset. Instants are cut to microseconds, the grain of the database.
#[derive(Clone)]
pub struct Clock(Arc<Inner>);

struct Inner {
    frozen_at: Option<DateTime<Utc>>,
    offset_seconds: AtomicI64,
    kept_in: Option<PathBuf>,
    /// A file in which somebody else keeps by how much their clock is ahead.
    follows: Option<PathBuf>,
}

impl Clock {
    /// The system's time.
    pub fn system() -> Self {
        Self::new(None, 0, None, None)
    }

    /// The system's time plus the whole seconds that the file says (none when it does not exist).
    /// [`Clock::advance`] keeps the new offset there.
    ///
    /// # Errors
    /// The file can't be read or holds no whole number.
    pub fn kept_in(file: PathBuf) -> io::Result<Self> {
        let offset = read(&file)?;
        Ok(Self::new(None, offset, Some(file), None))
    }

    /// The system's time plus what the file says at each moment: the clock of another process, which moves it.
    pub fn following(file: PathBuf) -> Self {
        Self::new(None, 0, None, Some(file))
    }

    /// Stands still at `moment` until it is moved.
    pub fn frozen_at(moment: DateTime<Utc>) -> Self {
        Self::new(Some(moment), 0, None, None)
    }

    fn new(frozen_at: Option<DateTime<Utc>>, offset: i64, kept_in: Option<PathBuf>, follows: Option<PathBuf>) -> Self {
        Self(Arc::new(Inner { frozen_at, offset_seconds: AtomicI64::new(offset), kept_in, follows }))
    }

    /// Now, in whole microseconds.
    pub fn now(&self) -> DateTime<Utc> {
        #[expect(clippy::disallowed_methods, reason = "this is the clock")]
        let base = self.0.frozen_at.unwrap_or_else(Utc::now);
        if let Some(ahead) = self.0.follows.as_ref().and_then(|file| read(file).ok()) {
            // Never back, also when the file is gone or is being replaced.
            self.0.offset_seconds.fetch_max(ahead, Ordering::AcqRel);
        }
        let offset = TimeDelta::try_seconds(self.0.offset_seconds.load(Ordering::Acquire)).unwrap_or_default();
        base.checked_add_signed(offset).unwrap_or(base).trunc_subsecs(6)
    }

    /// Moves the clock forward for everybody who shares it.
    ///
    /// # Errors
    /// The offset is negative or too large, or can't be written to its file; the clock then stays where it was.
    pub fn advance(&self, seconds: i64) -> io::Result<()> {
        let invalid = |why: &str| io::Error::new(io::ErrorKind::InvalidInput, why.to_owned());
        if seconds < 0 {
            return Err(invalid("the clock only moves forward"));
        }
        let offset = self.0.offset_seconds.load(Ordering::Acquire).checked_add(seconds);
        let offset = offset
            .filter(|total| *total <= 200 * 366 * 86_400)
            .ok_or_else(|| invalid("the clock can't be moved that far"))?;
        if let Some(file) = &self.0.kept_in {
            let part = file.with_extension("part");
            fs::write(&part, offset.to_string())?;
            fs::rename(&part, file)?;
        }
        self.0.offset_seconds.store(offset, Ordering::Release);
        Ok(())
    }
}

/// The whole number of seconds that the file holds; none when it is not there.
fn read(file: &Path) -> io::Result<i64> {
    match fs::read_to_string(file) {
        Ok(text) => text.trim().parse().map_err(|_| {
            let message = format!("{} does not hold a number of seconds", file.display());
            io::Error::new(io::ErrorKind::InvalidData, message)
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(error),
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({})", self.now())
    }
}

/// Random bytes from the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Entropy;

impl Entropy {
    /// `N` unpredictable bytes.
    pub fn bytes<const N: usize>(self) -> [u8; N] {
        let mut bytes = [0; N];
        #[expect(clippy::disallowed_methods, reason = "this is where randomness comes from")]
        rand::rng().fill_bytes(&mut bytes);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frozen_clock_moves_only_when_told_and_for_all_its_clones() {
        let start = DateTime::from_timestamp(1_780_000_000, 0).unwrap();
        let clock = Clock::frozen_at(start);
        let other = clock.clone();
        assert!(clock.advance(-1).is_err());
        assert!(clock.advance(i64::MAX).is_err());
        assert_eq!(other.now(), start);
        clock.advance(61).unwrap();
        assert_eq!(other.now(), start + TimeDelta::seconds(61));
    }

    #[test]
    fn the_offset_outlives_the_process() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("clock");
        let clock = Clock::kept_in(file.clone()).unwrap();
        clock.advance(86_400).unwrap();
        let ahead = Clock::kept_in(file.clone()).unwrap().now() - Clock::system().now();
        assert!((86_399..=86_400).contains(&ahead.num_seconds()), "{ahead}");
        fs::write(&file, "noon").unwrap();
        assert!(Clock::kept_in(file).is_err());
    }

    #[test]
    fn a_clock_follows_another_process_and_never_goes_back() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("clock");
        let clock = Clock::following(file.clone());
        let ahead = || (clock.now() - Clock::system().now()).num_seconds();
        assert!((-1..=0).contains(&ahead()));
        Clock::kept_in(file.clone()).unwrap().advance(3_600).unwrap();
        assert!((3_599..=3_600).contains(&ahead()));
        for text in ["", "noon", "60"] {
            fs::write(&file, text).unwrap();
            assert!((3_599..=3_600).contains(&ahead()), "{text:?}");
        }
        fs::remove_file(&file).unwrap();
        assert!((3_599..=3_600).contains(&ahead()));
    }
}

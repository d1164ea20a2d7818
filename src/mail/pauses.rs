//! How often a mail is tried, and how long is waited in between.

use chrono::TimeDelta;

/// The pause after the first failure, in minutes; it doubles with each one.
const FIRST: i64 = 1;
/// It never grows beyond this.
const LONGEST: i64 = 6 * 60;
/// After so many tries, which take about five days, a mail is given up.
const TRIES: i64 = 28;
/// The same where the mail itself is refused, which may still be a server's mood.
const TRIES_WHEN_REFUSED: i64 = 3;

/// How long to wait after so many tries; nothing when it is enough.
pub(super) fn pause(tries: i64, refused: bool) -> Option<TimeDelta> {
    let enough = if refused { TRIES_WHEN_REFUSED } else { TRIES };
    let doublings = u32::try_from(tries - 1).unwrap_or(0).min(20);
    (tries < enough).then(|| TimeDelta::minutes((FIRST << doublings).min(LONGEST)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_come_to_an_end() {
        let pauses: Vec<_> = (1..).map_while(|tries| pause(tries, false)).collect();
        let minutes: Vec<_> = pauses.iter().map(TimeDelta::num_minutes).collect();
        assert_eq!(minutes[..10], [1, 2, 4, 8, 16, 32, 64, 128, 256, 360]);
        assert!(minutes[10..].iter().all(|pause| *pause == 360), "{minutes:?}");
        assert_eq!(pauses.iter().sum::<TimeDelta>().num_days(), 4);
    }

    #[test]
    fn a_refused_mail_is_tried_three_times() {
        let again: Vec<_> = (1..5).map(|tries| pause(tries, true).is_some()).collect();
        assert_eq!(again, [true, true, false, false]);
    }
}

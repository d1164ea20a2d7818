//! Bars over months or words, as geometry for an SVG picture. The numbers stand in a table beside it, for those who do not
//! see it.

/// The picture's width in its own units; the page makes it as wide as there is room.
const WIDTH: i64 = 360;
/// The line on which the bars stand.
const GROUND: i64 = 128;
/// The highest bar's top.
const TOP: i64 = 14;
/// How wide a letter of the scale is at most.
const LETTER: i64 = 6;

/// A picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chart {
    /// What it shows, for those who do not see it.
    pub label: String,
    /// Where the bars begin.
    pub left: i64,
    /// Lines across, each with its height and its number.
    pub lines: Vec<(i64, String)>,
    /// The bars.
    pub columns: Vec<Column>,
}

/// A bar, and the part of it that is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its left edge.
    pub x: i64,
    /// Its width.
    pub width: i64,
    /// Below it.
    pub label: String,
    /// Top and height of all.
    pub whole: (i64, i64),
    /// Top and height of the part.
    pub part: Option<(i64, i64)>,
}

impl Column {
    /// The middle, below which its label stands.
    pub fn middle(&self) -> i64 {
        self.x + self.width / 2
    }
}

/// What a bar says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// Below it.
    pub label: String,
    /// All.
    pub whole: i64,
    /// The part that is meant.
    pub part: Option<i64>,
}

impl Chart {
    /// Bars of these values; `written` is how a number of the scale reads.
    pub fn new(label: String, values: Vec<Value>, written: impl Fn(i64) -> String) -> Self {
        let most = scale_of(values.iter().map(|value| value.whole).max().unwrap_or_default());
        let middle = Some(most / 2).filter(|half| half * 2 == most);
        let lines: Vec<(i64, String)> = [Some(most), middle, Some(0)]
            .into_iter()
            .flatten()
            .map(|at| (GROUND - height(at, most), written(at)))
            .collect();
        let letters = lines.iter().map(|(_, text)| text.chars().count()).max().unwrap_or_default();
        let left = i64::try_from(letters).unwrap_or_default() * LETTER + 6;
        let room = (WIDTH - left) / i64::try_from(values.len()).unwrap_or(1).max(1);
        let columns = values.into_iter().zip(0..).map(|(value, number)| {
            let bar = |of: i64| (GROUND - height(of, most), height(of, most));
            Column {
                x: left + room * number + room / 8,
                width: (room - room / 4).max(1),
                label: value.label,
                whole: bar(value.whole),
                part: value.part.map(bar),
            }
        });
        Self { label, left, lines, columns: columns.collect() }
    }

    /// Where lines across end.
    pub fn right(&self) -> i64 {
        WIDTH
    }
}

fn height(value: i64, most: i64) -> i64 {
    let value = i128::from(value.clamp(0, most));
    i64::try_from(value * i128::from(GROUND - TOP) / i128::from(most.max(1))).unwrap_or_default()
}

/// The number at the top of the scale: the smallest round one that nothing rises above.
fn scale_of(most: i64) -> i64 {
    let mut power = 1_i64;
    loop {
        for step in [1, 2, 4, 6, 8] {
            let round = power.saturating_mul(step);
            if round >= most {
                return round;
            }
        }
        power = power.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(values: &[(i64, Option<i64>)]) -> Chart {
        let value = |&(whole, part): &(i64, Option<i64>)| Value { label: String::new(), whole, part };
        Chart::new(String::new(), values.iter().map(value).collect(), |number| number.to_string())
    }

    #[test]
    fn the_scale_ends_with_a_round_number() {
        for (most, scale) in
            [(i64::MIN, 1), (-1, 1), (0, 1), (1, 1), (2, 2), (3, 4), (7, 8), (9, 10), (11, 20), (41, 60), (999, 1_000)]
        {
            assert_eq!(scale_of(most), scale, "{most}");
        }
        assert_eq!(scale_of(i64::MAX), i64::MAX);
    }

    #[test]
    fn bars_are_as_high_as_their_numbers() {
        let bars = chart(&[(0, Some(0)), (20, Some(5)), (10, None), (-3, Some(-3))]);
        let heights: Vec<_> = bars.columns.iter().map(|bar| (bar.whole.1, bar.part.map(|part| part.1))).collect();
        assert_eq!(heights, [(0, Some(0)), (114, Some(28)), (57, None), (0, Some(0))]);
        assert!(bars.columns.iter().all(|bar| bar.whole.0 + bar.whole.1 == GROUND));
        let lines = bars.lines.iter().map(|(at, text)| (*at, text.as_str())).collect::<Vec<_>>();
        assert_eq!(lines, [(14, "20"), (71, "10"), (128, "0")]);
    }

    #[test]
    fn every_bar_has_room() {
        for count in [1, 6, 12, 400] {
            let bars = chart(&vec![(i64::MAX, Some(1)); count]);
            let fits = |bar: &Column| bar.x >= bars.left && bar.width > 0 && bar.x + bar.width <= WIDTH;
            assert!(bars.columns.iter().all(fits), "{count}");
        }
        assert!(chart(&[]).columns.is_empty());
    }
}

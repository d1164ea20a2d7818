//! Amounts of money, counted in the currency's smallest unit and never in floating point.

use std::fmt;

use super::user::Language;

/// A three-letter ISO 4217 code in lower case, as Stripe writes it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Currency([u8; 3]);

/// An amount as Stripe counts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Money {
    /// In the smallest unit: cents of a euro, whole yen.
    pub minor: i64,
    /// Of which currency.
    pub currency: Currency,
}

impl Currency {
    /// Reads a code of three letters in any case.
    pub fn parse(code: &str) -> Option<Self> {
        let bytes: [u8; 3] = code.as_bytes().try_into().ok()?;
        bytes.iter().all(u8::is_ascii_alphabetic).then(|| Self(bytes.map(|byte| byte.to_ascii_lowercase())))
    }

    /// The code in lower case.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// How many decimal places Stripe's integer amounts have (Stripe's documentation, "Supported currencies").
    /// ISK and UGX have no smaller unit, yet Stripe counts them in hundredths.
    pub fn decimals(self) -> u32 {
        match &self.0 {
            b"bif" | b"clp" | b"djf" | b"gnf" | b"jpy" | b"kmf" | b"krw" | b"mga" | b"pyg" | b"rwf" | b"vnd"
            | b"vuv" | b"xaf" | b"xof" | b"xpf" => 0,
            b"bhd" | b"jod" | b"kwd" | b"omr" | b"tnd" => 3,
            _ => 2,
        }
    }

    fn is_paid_in_whole_units(self) -> bool {
        matches!(&self.0, b"isk" | b"ugx")
    }

    /// A sign that names this currency and no other to somebody who reads this language (Unicode's CLDR).
    fn sign(self, language: Language) -> Option<&'static str> {
        Some(match &self.0 {
            b"usd" if language == Language::ZhHans => "US$",
            b"jpy" if language == Language::ZhHans => "JP¥",
            b"cny" if language == Language::ZhHans => "¥",
            b"aud" if language == Language::ZhHans => "AU$",
            b"eur" => "€",
            b"usd" => "$",
            b"gbp" => "£",
            b"jpy" => "¥",
            b"cny" => "CN¥",
            b"krw" => "₩",
            b"inr" => "₹",
            b"ils" => "₪",
            b"vnd" => "₫",
            b"cad" => "CA$",
            b"aud" => "A$",
            b"nzd" => "NZ$",
            b"hkd" => "HK$",
            b"twd" => "NT$",
            b"brl" => "R$",
            b"mxn" => "MX$",
            _ => return None,
        })
    }
}

impl Money {
    /// So many of the smallest unit.
    pub fn new(minor: i64, currency: Currency) -> Self {
        Self { minor, currency }
    }

    /// English: "€9.00", "¥900", "1,234.50 CHF", "-$0.05". Chinese: "€9.00", "JP¥900", "CHF 1,234.50", "-US$0.05".
    pub fn in_words_of(self, language: Language) -> String {
        let (minus, digits) = (if self.minor < 0 { "-" } else { "" }, self.digits());
        match (self.currency.sign(language), language) {
            (Some(sign), _) => format!("{minus}{sign}{digits}"),
            (None, Language::En) => format!("{minus}{digits} {}", self.currency),
            // A space at which no line breaks.
            (None, Language::ZhHans) => format!("{minus}{}\u{a0}{digits}", self.currency),
        }
    }

    fn digits(self) -> String {
        let scale = 10_u64.pow(self.currency.decimals());
        let amount = self.minor.unsigned_abs();
        let (whole, part) = (amount / scale, amount % scale);
        let whole = grouped(whole);
        if scale == 1 || (part == 0 && self.currency.is_paid_in_whole_units()) {
            return whole;
        }
        let places = self.currency.decimals() as usize;
        format!("{whole}.{part:0places$}")
    }
}

/// In English, for logs and the command line.
impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.in_words_of(Language::En))
    }
}

/// The code in upper case.
impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.as_str().to_ascii_uppercase())
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn grouped(whole: u64) -> String {
    let digits = whole.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_three_letters() {
        for code in ["", "eu", "euro", "e1r", "€", "éu", "eu\0"] {
            assert_eq!(Currency::parse(code), None, "{code:?}");
        }
        assert_eq!(Currency::parse("EUR").unwrap().as_str(), "eur");
    }

    #[test]
    fn an_amount_is_written_in_its_own_units() {
        for (minor, code, text) in [
            (900, "eur", "€9.00"),
            (5, "usd", "$0.05"),
            (0, "gbp", "£0.00"),
            (-905, "usd", "-$9.05"),
            (900, "jpy", "¥900"),
            (120_000, "krw", "₩120,000"),
            (123_450, "chf", "1,234.50 CHF"),
            (1_234_567_890, "eur", "€12,345,678.90"),
            (-900, "xaf", "-900 XAF"),
            (9_000, "kwd", "9.000 KWD"),
            (5, "bhd", "0.005 BHD"),
            (500, "isk", "5 ISK"),
            (500, "ugx", "5 UGX"),
            (550, "ugx", "5.50 UGX"),
            (10_000, "huf", "100.00 HUF"),
            (i64::MIN, "jpy", "-¥9,223,372,036,854,775,808"),
            (i64::MAX, "xyz", "92,233,720,368,547,758.07 XYZ"),
        ] {
            assert_eq!(Money::new(minor, Currency::parse(code).unwrap()).to_string(), text);
        }
    }

    #[test]
    fn in_chinese_the_yuan_is_at_home_and_a_code_comes_first() {
        for (minor, code, text) in [
            (4_900, "eur", "€49.00"),
            (900, "usd", "US$9.00"),
            (-905, "usd", "-US$9.05"),
            (900, "jpy", "JP¥900"),
            (900, "cny", "¥9.00"),
            (900, "aud", "AU$9.00"),
            (120_000, "krw", "₩120,000"),
            (4_900, "chf", "CHF\u{a0}49.00"),
            (-123_450, "chf", "-CHF\u{a0}1,234.50"),
        ] {
            let money = Money::new(minor, Currency::parse(code).unwrap());
            assert_eq!(money.in_words_of(Language::ZhHans), text);
        }
    }
}

//! The language that a browser asks for.

use crate::domain::user::Language;

/// How much of the header is looked at.
const RANGES: usize = 32;

/// The language of `Accept-Language` that we speak and that its sender likes best; English where there is none
/// (RFC 9110 §12.5.4). Every kind of Chinese is answered in Simplified Chinese: nearer than English.
pub fn preferred(header: &str) -> Language {
    let liked = header.split(',').take(RANGES).filter_map(range).filter(|(_, quality)| *quality > 0);
    // Of two that are liked equally the first stands.
    liked
        .fold(None, |best: Option<(Language, u32)>, (language, quality)| match best {
            Some((_, most)) if most >= quality => best,
            _ => Some((language, quality)),
        })
        .map_or(Language::default(), |(language, _)| language)
}

/// A language of ours and how much it is liked, in thousandths.
fn range(text: &str) -> Option<(Language, u32)> {
    let (tag, parameters) = text.split_once(';').unwrap_or((text, ""));
    let primary = tag.trim().split('-').next().unwrap_or_default();
    let language = match primary.to_ascii_lowercase().as_str() {
        "en" | "*" => Language::En,
        "zh" => Language::ZhHans,
        _ => return None,
    };
    let quality = match parameters.trim().split_once('=') {
        Some((name, value)) if name.trim().eq_ignore_ascii_case("q") => thousandths(value.trim())?,
        _ => 1000,
    };
    Some((language, quality))
}

/// `0.8` → 800, without floating point.
fn thousandths(text: &str) -> Option<u32> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let fits = part.len() <= 3 && part.bytes().all(|byte| byte.is_ascii_digit());
    let part: u32 = if fits { format!("{part:0<3}").parse().ok()? } else { return None };
    match whole {
        "0" => Some(part),
        "1" if part == 0 => Some(1000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::preferred;
    use crate::domain::user::Language::{En, ZhHans};

    #[test]
    fn the_language_that_is_liked_best_is_spoken() {
        let rows = [
            ("", En),
            ("fr", En),
            ("zh;q=2", En),
            ("zh;q=abc", En),
            ("zh;q=0", En),
            (";;;,,,=", En),
            ("en-GB,en;q=0.9,zh;q=0.8", En),
            ("zh", ZhHans),
            ("ZH-cn", ZhHans),
            ("zh-Hant-TW", ZhHans),
            ("fr-FR,fr;q=0.9,zh;q=0.5,en;q=0.4", ZhHans),
            ("en;q=0.5, zh-CN ; q=0.75", ZhHans),
            ("*,zh;q=0.9", En),
            ("zh,en", ZhHans),
            ("en,zh", En),
        ];
        for (header, language) in rows {
            assert_eq!(preferred(header), language, "{header}");
        }
        assert_eq!(preferred(&"fr,".repeat(100_000)), En);
    }
}

//! The kind of browser that somebody uses, as far as its `User-Agent` header says.
//!
//! A handful of words is enough for "Firefox on Linux", which is all that a person needs to recognise a session.

/// A browser and the system that it runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Browser {
    /// Its name, if it is one of the common ones.
    pub name: Option<&'static str>,
    /// The system's name, if it is one of the common ones.
    pub system: Option<&'static str>,
}

/// Most browsers call themselves Chrome or Safari too, so the first word that is found counts.
const NAMES: &[(&str, &str)] = &[
    ("Edg/", "Edge"),
    ("EdgA/", "Edge"),
    ("EdgiOS/", "Edge"),
    ("Edge/", "Edge"),
    ("OPR/", "Opera"),
    ("OPiOS/", "Opera"),
    ("Vivaldi/", "Vivaldi"),
    ("YaBrowser/", "Yandex Browser"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("HuaweiBrowser/", "Huawei Browser"),
    ("MiuiBrowser/", "Mi Browser"),
    ("MicroMessenger/", "WeChat"),
    ("QQBrowser/", "QQ Browser"),
    ("UCBrowser/", "UC Browser"),
    ("DuckDuckGo/", "DuckDuckGo"),
    ("Ddg/", "DuckDuckGo"),
    ("FxiOS/", "Firefox"),
    ("Firefox/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chromium/", "Chromium"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
];

/// Android says Linux too, an iPhone says Mac OS X too.
const SYSTEMS: &[(&str, &str)] = &[
    ("Windows", "Windows"),
    ("HarmonyOS", "HarmonyOS"),
    ("OpenHarmony", "HarmonyOS"),
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("CrOS", "ChromeOS"),
    ("Mac OS X", "macOS"),
    ("Macintosh", "macOS"),
    ("FreeBSD", "FreeBSD"),
    ("Linux", "Linux"),
];

impl Browser {
    /// Reads the header.
    pub fn of(user_agent: &str) -> Self {
        let first = |words: &[(&str, &'static str)]| {
            words.iter().find(|(word, _)| user_agent.contains(word)).map(|(_, name)| *name)
        };
        Self { name: first(NAMES), system: first(SYSTEMS) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_ones_are_known() {
        const WEBKIT: &str = "AppleWebKit/537.36 (KHTML, like Gecko)";
        for (user_agent, name, system) in [
            ("Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0".into(), "Firefox", "Linux"),
            ("Mozilla/5.0 (Android 16; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0".into(), "Firefox", "Android"),
            (format!("Mozilla/5.0 (Windows NT 10.0; Win64; x64) {WEBKIT} Chrome/142.0.0.0 Safari/537.36"), "Chrome", "Windows"),
            (
                format!("Mozilla/5.0 (Windows NT 10.0; Win64; x64) {WEBKIT} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0"),
                "Edge",
                "Windows",
            ),
            (
                format!("Mozilla/5.0 (Linux; Android 10; K) {WEBKIT} Chrome/142.0.0.0 Mobile Safari/537.36 EdgA/142.0.0.0"),
                "Edge",
                "Android",
            ),
            (
                format!("Mozilla/5.0 (X11; Linux x86_64) {WEBKIT} Chrome/142.0.0.0 Safari/537.36 OPR/124.0.0.0"),
                "Opera",
                "Linux",
            ),
            (
                format!("Mozilla/5.0 (Linux; Android 10; K) {WEBKIT} SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36"),
                "Samsung Internet",
                "Android",
            ),
            (format!("Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) {WEBKIT} Chrome/142.0.0.0 Safari/537.36"), "Chrome", "ChromeOS"),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 \
                 Safari/605.1.15"
                    .into(),
                "Safari",
                "macOS",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
                 Version/26.0 Mobile/15E148 Safari/604.1"
                    .into(),
                "Safari",
                "iPhone",
            ),
            (
                "Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
                 CriOS/142.0.7444.46 Mobile/15E148 Safari/604.1"
                    .into(),
                "Chrome",
                "iPad",
            ),
            (
                format!("Mozilla/5.0 (Linux; Android 15) {WEBKIT} Chrome/130.0 Mobile Safari/537.36 MicroMessenger/8.0.60"),
                "WeChat",
                "Android",
            ),
        ] {
            assert_eq!(Browser::of(&user_agent), Browser { name: Some(name), system: Some(system) }, "{user_agent}");
        }
    }

    #[test]
    fn the_others_are_not_guessed() {
        for user_agent in ["", "Mozilla/5.0", "<script>", "\u{FFFD}", "a".repeat(10_000).as_str()] {
            assert_eq!(Browser::of(user_agent), Browser { name: None, system: None }, "{user_agent}");
        }
        assert_eq!(Browser::of("curl/8.14.1"), Browser { name: Some("curl"), system: None });
        assert_eq!(Browser::of("Lynx/2.9 (Linux)"), Browser { name: None, system: Some("Linux") });
    }
}

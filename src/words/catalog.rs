//! The files with the words, read once.

use std::sync::LazyLock;

use fluent_bundle::{FluentArgs, FluentResource, concurrent::FluentBundle};

use crate::domain::user::Language;

/// One file for each area of the site: its name, its English text, its Chinese text.
macro_rules! areas {
    ($($area:literal),* $(,)?) => {
        [$((
            $area,
            include_str!(concat!("../../locales/en/", $area, ".ftl")),
            include_str!(concat!("../../locales/zh-Hans/", $area, ".ftl")),
        )),*]
    };
}

pub(super) const AREAS: &[(&str, &str, &str)] = &areas![
    "account",
    "admin",
    "checkout",
    "denied",
    "email",
    "errors",
    "forms",
    "frame",
    "home",
    "login",
    "mails",
    "password",
    "payments",
    "plans",
    "profile",
    "premium",
    "security",
    "signup",
    "status",
    "subscription",
    "time"
];

static ENGLISH: LazyLock<FluentBundle<FluentResource>> = LazyLock::new(|| read(Language::En));
static CHINESE: LazyLock<FluentBundle<FluentResource>> = LazyLock::new(|| read(Language::ZhHans));

/// The text of a key; the key itself where there is none, which is a defect that a test finds.
pub(super) fn text(language: Language, key: &str, arguments: &FluentArgs<'_>) -> String {
    let bundle = match language {
        Language::En => &ENGLISH,
        Language::ZhHans => &CHINESE,
    };
    let Some(pattern) = bundle.get_message(key).and_then(|message| message.value()) else {
        tracing::error!(key, language = language.as_str(), "a text is missing");
        debug_assert!(false, "no text for {key} in {language}");
        return key.to_owned();
    };
    let mut errors = Vec::new();
    let text = bundle.format_pattern(pattern, Some(arguments), &mut errors).into_owned();
    if let Some(error) = errors.first() {
        tracing::error!(key, %error, "a text is incomplete");
        debug_assert!(false, "{key} in {language}: {error}");
    }
    text
}

fn read(language: Language) -> FluentBundle<FluentResource> {
    let mut bundle = FluentBundle::new_concurrent(language.as_str().parse().into_iter().collect());
    // The marks that keep directions apart are not needed where every language runs the same way.
    bundle.set_use_isolating(false);
    for (area, english, chinese) in AREAS {
        let source = match language {
            Language::En => english,
            Language::ZhHans => chinese,
        };
        let resource = FluentResource::try_new((*source).to_owned()).unwrap_or_else(|(whole, errors)| {
            tracing::error!(area, ?errors, "a file of texts has mistakes");
            debug_assert!(false, "{area} in {language}: {errors:?}");
            whole
        });
        if let Err(errors) = bundle.add_resource(resource) {
            tracing::error!(area, ?errors, "a text stands in two places");
            debug_assert!(false, "{area} in {language}: {errors:?}");
        }
    }
    bundle
}

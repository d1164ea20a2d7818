//! The pages about tokens of programs.

use super::{NASTY, Sample, moment, sample, say, viewer};
use crate::pages::{
    admin::{
        asked::Choice,
        token_revocation::TokenRevocation,
        tokens::{Standing, TokenLine, Tokens},
    },
    form::FieldErrors,
};

pub(super) fn all() -> Vec<Sample> {
    list().into_iter().chain(revocation()).collect()
}

fn line(name: &str, standing: Standing, used: bool) -> TokenLine {
    TokenLine {
        id: "tok_1".to_owned(),
        name: name.to_owned(),
        scope: "read".to_owned(),
        made_by: "ada@example.com".to_owned(),
        made: moment(),
        expires: used.then(moment),
        used: used.then(moment),
        standing,
    }
}

fn page(lines: Vec<TokenLine>) -> Tokens {
    let spans = ["admin-token-days-30", "admin-token-days-90", "admin-token-days-365", "admin-token-days-none"];
    let choice = |key| Choice { value: String::from(key), label: say(key), chosen: key == "admin-token-days-90" };
    Tokens {
        frame: viewer("/admin/tokens", "Ada Lovelace", true),
        made: None,
        revoked: false,
        lines,
        typed_name: String::new(),
        lives: spans.into_iter().map(choice).collect(),
        reason: String::new(),
        errors: FieldErrors::new(),
    }
}

fn list() -> Vec<Sample> {
    let template = "pages/admin/tokens.html";
    let some = [Standing::Works, Standing::Expired, Standing::Revoked, Standing::NoAdmin];
    let some =
        || page(some.map(|standing| line(&say("admin-mails"), standing, standing != Standing::NoAdmin)).to_vec());
    let token = "tp_3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA".to_owned();
    let mut errors = FieldErrors::new();
    for (field, key) in [
        ("name", "admin-token-name-missing"),
        ("expires", "admin-token-days-wrong"),
        ("reason", "admin-reason-missing"),
    ] {
        errors.add(field, say(key));
    }
    let nasty = Tokens {
        typed_name: NASTY.to_owned(),
        reason: NASTY.to_owned(),
        ..page(vec![line(NASTY, Standing::Works, true)])
    };
    vec![
        sample(template, "none", &page(Vec::new())),
        sample(template, "some", &Tokens { revoked: true, ..some() }),
        sample(template, "made", &Tokens { made: Some((say("admin-mails"), token)), ..some() }),
        sample(template, "refused", &Tokens { errors, ..page(Vec::new()) }),
        sample(template, "nasty", &Tokens { made: Some((NASTY.to_owned(), NASTY.to_owned())), ..nasty }),
    ]
}

fn revocation() -> Vec<Sample> {
    let template = "pages/admin/token_revocation.html";
    let page = |name: &str, errors| TokenRevocation {
        frame: viewer("/admin/tokens/tok_1/revocation", "Ada Lovelace", true),
        name: name.to_owned(),
        id: "tok_1".to_owned(),
        reason: String::new(),
        errors,
    };
    let mut missing = FieldErrors::new();
    missing.add("reason", say("admin-reason-missing"));
    let before = FieldErrors::new().with_summary(say("admin-token-revoked-before"));
    vec![
        sample(template, "asked", &page(&say("admin-mails"), FieldErrors::new())),
        sample(template, "refused", &page(NASTY, missing)),
        sample(template, "before", &page(&say("admin-mails"), before)),
    ]
}

//! What `turnpike config` prints.

use toml::{Table, Value};
use url::Url;

use super::{Config, DatabaseUrl, LogFormat, Mail, Secret, settings::SETTINGS};
use crate::domain::{
    gate::Gate,
    plan::{Plan, PlanKind},
};

const MASK: &str = "***";

pub(super) fn listing(config: &Config) -> String {
    let mut lines: String = SETTINGS
        .iter()
        .skip(1)
        .map(|setting| match in_force(config, setting.name) {
            Some(value) => format!("{} = {value}\n", setting.key()),
            None => format!("# {} is not set\n", setting.key()),
        })
        .collect();
    for plan in &config.plans {
        lines.push_str("\n[[plans]]\n");
        lines.push_str(&table(plan).to_string());
    }
    for gate in config.gates.iter() {
        lines.push_str("\n[[gates]]\n");
        lines.push_str(&gate_table(gate).to_string());
    }
    lines
}

fn in_force(config: &Config, name: &str) -> Option<Value> {
    let masked = |is_set: bool| is_set.then(|| Value::from(MASK));
    match name {
        "TURNPIKE_LISTEN" => Some(config.listen.to_string().into()),
        "TURNPIKE_PUBLIC_URL" => Some(config.public_url.as_str().trim_end_matches('/').into()),
        "TURNPIKE_DATABASE_URL" => Some(database(&config.database_url).into()),
        "TURNPIKE_COOKIE_SECRET" => masked(config.cookie_secret.is_some()),
        "TURNPIKE_COOKIE_DOMAIN" => config.cookie_domain.as_deref().map(Value::from),
        "TURNPIKE_GATE_HOSTS" => (!config.gate_hosts.is_empty()).then(|| config.gate_hosts.join(", ").into()),
        "TURNPIKE_CONTENT_DIR" => Some(config.content_dir.display().to_string().into()),
        "TURNPIKE_MAIL" => Some(mail(&config.mail).into()),
        "TURNPIKE_MAIL_CA" => config.mail_ca.as_ref().map(|file| file.display().to_string().into()),
        "TURNPIKE_MAIL_FROM" => Some(config.mail_from.to_string().into()),
        "TURNPIKE_STRIPE_SECRET_KEY" => masked(config.stripe.secret_key.is_some()),
        "TURNPIKE_STRIPE_WEBHOOK_SECRET" => masked(!config.stripe.webhook_secrets.is_empty()),
        "TURNPIKE_STRIPE_API_BASE" => {
            config.stripe.api_base.as_ref().map(|url| url.as_str().trim_end_matches('/').into())
        }
        "TURNPIKE_SANDBOX_LISTEN" => Some(config.sandbox_listen.to_string().into()),
        "TURNPIKE_REQUIRE_ADMIN_SECOND_FACTOR" => Some(config.require_admin_second_factor.into()),
        "TURNPIKE_PAST_DUE_GRACE_DAYS" => Some(i64::from(config.past_due_grace_days).into()),
        "TURNPIKE_REQUIRE_CONFIRMED_EMAIL" => Some(config.require_confirmed_email.into()),
        "TURNPIKE_JOURNAL_DAYS" => Some(i64::from(config.journal_days).into()),
        "TURNPIKE_METRICS_LISTEN" => config.metrics_listen.map(|address| address.to_string().into()),
        "TURNPIKE_TRUSTED_PROXIES" => {
            let networks: Vec<String> = config.trusted_proxies.iter().map(ToString::to_string).collect();
            (!networks.is_empty()).then(|| networks.into())
        }
        "TURNPIKE_JOBS_INTERVAL_SECONDS" => {
            let seconds = config.jobs_interval.map_or(0, |interval| interval.as_secs());
            Some(i64::try_from(seconds).unwrap_or(i64::MAX).into())
        }
        "TURNPIKE_LOG" => Some(config.log.as_str().into()),
        "TURNPIKE_LOG_FORMAT" => Some(match config.log_format {
            LogFormat::Text => "text".into(),
            LogFormat::Json => "json".into(),
        }),
        _ => None,
    }
}

fn database(url: &DatabaseUrl) -> String {
    match url {
        DatabaseUrl::Sqlite(file) => file.display().to_string(),
        DatabaseUrl::Postgres(url) => without_credentials(url),
    }
}

fn mail(mail: &Mail) -> String {
    match mail {
        Mail::Dir(folder) => format!("dir:{}", folder.display()),
        Mail::Smtp(url) => {
            let tls = url.expose().split_once("?tls=").map(|(_, tls)| format!("?tls={tls}")).unwrap_or_default();
            without_credentials(url) + &tls
        }
    }
}

/// Scheme, host, port and path. Parameters are left out, as a password can stand there too.
fn without_credentials(url: &Secret) -> String {
    let Ok(url) = Url::parse(url.expose()) else { return MASK.to_owned() };
    let credentials = if url.username().is_empty() && url.password().is_none() { "" } else { "***@" };
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{credentials}{}{port}{}", url.scheme(), url.host_str().unwrap_or_default(), url.path())
}

fn table(plan: &Plan) -> Table {
    let mut table = Table::new();
    for (key, value) in [("key", &plan.key), ("name", &plan.name), ("price", &plan.price)] {
        table.insert(key.into(), value.as_str().into());
    }
    match plan.kind {
        PlanKind::Recurring => table.insert("kind".into(), "recurring".into()),
        PlanKind::Prepaid { months } => {
            table.insert("kind".into(), "prepaid".into());
            table.insert("months".into(), i64::from(months).into())
        }
    };
    table
}

fn gate_table(gate: &Gate) -> Table {
    let mut table = Table::new();
    table.insert("key".into(), gate.key.as_str().into());
    if let Some(plans) = gate.opens.plans {
        table.insert("plans".into(), plans.to_vec().into());
    }
    table.insert("trial".into(), gate.opens.trial.into());
    table
}

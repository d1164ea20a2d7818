//! The tables, the same on both engines. Instants are BIGINT microseconds UTC.

use diesel::{allow_tables_to_appear_in_same_query, joinable, table};

table! {
    users (id) {
        id -> BigInt,
        public_id -> Text,
        email -> Text,
        email_canonical -> Text,
        email_confirmed_at -> Nullable<BigInt>,
        password_hash -> Text,
        title -> Nullable<Text>,
        first_name -> Text,
        last_name -> Text,
        phone -> Nullable<Text>,
        time_zone -> Text,
        language -> Text,
        role -> Text,
        stripe_customer_id -> Nullable<Text>,
        terms_accepted_at -> BigInt,
        created_at -> BigInt,
        updated_at -> BigInt,
        email_pending -> Nullable<Text>,
        deleted_at -> Nullable<BigInt>,
        second_factor_at -> Nullable<BigInt>,
        locked_at -> Nullable<BigInt>,
    }
}

table! {
    sessions (id) {
        id -> BigInt,
        token_hash -> Text,
        user_id -> BigInt,
        user_agent -> Text,
        created_at -> BigInt,
        expires_at -> BigInt,
        public_id -> Text,
    }
}

table! {
    tokens (id) {
        id -> BigInt,
        token_hash -> Text,
        user_id -> BigInt,
        purpose -> Text,
        email -> Nullable<Text>,
        created_at -> BigInt,
        expires_at -> BigInt,
    }
}

table! {
    second_factors (user_id) {
        user_id -> BigInt,
        secret -> Text,
        last_step -> BigInt,
    }
}

table! {
    recovery_codes (id) {
        id -> BigInt,
        user_id -> BigInt,
        code_hash -> Text,
    }
}

table! {
    subscriptions (id) {
        id -> BigInt,
        user_id -> BigInt,
        kind -> Text,
        status -> Text,
        plan -> Nullable<Text>,
        provider_id -> Nullable<Text>,
        provider_status -> Nullable<Text>,
        current_period_start -> Nullable<BigInt>,
        current_period_end -> Nullable<BigInt>,
        cancel_at_period_end -> Bool,
        cancel_at -> Nullable<BigInt>,
        ended_at -> Nullable<BigInt>,
        snapshot_at -> Nullable<BigInt>,
        refresh_due_at -> Nullable<BigInt>,
        refreshed_at -> Nullable<BigInt>,
        version -> BigInt,
        snapshots -> Nullable<Text>,
        created_at -> BigInt,
        updated_at -> BigInt,
        collection_voided -> Bool,
    }
}

table! {
    subscription_history (id) {
        id -> BigInt,
        subscription_id -> BigInt,
        user_id -> BigInt,
        known_from -> BigInt,
        status -> Text,
        plan -> Nullable<Text>,
        provider_status -> Nullable<Text>,
        current_period_start -> Nullable<BigInt>,
        current_period_end -> Nullable<BigInt>,
        cancel_at_period_end -> Bool,
        cancel_at -> Nullable<BigInt>,
        ended_at -> Nullable<BigInt>,
        collection_voided -> Bool,
    }
}

table! {
    trial_grants (email_hash) {
        email_hash -> Text,
        granted_at -> BigInt,
    }
}

table! {
    webhook_events (id) {
        id -> BigInt,
        event_id -> Text,
        event_type -> Text,
        api_version -> Nullable<Text>,
        livemode -> Bool,
        created_at -> BigInt,
        received_at -> BigInt,
        finished_at -> Nullable<BigInt>,
        outcome -> Text,
        detail -> Nullable<Text>,
        attempts -> BigInt,
        user_id -> Nullable<BigInt>,
        provider_subscription_id -> Nullable<Text>,
        provider_customer_id -> Nullable<Text>,
        change -> Nullable<Text>,
        payload -> Nullable<Text>,
        provider_payment_id -> Nullable<Text>,
        retry_at -> Nullable<BigInt>,
    }
}

table! {
    payments (id) {
        id -> BigInt,
        user_id -> BigInt,
        purpose -> Text,
        status -> Text,
        happened_at -> BigInt,
        provider_payment_id -> Nullable<Text>,
        provider_invoice_id -> Nullable<Text>,
        provider_session_id -> Nullable<Text>,
        provider_charge_id -> Nullable<Text>,
        provider_subscription_id -> Nullable<Text>,
        plan -> Nullable<Text>,
        months -> Nullable<BigInt>,
        amount -> BigInt,
        amount_refunded -> BigInt,
        currency -> Nullable<Text>,
        receipt_url -> Nullable<Text>,
        dispute -> Nullable<Text>,
        added_from -> Nullable<BigInt>,
        added_until -> Nullable<BigInt>,
        taken_back_at -> Nullable<BigInt>,
        created_at -> BigInt,
        updated_at -> BigInt,
        amount_lost -> BigInt,
        failed_at -> Nullable<BigInt>,
    }
}

table! {
    mails (id) {
        id -> BigInt,
        user_id -> BigInt,
        cause -> Text,
        notice -> Text,
        attempts -> BigInt,
        due_at -> Nullable<BigInt>,
        sent_at -> Nullable<BigInt>,
        error -> Nullable<Text>,
        created_at -> BigInt,
        recipient -> Nullable<Text>,
    }
}

table! {
    roster (user_id) {
        user_id -> BigInt,
        changes -> BigInt,
        valid_from -> BigInt,
        valid_until -> BigInt,
        name_key -> Text,
        search -> Text,
        signed_up_at -> BigInt,
        status -> Text,
        kind -> Text,
        plan -> Nullable<Text>,
        granted -> Bool,
        renews -> Bool,
        ends_at -> BigInt,
        live -> BigInt,
        confirmed -> Bool,
        locked -> Bool,
    }
}

table! {
    roster_rules (name) {
        name -> Text,
        value -> Text,
    }
}

table! {
    audit_log (id) {
        id -> BigInt,
        happened_at -> BigInt,
        actor -> Text,
        origin -> Text,
        action -> Text,
        subject -> Nullable<Text>,
        reason -> Text,
        outcome -> Text,
        detail -> Nullable<Text>,
    }
}

table! {
    api_tokens (id) {
        id -> BigInt,
        public_id -> Text,
        token_hash -> Text,
        name -> Text,
        scope -> Text,
        made_by -> Text,
        created_at -> BigInt,
        expires_at -> Nullable<BigInt>,
        used_at -> Nullable<BigInt>,
        revoked_at -> Nullable<BigInt>,
    }
}

joinable!(roster -> users (user_id));
joinable!(sessions -> users (user_id));
joinable!(subscription_history -> subscriptions (subscription_id));
joinable!(subscriptions -> users (user_id));
allow_tables_to_appear_in_same_query!(users, sessions, subscriptions, subscription_history, roster, api_tokens);

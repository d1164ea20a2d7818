//! What people are told about their second factor.

use crate::{
    on_both,
    support::{app::App, device::Device, member::PASSWORD},
};

on_both! { each_change_is_told_once_and_no_code_is_in_it }

async fn each_change_is_told_once_and_no_code_is_in_it(app: App) {
    let ada = app.member().await;
    let device = Device::of(&app, &ada).await;
    let visitor = app.visitor();
    let page = visitor.gives_password(&ada.email).await;
    visitor.gives_code(&page, &device.next_code()).await.is(303);
    let page = visitor.gives_password(&ada.email).await;
    visitor.gives_recovery_code(&page, &device.recovery_codes[0]).await.is(303);
    let fields = [("password", PASSWORD), ("code", &device.next_code())];
    visitor.post("/account/second-factor/removal", &fields).await.is(303);
    let mails = app.outbox().await;
    let about = ["Your second factor is on", "A recovery code was used", "Your second factor is off"];
    for subject in about {
        let told: Vec<_> = mails.iter().filter(|mail| mail.subject == subject).collect();
        assert_eq!(told.len(), 1, "{subject}");
        assert_eq!(told[0].to, [ada.email.as_str()]);
        assert!(told[0].text.contains("If ") && told[0].text.contains("not you"), "{}", told[0].text);
    }
    for secret in device.recovery_codes.iter().chain([&device.code()]) {
        assert!(!mails.iter().any(|mail| mail.text.contains(secret) || mail.html.contains(secret)));
    }
}

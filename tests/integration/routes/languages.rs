//! In which language a page, an error and a mail speak: that of the account, else the one that the browser asks for.

use chrono::TimeDelta;
use reqwest::{
    Method,
    header::{ACCEPT, ACCEPT_LANGUAGE, HeaderValue},
};
use serde_json::json;

use crate::{
    on_both,
    support::{
        app::App,
        client::{Answer, JSON, Visitor},
        member::{PASSWORD, sign_up_form, with_field},
    },
};

on_both! {
    a_browser_is_answered_in_the_language_that_it_likes_best,
    what_no_browser_sends_is_answered_too,
    a_refused_form_says_why_in_chinese,
    errors_speak_the_language_of_the_reader_and_programs_get_english,
    an_account_speaks_its_own_language_whatever_the_browser_says,
    an_account_that_was_made_in_chinese_is_written_to_in_chinese,
}

const CHINESE: &str = "zh-CN,zh;q=0.9,en;q=0.8";
const IN_CHINESE: &str = "<html lang=\"zh-Hans\">";
const IN_ENGLISH: &str = "<html lang=\"en\">";

async fn a_browser_is_answered_in_the_language_that_it_likes_best(app: App) {
    let visitor = app.visitor();
    for (asks, lang, title) in [
        ("fr-FR, de;q=0.5", IN_ENGLISH, "<title>Sign up · Turnpike</title>"),
        ("zh;q=0", IN_ENGLISH, "<title>Sign up · Turnpike</title>"),
        ("en-GB,en;q=0.9,zh;q=0.8", IN_ENGLISH, "<title>Sign up · Turnpike</title>"),
        (CHINESE, IN_CHINESE, "<title>注册 · Turnpike</title>"),
        ("zh-Hant-TW", IN_CHINESE, "<title>注册 · Turnpike</title>"),
    ] {
        let page = ask(&visitor, "/signup", asks).await.is(200).says(lang).says(title);
        assert!(page.header("vary").unwrap_or_default().contains("accept-language"), "{asks}");
    }
    visitor.get("/signup").await.is(200).says(IN_ENGLISH);
    for path in ["/", "/login", "/login?next=/premium"] {
        ask(&visitor, path, CHINESE).await.is(200).says(IN_CHINESE).keeps_quiet_about("Log in");
    }
}

async fn what_no_browser_sends_is_answered_too(app: App) {
    let visitor = app.visitor();
    let long =
        ["zh;q=0.9,".repeat(1_200), ",".repeat(10_000), "x".repeat(10_000), format!("en,{}", "zh-".repeat(3_400))];
    for header in long.iter().map(String::as_str).chain(["\t", ";;;===", "zh;q=1.0001", "*;q=0", "\"zh\""]) {
        ask(&visitor, "/", header).await.is(200);
    }
    let bytes = HeaderValue::from_bytes(b"zh\xff\xfe").unwrap();
    visitor.send(Method::GET, "/", |request| request.header(ACCEPT_LANGUAGE, bytes)).await.is(200).says(IN_ENGLISH);
}

async fn a_refused_form_says_why_in_chinese(app: App) {
    let form = sign_up_form("ada");
    let form = with_field(&form, "first_name", "");
    let page = post(&app.visitor(), "/signup", &form, CHINESE).await.is(422);
    page.says(IN_CHINESE)
        .says("<title>错误：注册 · Turnpike</title>")
        .says("有 2 项需要修改。")
        .says("id=\"email-error\">邮箱地址中应有一个 @，例如 ada@example.com。</p>")
        .says("id=\"first_name-error\">请输入姓名。</p>")
        .says("value=\"Lovelace\"")
        .keeps_quiet_about("another look");
    let weak = sign_up_form("ada@example.com");
    let weak = with_field(&weak, "password", "Lovelace1815");
    post(&app.visitor(), "/signup", &weak, CHINESE).await.is(422).says("太容易被猜到：它由您的姓名或邮箱地址组成。");

    app.visitor().signs_up("ada@example.com").await.is(303);
    let taken = sign_up_form("ada@example.com");
    let taken = with_field(&taken, "title", "");
    post(&app.visitor(), "/signup", &taken, CHINESE).await.is(422).says("该邮箱已注册过账户，请直接登录。");
    let wrong = [("email", "ada@example.com"), ("password", "wrong")];
    post(&app.visitor(), "/login", &wrong, CHINESE).await.is(422).says("邮箱或密码错误");
}

async fn errors_speak_the_language_of_the_reader_and_programs_get_english(app: App) {
    let (visitor, ada) = (app.visitor(), app.member_after_trial().await);
    ask(&visitor, "/nowhere", CHINESE).await.is(404).says(IN_CHINESE).says("找不到此页面").says("错误 404");
    let page = ask(&visitor, "/logout", CHINESE).await.is(405);
    assert!(page.header("vary").unwrap_or_default().contains("accept-language"));
    ask(&ada, "/premium", CHINESE).await.is(403).says(IN_ENGLISH).says("Your trial has ended");
    let json = |who: Visitor, path: &'static str| async move {
        let asks = |request: reqwest::RequestBuilder| request.header(ACCEPT_LANGUAGE, CHINESE).header(ACCEPT, JSON);
        who.send(Method::GET, path, asks).await.json()["message"].as_str().unwrap().to_owned()
    };
    for message in [json(app.visitor(), "/nowhere").await, json(app.visitor(), "/premium").await] {
        assert!(message.is_ascii(), "{message}");
    }
    let wrong = [("email", "eve@example.com"), ("password", "wrong")];
    let mut answer = post(&visitor, "/login", &wrong, CHINESE).await;
    for _ in 0..50 {
        if answer.status == 422 {
            answer = post(&visitor, "/login", &wrong, CHINESE).await;
        }
    }
    answer.is(429).says(IN_CHINESE).says("尝试次数过多").keeps_quiet_about("Too many");
    app.database.go_away();
    ask(&ada, "/account", CHINESE).await.is(503).says(IN_CHINESE).says("我们依赖的某项服务暂时没有响应");
}

async fn an_account_speaks_its_own_language_whatever_the_browser_says(app: App) {
    let ada = app.member().await;
    for path in ["/", "/account", "/plans", "/premium", "/premium/how-access-is-decided", "/checkout/return"] {
        ask(&ada, path, CHINESE).await.is(200).says(IN_ENGLISH).says("Log out").keeps_quiet_about("退出登录");
    }
    ask(&ada, "/nowhere", CHINESE).await.is(404).says(IN_ENGLISH).says("There is no such page");

    let wang = signs_up_in_chinese(&app, "wang@example.com").await;
    for path in ["/", "/account", "/plans", "/premium", "/premium/how-access-is-decided", "/checkout/return"] {
        ask(&wang, path, "en").await.is(200).says(IN_CHINESE).says("退出登录").keeps_quiet_about("Log out");
    }
    ask(&wang, "/nowhere", "en").await.is(404).says(IN_CHINESE).says("找不到此页面");
    wang.get("/plans").await.says("<strong>€9.00</strong> / 月").says("2027年2月28日 11:15（CET）");
}

async fn an_account_that_was_made_in_chinese_is_written_to_in_chinese(app: App) {
    let wang = signs_up_in_chinese(&app, "wang@example.com").await;
    let me = wang.get_json("/api/v1/me").await.is(200).json();
    assert_eq!(me["user"]["language"], "zh-Hans");
    wang.get("/account?welcome").await.says("欢迎，您的账户已就绪").says("试用中").says("到期时间：");

    app.move_to(me["subscription"]["current_period_end"].as_str().unwrap().parse().unwrap());
    wang.post("/login", &[("email", "wang@example.com"), ("password", PASSWORD)]).await.is(303);
    wang.get("/premium").await.is(403).says(IN_CHINESE).says("您的试用已结束");
    let session = wang.post("/checkout", &[("plan", "monthly")]).await.is(303).location().unwrap();
    let session = session.rsplit('/').next().unwrap().split(['?', '#']).next().unwrap().to_owned();
    app.sandbox(Method::POST, &format!("/_sandbox/checkout/{session}"), json!({ "outcome": "paid" })).await;
    app.deliveries_done().await;
    let customer = app.database.text("SELECT stripe_customer_id FROM users").unwrap();
    let card = format!("/_sandbox/customers/{customer}/card");
    app.sandbox(Method::POST, &card, json!({ "card": "declines" })).await;
    app.advance_stripe(TimeDelta::days(31)).await;

    let failed = app.outbox().await.pop().expect("a mail");
    assert_eq!(failed.subject, "您的付款未成功");
    assert!(failed.head.is_ascii() && failed.head.to_lowercase().contains("subject: =?utf-8?"), "{}", failed.head);
    for words in ["您好：", "您为“Monthly”支付的 €9.00 未成功。", "会员内容", "检查银行卡：http"]
    {
        assert!(failed.text.contains(words), "{words}: {}", failed.text);
    }
    assert!(failed.html.contains(IN_CHINESE) && failed.html.contains("检查银行卡</a>"), "{}", failed.html);
}

async fn signs_up_in_chinese(app: &App, address: &str) -> Visitor {
    let visitor = app.visitor();
    let form = sign_up_form(address);
    let form = with_field(&form, "first_name", "小明");
    post(&visitor, "/signup", &form, CHINESE).await.is(303);
    visitor
}

async fn ask(who: &Visitor, path: &str, languages: &str) -> Answer {
    who.send(Method::GET, path, |request| request.header(ACCEPT_LANGUAGE, languages)).await
}

async fn post(who: &Visitor, path: &str, form: &[(&str, &str)], languages: &str) -> Answer {
    who.send(Method::POST, path, |request| request.header(ACCEPT_LANGUAGE, languages).form(form)).await
}

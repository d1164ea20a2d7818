//! What asks for the password and a code: new recovery codes, and turning the second factor off.

use actix_web::{HttpRequest, HttpResponse, web};

use super::{
    HERE, RecoveryCodes, new_codes,
    proof::{Presented, passed, presented, refused},
    refuse, wrong_password,
};
use crate::{
    auth::{guard::Enrolling, token::random_id},
    domain::notice::Notice,
    error::Error,
    pages::{
        form::FieldErrors,
        own_password::is_own_password,
        posted::Posted,
        site::{Site, page, see_other, words},
    },
    store::{mails, second_factors, sessions::SignedIn, tokens, tokens::Purpose},
};

/// Puts ten new recovery codes in the place of those that are left.
///
/// # Errors
/// Too many failures, or the template or the database failed; the old codes are good then.
pub async fn renew(
    site: web::Data<Site>,
    request: HttpRequest,
    Enrolling(person): Enrolling,
    posted: Posted,
) -> Result<HttpResponse, Error> {
    if person.user.second_factor_at.is_none() {
        return Ok(see_other(HERE));
    }
    let Presented { proof, attempt } = match present(&site, &request, &person, &posted).await? {
        Ok(presented) => presented,
        Err(errors) => return refuse(&site, &request, &person, errors).await,
    };
    let (user_id, (codes, hashes)) = (person.user.id, new_codes(site.entropy));
    let (now, cause) = (site.clock.now(), random_id("recovery_codes_new", site.entropy));
    let renewed = site.store.write(move |conn| {
        let good = proof.redeem(conn, user_id)?;
        if good {
            second_factors::replace_codes(conn, user_id, &hashes)?;
            mails::queue(conn, user_id, &cause, &Notice::RecoveryCodesNew, now)?;
        }
        Ok(good)
    });
    if !renewed.await? {
        let errors = refused(&request, Some(&person), &posted);
        return refuse(&site, &request, &person, errors).await;
    }
    passed(&site, user_id, attempt);
    tracing::info!(user = %person.user.public_id, "made new recovery codes");
    page(&RecoveryCodes { frame: site.frame(&request, Some(&person)), codes, first: false })
}

/// Turns the second factor off.
///
/// # Errors
/// Too many failures, or the template or the database failed; it stays on then.
pub async fn turn_off(
    site: web::Data<Site>,
    request: HttpRequest,
    Enrolling(person): Enrolling,
    posted: Posted,
) -> Result<HttpResponse, Error> {
    if person.user.second_factor_at.is_none() {
        return Ok(see_other(HERE));
    }
    let Presented { proof, attempt } = match present(&site, &request, &person, &posted).await? {
        Ok(presented) => presented,
        Err(errors) => return refuse(&site, &request, &person, errors).await,
    };
    let (user_id, now, cause) = (person.user.id, site.clock.now(), random_id("second_factor_off", site.entropy));
    let turned_off = site.store.write(move |conn| {
        let good = proof.redeem(conn, user_id)? && second_factors::turn_off(conn, user_id, now)?;
        if good {
            tokens::revoke(conn, user_id, Purpose::SecondFactor)?;
            mails::queue(conn, user_id, &cause, &Notice::SecondFactorOff, now)?;
        }
        Ok(good)
    });
    if !turned_off.await? {
        let errors = refused(&request, Some(&person), &posted);
        return refuse(&site, &request, &person, errors).await;
    }
    passed(&site, user_id, attempt);
    tracing::info!(user = %person.user.public_id, "turned the second factor off");
    Ok(see_other("/account?second-factor-off"))
}

/// The password first: without it no code is looked at.
async fn present(
    site: &Site,
    request: &HttpRequest,
    person: &SignedIn,
    posted: &Posted,
) -> Result<Result<Presented, FieldErrors>, Error> {
    if !is_own_password(site, request, &person.user, posted.raw("password")).await? {
        let mut errors = wrong_password(request, person);
        if posted.raw("code").is_empty() && posted.raw("recovery_code").is_empty() {
            errors.add("code", words(request, Some(person)).say("security-code-missing"));
        }
        return Ok(Err(errors));
    }
    let presented = presented(site, request, person.user.id, posted).await?;
    Ok(presented.ok_or_else(|| refused(request, Some(person), posted)))
}

//! What the drivers in Rust share: a line for each check, and the way to the scripted person.

use std::error::Error;
use url::Url;

pub type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// What the runner says under this name.
pub fn told(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// Prints whether it could be done; what fails does not end the driver.
pub fn check<T>(what: &str, outcome: Outcome<T>) -> Option<T> {
    match outcome {
        Ok(value) => {
            println!("ok - {what}");
            Some(value)
        }
        Err(error) => {
            let why = format!("{error} {error:?}");
            println!("not ok - {what}: {}", why.split_whitespace().collect::<Vec<_>>().join(" "));
            None
        }
    }
}

pub fn equal(found: &str, expected: &str, of: &str) -> Outcome {
    if found == expected {
        return Ok(());
    }
    Err(format!("{of} is {found:?} instead of {expected:?}").into())
}

/// A client as the documentation of both libraries has it: it follows no redirects.
pub fn http() -> reqwest::blocking::Client {
    let builder = reqwest::blocking::ClientBuilder::new();
    builder.redirect(reqwest::redirect::Policy::none()).build().expect("an HTTP client")
}

/// The callback to which the service sends the browser after a person signed in at this authorization request.
pub fn sign_in(address: &Url) -> Outcome<Url> {
    let ask = Url::parse_with_params(&format!("{}/sign-in", told("BROWSER_URL")), [("url", address.as_str())])?;
    let answer = reqwest::blocking::get(ask)?;
    let good = answer.status().is_success();
    let body = answer.text()?;
    if good {
        Ok(Url::parse(&body)?)
    } else {
        Err(body.into())
    }
}

/// A parameter of a callback.
pub fn parameter(address: &Url, name: &str) -> String {
    let found = address.query_pairs().find(|(key, _)| key == name);
    found.map(|(_, value)| value.into_owned()).unwrap_or_default()
}

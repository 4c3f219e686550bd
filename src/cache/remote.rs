//! The cache for entries that the folder lacks: files on an HTTP server, named by the hashes of their keys.
//!
//! An answer of the server is used only if it is the entry of the key. After the first failure, the server is not asked
//! again in this run, so an unreachable server costs its time limit once for each thread.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, Error, RequestBuilder};

use super::entry;
use super::key::Key;

/// A server, and its first failure.
#[derive(Debug)]
pub struct Remote {
    agent: Agent,
    /// The prefix of all addresses.
    url: String,
    /// The value of the header `Authorization`.
    authorization: Option<String>,
    /// Whether entries are only read.
    read_only: bool,
    is_away: AtomicBool,
    trouble: Mutex<Option<String>>,
}

impl Remote {
    /// A server whose entries begin with `url`. `limit` is the longest time of a request. `roots` is a file with root
    /// certificates, which replace Mozilla's.
    pub fn new(url: String, token: Option<String>, read_only: bool, limit: Duration, roots: Option<&Path>) -> Self {
        let mut config = Agent::config_builder().timeout_global(Some(limit)).http_status_as_error(false);
        let mut trouble = None;
        // Another program's variable must not disturb a server that has no certificate.
        match roots.filter(|_| url.starts_with("https")).map(root_certificates) {
            Some(Ok(roots)) => config = config.tls_config(TlsConfig::builder().root_certs(roots).build()),
            Some(Err(reason)) => trouble = Some(reason),
            None => {}
        }
        Self {
            agent: config.build().into(),
            url: url.trim_end_matches('/').to_owned(),
            authorization: token.map(|token| format!("Bearer {token}")),
            read_only,
            is_away: AtomicBool::new(trouble.is_some()),
            trouble: Mutex::new(trouble),
        }
    }

    /// The file of the entry for a key; none if there is none, or if the server cannot be used.
    pub(super) fn get(&self, key: &Key) -> Option<Vec<u8>> {
        if self.is_away.load(Ordering::Relaxed) {
            return None;
        }
        self.try_get(key).unwrap_or_else(|reason| {
            self.has_trouble(format!("cannot get an entry: {reason}"));
            None
        })
    }

    fn try_get(&self, key: &Key) -> Result<Option<Vec<u8>>, String> {
        let address = self.address(&key.hash().to_hex());
        let mut response = self.with_token(self.agent.get(address)).call().map_err(in_words)?;
        match response.status().as_u16() {
            // An answer may be endless.
            200 => match entry::read_file(key, &mut response.body_mut().as_reader()) {
                Ok(Some(file)) => Ok(Some(file)),
                Ok(None) => Err(NOT_THE_ENTRY.to_owned()),
                Err(error) => Err(in_words(error.into())),
            },
            404 => Ok(None),
            status => Err(format!("the server answers with status {status}")),
        }
    }

    /// Stores a file.
    pub(super) fn put(&self, name: &str, file: &[u8]) {
        if self.read_only || self.is_away.load(Ordering::Relaxed) {
            return;
        }
        let answer = self.with_token(self.agent.put(self.address(name))).send(file).map_err(in_words);
        let stored = answer.and_then(|answer| match answer.status() {
            status if status.is_success() => Ok(()),
            status => Err(format!("the server answers with status {}", status.as_u16())),
        });
        if let Err(reason) = stored {
            self.has_trouble(format!("cannot put an entry: {reason}"));
        }
    }

    /// Says that the server cannot be used, and why. Of several reasons the first in the order of texts is kept.
    pub(super) fn has_trouble(&self, reason: String) {
        self.is_away.store(true, Ordering::Relaxed);
        if let Ok(mut trouble) = self.trouble.lock() {
            let first = trouble.take().map_or(reason.clone(), |other| other.min(reason));
            *trouble = Some(first);
        }
    }

    /// Why the server could not be used.
    pub(super) fn take_trouble(&self) -> Option<String> {
        self.trouble.lock().ok()?.take()
    }

    fn address(&self, name: &str) -> String {
        format!("{}/{name}", self.url)
    }

    fn with_token<B>(&self, request: RequestBuilder<B>) -> RequestBuilder<B> {
        match &self.authorization {
            Some(value) => request.header("Authorization", value),
            None => request,
        }
    }
}

/// Why an answer is not used.
pub(super) const NOT_THE_ENTRY: &str = "the server's answer is not the entry of its key";

/// The certificates in a PEM file, which may also contain other things.
fn root_certificates(file: &Path) -> Result<RootCerts, String> {
    let text = std::fs::read(file).map_err(|error| format!("cannot read `{}`: {error}", file.display()))?;
    let items = parse_pem(&text).collect::<Result<Vec<_>, _>>();
    let items = items.map_err(|error| format!("`{}` is not a PEM file: {}", file.display(), in_words(error)))?;
    let certificates = items.into_iter().filter_map(|item| match item {
        PemItem::Certificate(certificate) => Some(certificate),
        _ => None,
    });
    let certificates: Vec<_> = certificates.collect();
    if certificates.is_empty() {
        return Err(format!("there is no certificate in `{}`", file.display()));
    }
    Ok(certificates.into())
}

/// The reason on one line. It does not contain the address, in which there may be a password.
fn in_words(error: Error) -> String {
    match error {
        Error::Timeout(_) => "the server takes longer than the time limit".to_owned(),
        Error::BadUri(_) => "the address is not one of a server".to_owned(),
        other => other.to_string().split_whitespace().collect::<Vec<_>>().join(" "),
    }
}

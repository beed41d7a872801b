//! Who may ask: pages of other sites in a reader's browser reach this machine too, by its own name or by one that leads to it
//! (DNS rebinding). `Host` and `Origin` are compared whole, as a URL library writes them: what is only written like one that
//! is allowed is refused.

use anyhow::{Result, bail};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use std::net::IpAddr;
use std::sync::Arc;
use url::Url;

/// Hosts by which this machine is called, and origins of pages that may ask.
#[derive(Clone, Debug)]
pub(super) struct Callers(Arc<Allowed>);

#[derive(Debug)]
struct Allowed {
    hosts: Vec<Host>,
    /// As they are serialized.
    origins: Vec<String>,
}

/// A host; with a port, that port alone.
#[derive(Debug, PartialEq, Eq)]
struct Host {
    name: String,
    port: Option<u16>,
}

/// What calls this machine by itself.
const OWN: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

impl Callers {
    /// This machine, `address` if it is one of its own, and what is allowed besides.
    pub(super) fn new(address: IpAddr, hosts: &[String], origins: &[String]) -> Result<Self> {
        let mut allowed = Allowed { hosts: OWN.into_iter().filter_map(host).collect(), origins: Vec::new() };
        if !address.is_unspecified() {
            let name = if address.is_ipv6() { format!("[{address}]") } else { address.to_string() };
            allowed.hosts.extend(host(&name));
        }
        for name in hosts {
            let Some(host) = host(name) else { bail!("{name:?} is not a host: write it as in docs.example.org") };
            allowed.hosts.push(host);
        }
        for origin in origins {
            let Some(origin) = origin_of(origin) else {
                bail!("{origin:?} is not an origin: write it as in https://docs.example.org, without a path");
            };
            allowed.origins.push(origin);
        }
        Ok(Self(Arc::new(allowed)))
    }

    /// Why a request is refused, if it is.
    fn refusal(&self, request: &Request) -> Option<&'static str> {
        // A proxy takes what is in front of the path for the host.
        if request.uri().authority().is_some() {
            return Some("the target is a path, not an address");
        }
        let host = only(request.headers(), header::HOST).ok().flatten().and_then(host);
        let Some(host) = host else { return Some("one Host header is needed") };
        let is_allowed =
            |allowed: &Host| allowed.name == host.name && allowed.port.is_none_or(|port| host.port == Some(port));
        if !self.0.hosts.iter().any(is_allowed) {
            return Some("this host is not allowed: --allow-host");
        }
        match only(request.headers(), header::ORIGIN) {
            // Programs send none.
            Ok(None) => None,
            Ok(Some(origin)) if self.allows(origin) => None,
            Ok(Some(_)) => Some("this origin is not allowed: --allow-origin"),
            Err(()) => Some("one Origin header is enough"),
        }
    }

    fn allows(&self, origin: &str) -> bool {
        let Some(origin) = origin_of(origin) else { return false };
        // Any port of this machine.
        let is_own =
            origin.strip_prefix("http://").and_then(host).is_some_and(|host| OWN.contains(&host.name.as_str()));
        is_own || self.0.origins.contains(&origin)
    }
}

/// Refuses whom `callers` does not allow.
pub(super) async fn allowed_callers(State(callers): State<Callers>, request: Request, next: Next) -> Response {
    match callers.refusal(&request) {
        None => next.run(request).await,
        Some(why) => (StatusCode::FORBIDDEN, format!("{why}\n")).into_response(),
    }
}

/// The one value of a header, if it is there; an error if it is there twice or is no text.
fn only(headers: &HeaderMap, name: header::HeaderName) -> Result<Option<&str>, ()> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(());
    }
    value.to_str().map(Some).map_err(|_| ())
}

/// `text` as a host, if it is only that: no user name, no path, no invalid port.
fn host(text: &str) -> Option<Host> {
    let url = Url::parse(&format!("http://{text}/")).ok()?;
    let name = url.host_str()?.to_owned();
    // The library leaves out the usual port.
    let port = url.port().or_else(|| text.ends_with(":80").then_some(80));
    let whole = port.map_or_else(|| name.clone(), |port| format!("{name}:{port}"));
    (whole == text.to_ascii_lowercase()).then_some(Host { name, port })
}

/// `text` as an origin, if it is only that, as it is serialized (RFC 6454, 6.2).
fn origin_of(text: &str) -> Option<String> {
    let origin = Url::parse(text).ok()?.origin();
    let serialized = origin.ascii_serialization();
    (origin.is_tuple() && serialized == text.to_ascii_lowercase()).then_some(serialized)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use proptest::prelude::*;

    fn callers() -> Callers {
        let allowed = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let hosts = allowed(&["docs.example.org", "mcp.example.org:8443"]);
        Callers::new([10, 0, 0, 1].into(), &hosts, &allowed(&["https://app.example.org"])).unwrap()
    }

    fn refusal(headers: &[(&str, &str)]) -> Option<&'static str> {
        let mut request = Request::builder().uri("/mcp");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        callers().refusal(&request.body(Body::empty()).unwrap())
    }

    #[test]
    fn hosts_are_compared_whole() {
        for host in ["localhost", "LOCALHOST:5173", "127.0.0.1:80", "[::1]:1", "10.0.0.1", "docs.example.org:443"] {
            assert_eq!(refusal(&[("Host", host)]), None, "{host}");
        }
        assert_eq!(refusal(&[("Host", "mcp.example.org:8443")]), None);
        for host in [
            "evil.example",
            "evil.example@localhost",
            "localhost@evil.example",
            "localhost:1.evil.example",
            "localhost:",
            "localhost:abc",
            "localhost:99999",
            "localhost/x",
            "localhost#x",
            "localhost?x",
            "localhost\\x",
            "localhost.",
            "127.1",
            "0x7f.0.0.1",
            "::1",
            "",
            "mcp.example.org",
            "mcp.example.org:443",
            "localhost, evil.example",
        ] {
            assert!(refusal(&[("Host", host)]).is_some(), "{host}");
        }
        assert!(refusal(&[]).is_some());
        assert!(refusal(&[("Host", "localhost"), ("Host", "localhost")]).is_some());
    }

    #[test]
    fn origins_are_compared_whole() {
        let with = |origin: &str| refusal(&[("Host", "localhost"), ("Origin", origin)]);
        for origin in [
            "http://localhost",
            "http://localhost:3000",
            "http://127.0.0.1:1",
            "http://[::1]:3000",
            "https://app.example.org",
        ] {
            assert_eq!(with(origin), None, "{origin}");
        }
        for origin in [
            "null",
            "",
            "https://localhost",
            "http://localhost:1/evil",
            "http://127.0.0.1:1.evil.example",
            "http://localhost:3000#evil",
            "http://localhost:abc",
            "http://localhost/",
            "http://evil.example@localhost",
            "http://localhost.evil.example",
            "https://app.example.org:444",
            "http://app.example.org",
            "file://localhost",
        ] {
            assert!(with(origin).is_some(), "{origin}");
        }
        assert!(
            refusal(&[("Host", "localhost"), ("Origin", "http://localhost"), ("Origin", "http://localhost")]).is_some()
        );
    }

    #[test]
    fn an_address_in_place_of_a_path_is_refused() {
        let request = Request::builder().uri("http://evil.example/mcp").header("Host", "localhost");
        assert!(callers().refusal(&request.body(Body::empty()).unwrap()).is_some());
    }

    #[test]
    fn what_cannot_be_allowed_is_named() {
        let refused = |hosts: &[&str], origins: &[&str]| {
            let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
            Callers::new([127, 0, 0, 1].into(), &owned(hosts), &owned(origins)).unwrap_err().to_string()
        };
        assert!(refused(&["https://docs.example.org"], &[]).contains("is not a host"));
        assert!(refused(&[], &["docs.example.org"]).contains("is not an origin"));
        assert!(refused(&[], &["https://docs.example.org/search"]).contains("without a path"));
    }

    proptest! {
        #[test]
        fn what_is_around_an_allowed_host_is_refused(around in "[a-z0-9.@:/#?\\\\-]{1,8}", before: bool) {
            let host = if before { format!("{around}docs.example.org") } else { format!("docs.example.org{around}") };
            let is_port = !before && around.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok_and(|number| number.to_string() == port));
            prop_assert_eq!(refusal(&[("Host", &host)]).is_none(), is_port);
        }
    }
}

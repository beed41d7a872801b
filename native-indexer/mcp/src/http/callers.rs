//! Decides which requests are allowed. Third-party pages in a user's browser can also reach this machine, by its own
//! name or by a name that resolves to it (DNS rebinding). `Host` and `Origin` are compared as a whole, as a URL library
//! writes them. A value that merely resembles an allowed value is refused.

use anyhow::{Result, bail};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use std::net::IpAddr;
use std::sync::Arc;
use url::Url;

/// The names that clients may use for this machine, and the origins of pages that may send requests.
#[derive(Clone, Debug)]
pub(super) struct Callers(Arc<Allowed>);

#[derive(Debug)]
struct Allowed {
    hosts: Vec<Host>,
    /// The origins in serialized form.
    origins: Vec<String>,
}

/// A host. If it has a port, only that port is allowed.
#[derive(Debug, PartialEq, Eq)]
struct Host {
    name: String,
    port: Option<u16>,
}

/// The names that this machine has for itself.
const OWN: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

impl Callers {
    /// Allows this machine's own names, `address` if it is a specific one, and the given `hosts` and `origins`. Fails
    /// if one of them is not valid.
    pub(super) fn new(address: IpAddr, hosts: &[String], origins: &[String]) -> Result<Self> {
        let mut allowed = Allowed { hosts: OWN.into_iter().filter_map(host).collect(), origins: Vec::new() };
        if !address.is_unspecified() {
            let name = if address.is_ipv6() { format!("[{address}]") } else { address.to_string() };
            allowed.hosts.extend(host(&name));
        }
        for name in hosts {
            let Some(host) = host(name) else {
                bail!("{name:?} is not a host name: use a name such as docs.example.org")
            };
            allowed.hosts.push(host);
        }
        for origin in origins {
            let Some(origin) = origin_of(origin) else {
                bail!("{origin:?} is not an origin: use an origin such as https://docs.example.org, without a path");
            };
            allowed.origins.push(origin);
        }
        Ok(Self(Arc::new(allowed)))
    }

    /// Returns the reason why a request is refused, or `None` if it is allowed.
    fn refusal(&self, request: &Request) -> Option<&'static str> {
        // A proxy gets the host from an absolute address, and not from the header.
        if request.uri().authority().is_some() {
            return Some("the request target must be a path, not an address");
        }
        let host = only(request.headers(), header::HOST).ok().flatten().and_then(host);
        let Some(host) = host else { return Some("exactly one Host header is required") };
        let is_allowed =
            |allowed: &Host| allowed.name == host.name && allowed.port.is_none_or(|port| host.port == Some(port));
        if !self.0.hosts.iter().any(is_allowed) {
            return Some("this host is not allowed: see --allow-host");
        }
        match only(request.headers(), header::ORIGIN) {
            // Only browsers send an origin.
            Ok(None) => None,
            Ok(Some(origin)) if self.allows(origin) => None,
            Ok(Some(_)) => Some("this origin is not allowed: see --allow-origin"),
            Err(()) => Some("only one Origin header is allowed"),
        }
    }

    fn allows(&self, origin: &str) -> bool {
        let Some(origin) = origin_of(origin) else { return false };
        // Pages on this machine are allowed at any port.
        let is_own =
            origin.strip_prefix("http://").and_then(host).is_some_and(|host| OWN.contains(&host.name.as_str()));
        is_own || self.0.origins.contains(&origin)
    }
}

/// Refuses requests that `callers` does not allow.
pub(super) async fn allowed_callers(State(callers): State<Callers>, request: Request, next: Next) -> Response {
    match callers.refusal(&request) {
        None => next.run(request).await,
        Some(why) => (StatusCode::FORBIDDEN, format!("{why}\n")).into_response(),
    }
}

/// Returns the only value of a header, or `None` if there is no such header. Fails if there are several, or if the
/// value is not text.
fn only(headers: &HeaderMap, name: header::HeaderName) -> Result<Option<&str>, ()> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(());
    }
    value.to_str().map(Some).map_err(|_| ())
}

/// Parses `text` as a host without user name and path. A port must be valid.
fn host(text: &str) -> Option<Host> {
    let url = Url::parse(&format!("http://{text}/")).ok()?;
    let name = url.host_str()?.to_owned();
    // The library drops the default port.
    let port = url.port().or_else(|| text.ends_with(":80").then_some(80));
    let whole = port.map_or_else(|| name.clone(), |port| format!("{name}:{port}"));
    (whole == text.to_ascii_lowercase()).then_some(Host { name, port })
}

/// Parses `text` as an origin and nothing more, and returns it in serialized form (RFC 6454, section 6.2).
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

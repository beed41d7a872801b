//! Restricts the addresses that a publisher may send this machine to: public ones, and its own host. Addresses that
//! only this machine and its network can reach are refused, because a redirect, a name, or a changed address of the
//! publisher's own host could lead to them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::OnceLock;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

/// Resolves names for the publisher at `own_host`, whose address may be private if it was private from the beginning. Without
/// an own host, all addresses must be public.
#[derive(Debug)]
pub(crate) struct PublicAddresses<R = DefaultResolver> {
    own_host: Option<String>,
    own_was_public: OnceLock<bool>,
    names: R,
}

impl PublicAddresses {
    pub(crate) fn new(own_host: Option<String>) -> Self {
        Self { own_host, own_was_public: OnceLock::new(), names: DefaultResolver::default() }
    }
}

impl<R: Resolver> Resolver for PublicAddresses<R> {
    fn resolve(&self, uri: &Uri, config: &Config, timeout: NextTimeout) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.names.resolve(uri, config, timeout)?;
        let hosts = uri.host().zip(self.own_host.as_deref());
        let is_own = hosts.is_some_and(|(host, own)| host.eq_ignore_ascii_case(own));
        // The user has named the proxy, which often has a private address. The proxy itself decides where to connect.
        let is_proxy = config.proxy().is_some_and(|proxy| uri.host() == Some(proxy.host()));
        let is_public = found.iter().all(|address| is_public(address.ip()));
        let may_be_private = is_proxy || (is_own && !self.own_was_public.get_or_init(|| is_public));
        if !is_public && !may_be_private {
            let said =
                format!("the publisher leads to {}, which is not a public address", uri.host().unwrap_or_default());
            return Err(ureq::Error::Other(said.into()));
        }
        Ok(found)
    }
}

/// Whether an address is public on the internet.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match address.to_ipv4_mapped() {
            Some(address) => is_public_v4(address),
            None => is_public_v6(address),
        },
    }
}

const fn is_public_v4(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    let is_shared = first == 100 && second & 0xc0 == 64;
    !(first == 0
        || is_shared
        || first >= 240
        || address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast())
}

const fn is_public_v6(address: Ipv6Addr) -> bool {
    // Global unicast addresses are one eighth of all addresses.
    address.segments()[0] & 0xe000 == 0x2000
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::SocketAddr;
    use std::sync::Mutex;

    /// Returns each address once, for any name.
    #[derive(Debug)]
    struct InTurn(Mutex<Vec<&'static str>>);

    impl Resolver for InTurn {
        fn resolve(&self, _: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, ureq::Error> {
            let mut found = self.empty();
            found.push(SocketAddr::new(self.0.lock().unwrap().remove(0).parse().unwrap(), 443));
            Ok(found)
        }
    }

    /// Returns whether each of `asked`, which are names with their addresses at that time, is allowed.
    fn allowed(config: &Config, asked: &[(&str, &'static str)]) -> Vec<bool> {
        let names = InTurn(Mutex::new(asked.iter().map(|(_, address)| *address).collect()));
        let own_host = Some("docs.example".to_owned());
        let addresses = PublicAddresses { own_host, own_was_public: OnceLock::new(), names };
        let ask = |host: &str| {
            addresses.resolve(&format!("https://{host}/").parse().unwrap(), config, NextTimeout::default()).is_ok()
        };
        asked.iter().map(|(host, _)| ask(host)).collect()
    }

    #[test]
    fn a_public_publisher_does_not_become_a_neighbor() {
        let direct = Config::default();
        let rebound =
            [("docs.example", "93.184.216.34"), ("docs.example", "127.0.0.1"), ("docs.example", "93.184.216.34")];
        assert_eq!(allowed(&direct, &rebound), [true, false, true]);
        // A company's host may be private if it was private from the beginning, but must not lead to another private
        // host.
        let private = [("docs.example", "10.0.0.7"), ("docs.example", "10.0.0.8"), ("wiki.example", "10.0.0.9")];
        assert_eq!(allowed(&direct, &private), [true, true, false]);
    }

    #[test]
    fn a_proxy_may_be_a_neighbor() {
        let proxy = ureq::Proxy::new("http://proxy.example:3128").unwrap();
        let config = Config::builder().proxy(Some(proxy)).build();
        assert_eq!(allowed(&config, &[("proxy.example", "10.0.0.1"), ("other.example", "10.0.0.1")]), [true, false]);
    }

    #[test]
    fn what_only_neighbors_reach_is_not_public() {
        for address in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "224.0.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "fe80::1",
            "fd00::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "64:ff9b::1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
        for address in ["93.184.216.34", "100.128.0.1", "172.32.0.1", "2606:2800:220:1::1", "::ffff:8.8.8.8"] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
    }
}

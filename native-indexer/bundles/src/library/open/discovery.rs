//! Finds a site's bundle from the site's address: at that address, in the site's description of its bundle, or in the
//! search box of its page.

use crate::library::open::meter::Meter;
use crate::library::open::web_server::WebServer;
use anyhow::{Context as _, Result, bail, ensure};
use nearfind_core::format::manifest::MANIFEST_FILE;
use scraper::{Html, Selector};
use serde::Deserialize;
use std::sync::Arc;
use url::Url;

/// The file where a site names its bundle, below the site's address or at the top of its host.
pub const WELL_KNOWN: &str = ".well-known/nearfind.json";
/// The path of the search box's script below the bundle.
const BOX: &str = "/box/box.js";
const MOST_SAID_BYTES: u64 = 64 << 10;
const MOST_PAGE_BYTES: u64 = 4 << 20;

/// A site's description of its bundle.
#[derive(Deserialize)]
struct Said {
    /// The bundle's address, relative to the file's address.
    bundle: String,
}

/// Returns the address of the bundle that the site at `site` uses, with a trailing slash. An error lists what was
/// tried.
pub fn discover(site: &Url) -> Result<Url> {
    ensure!(matches!(site.scheme(), "http" | "https"), "{site}: use an address that begins with http:// or https://");
    let folder = site.join(".")?;
    let mut tried = Vec::new();
    let mut ways: Vec<(Url, Way)> = vec![(folder.join(MANIFEST_FILE)?, manifest), (folder.join(WELL_KNOWN)?, said)];
    let top = site.join("/")?.join(WELL_KNOWN)?;
    if ways.iter().all(|(url, _)| *url != top) {
        ways.push((top, said));
    }
    ways.push((site.clone(), page));
    for (url, way) in ways {
        let server = WebServer::new(url.clone(), Arc::<Meter>::default())?;
        match way(&server, &url).and_then(|bundle| checked(site, bundle)) {
            Ok(bundle) => return Ok(bundle),
            Err(error) => tried.push(format!("  {url}: {error:#}")),
        }
    }
    bail!(
        "{site} names no index. Pass the address of the folder that contains {MANIFEST_FILE} with --bundle URL. nearfind tried:\n{}",
        tried.join("\n")
    )
}

/// A function that looks at an address for the address of a bundle.
type Way = fn(&WebServer, &Url) -> Result<Url>;

/// Expects a bundle at the address itself.
fn manifest(server: &WebServer, url: &Url) -> Result<Url> {
    server.manifest(None)?;
    Ok(url.join(".")?)
}

fn said(server: &WebServer, url: &Url) -> Result<Url> {
    let (bytes, url) = server.whole(url, MOST_SAID_BYTES)?;
    let Said { bundle } =
        serde_json::from_slice(&bytes).context("it does not have the form {\"bundle\": \"/nearfind/\"}")?;
    folder_of(&url, &bundle)
}

fn page(server: &WebServer, url: &Url) -> Result<Url> {
    let (bytes, url) = server.whole(url, MOST_PAGE_BYTES)?;
    let named = named_in(&String::from_utf8_lossy(&bytes));
    folder_of(&url, &named.context("the page has no <nearfind-search> with an index, and no script of the search box")?)
}

/// Returns the address that a page names: the first bundle of its search box, or else the folder above the search box's
/// script.
fn named_in(page: &str) -> Option<String> {
    let page = Html::parse_document(page);
    let all = |selector: &str, attribute: &str| -> Vec<String> {
        let selector = Selector::parse(selector).ok();
        let found = selector.iter().flat_map(|selector| page.select(selector)).filter_map(|it| it.attr(attribute));
        found.map(str::to_owned).collect()
    };
    let bundles = all("nearfind-search[bundle], nearfind-ask[bundle]", "bundle");
    let of_element = bundles.iter().find_map(|bundles| bundles.split_whitespace().next().map(str::to_owned));
    of_element.or_else(|| {
        let scripts = all("script[src]", "src");
        scripts.iter().find_map(|script| {
            let path = script.split(['?', '#']).next()?;
            Some(format!("{}/", path.strip_suffix(BOX)?))
        })
    })
}

fn folder_of(url: &Url, named: &str) -> Result<Url> {
    let mut bundle = url.join(named.trim()).with_context(|| format!("{named:?} is not a valid address"))?;
    bundle.set_query(None);
    bundle.set_fragment(None);
    let path = bundle.path().strip_suffix(MANIFEST_FILE).unwrap_or(bundle.path()).trim_end_matches('/').to_owned();
    bundle.set_path(&format!("{path}/"));
    Ok(bundle)
}

/// Returns the address if it has a bundle that the site may lead to. The bundle must be on the site's own host, or on
/// another host with a public address. It must be served over https, except on the own host of a site that is itself
/// served over http.
fn checked(site: &Url, bundle: Url) -> Result<Url> {
    let is_own = bundle.host() == site.host();
    let is_as_site = is_own && bundle.scheme() == site.scheme();
    ensure!(
        is_as_site || bundle.scheme() == "https",
        "{bundle} is not an https address: only a site served over http may name such an index, and only on its own host"
    );
    let server = if is_own { WebServer::new } else { WebServer::named_by_another };
    server(bundle.clone(), Arc::<Meter>::default())?.manifest(None)?;
    Ok(bundle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::net::TcpListener;

    fn found(page: &str) -> Option<String> {
        let named = named_in(page)?;
        Some(folder_of(&Url::parse("https://docs.example.org/guide/a.html").unwrap(), &named).unwrap().into())
    }

    #[test]
    fn pages_name_their_bundle_by_the_element_or_the_script() {
        let of = |page| found(page).unwrap_or_default();
        assert_eq!(
            of("<p>x<nearfind-search bundle='/a/ /b/'></nearfind-search>"),
            "https://docs.example.org/a/",
            "the first of several"
        );
        let script =
            "<script type=module src='../nearfind/box/box.js?v=1'></script><nearfind-search></nearfind-search>";
        assert_eq!(of(script), "https://docs.example.org/nearfind/");
        assert_eq!(of("<nearfind-ask bundle=https://cdn.example/x>"), "https://cdn.example/x/");
        assert_eq!(found("<!-- <nearfind-search bundle='/a/'> --><script src=box.js></script>"), None);
        assert_eq!(found("\u{0}<<nearfind-search bundle"), None);
    }

    #[test]
    fn names_are_relative_to_the_page_that_a_redirect_leads_to() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let top = Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
        let serving = std::thread::spawn(move || {
            let page = "<script src=../nearfind/box/box.js></script>";
            let moved = "HTTP/1.1 302 x\r\nLocation: /en/stable/\r\nContent-Length: 0".to_owned();
            for answer in [moved, format!("HTTP/1.1 200 x\r\nContent-Length: {}", page.len())] {
                let (stream, _) = listener.accept().unwrap();
                let (mut reader, mut asked) = (BufReader::new(&stream), String::new());
                while !asked.ends_with("\r\n\r\n") {
                    assert_ne!(reader.read_line(&mut asked).unwrap(), 0);
                }
                let body = if asked.starts_with("GET /en/stable/ ") { page } else { "" };
                write!(&stream, "{answer}\r\nConnection: close\r\n\r\n{body}").unwrap();
            }
        });
        let server = WebServer::new(top.clone(), Arc::<Meter>::default()).unwrap();
        assert_eq!(page(&server, &top).unwrap(), top.join("en/nearfind/").unwrap());
        serving.join().unwrap();
    }

    /// Returns the reason why `site` may not lead to `bundle`.
    fn refused(site: &str, bundle: &str) -> String {
        format!("{:#}", checked(&Url::parse(site).unwrap(), Url::parse(bundle).unwrap()).unwrap_err())
    }

    #[test]
    fn bundles_are_over_https_unless_the_site_is_not() {
        let site = "http://docs.example.org/";
        for bundle in ["http://192.168.0.1/x/", "file:///etc/", "s3://bucket/x/"] {
            assert!(refused(site, bundle).contains("not an https address"), "{bundle}");
        }
        let error = refused("https://docs.example.org/", "http://docs.example.org/x/");
        assert!(error.contains("not an https address"), "{error}");
    }

    #[test]
    fn another_host_must_be_public() {
        for site in ["https://docs.example.org/", "http://127.0.0.1/"] {
            for bundle in ["https://10.0.0.5/x/", "https://localhost/", "https://[::1]/"] {
                let error = refused(site, bundle);
                assert!(error.contains("is not a public address"), "{site} {bundle}: {error}");
            }
        }
    }
}

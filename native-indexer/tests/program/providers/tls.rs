//! Encrypted servers: a server is accepted if a trusted authority signed its certificate.

use super::embedding::{run, search, site, succeeds};
use super::server::Server;
use crate::support::{Workplace, stderr};
use rcgen::{CertificateParams, KeyPair};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;

/// An encrypting proxy with a self-signed certificate for these names.
struct Encrypting {
    address: SocketAddr,
    certificate: String,
}

impl Encrypting {
    fn start(behind: SocketAddr, names: &[&str]) -> Self {
        let key = KeyPair::generate().expect("a key");
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let certificate = CertificateParams::new(names).expect("names").self_signed(&key).expect("a certificate");
        let secret = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], secret)
            .expect("a certificate");
        let (config, listener) = (Arc::new(config), TcpListener::bind("127.0.0.1:0").expect("a port"));
        let address = listener.local_addr().expect("an address");
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let config = Arc::clone(&config);
                std::thread::spawn(move || {
                    // A client that rejects the certificate closes the connection.
                    let _ = hand_on(stream, config, behind);
                });
            }
        });
        Self { address, certificate: certificate.pem() }
    }
}

/// Forwards one request and its response.
fn hand_on(stream: TcpStream, config: Arc<ServerConfig>, behind: SocketAddr) -> std::io::Result<()> {
    let connection = ServerConnection::new(config).map_err(std::io::Error::other)?;
    let mut stream = BufReader::new(StreamOwned::new(connection, stream));
    let (mut request, mut length) = (Vec::new(), 0);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 {
            return Ok(());
        }
        request.extend(line.as_bytes());
        match line.trim().to_lowercase().split_once(':') {
            Some(("content-length", value)) => length = value.trim().parse().unwrap_or(0),
            None if line.trim().is_empty() => break,
            _ => {}
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    let mut plain = TcpStream::connect(behind)?;
    plain.write_all(&[request, body].concat())?;
    let mut answer = Vec::new();
    plain.read_to_end(&mut answer)?;
    let stream = stream.get_mut();
    stream.write_all(&answer)?;
    stream.conn.send_close_notify();
    stream.flush()
}

fn settings(address: SocketAddr) -> Vec<String> {
    let all = [
        "embedding.provider=openai".to_owned(),
        "embedding.model=tiny-openai".to_owned(),
        format!("embedding.base_url=https://127.0.0.1:{}/v1", address.port()),
        "embedding.retries=0".to_owned(),
    ];
    all.into_iter().flat_map(|setting| ["--set".to_owned(), setting]).collect()
}

/// Indexes with the server at `address`, trusting the certificates in `file`.
fn index(place: &Workplace, address: SocketAddr, file: Option<&str>) -> std::process::Output {
    let mut arguments = vec!["index", "docs", "-o", "bundle", "--model", "tiny", "--no-box", "-q", "--full"];
    let settings = settings(address);
    arguments.extend(settings.iter().map(String::as_str));
    let mut command = crate::support::command_in(place.folder(), &arguments);
    command.env("NEARFIND_SETTINGS", place.path("settings.toml")).env_remove("SSL_CERT_FILE");
    if let Some(file) = file {
        command.env("SSL_CERT_FILE", file);
    }
    command.output().expect("it starts")
}

#[test]
fn certificates_of_trusted_authorities_are_accepted() {
    let place = site();
    let server = Server::start(&place);
    let encrypting = Encrypting::start(server.address, &["127.0.0.1"]);
    // The signer is unknown.
    let refused = index(&place, encrypting.address, None);
    assert!(!refused.status.success());
    let said = stderr(&refused);
    assert!(said.contains("certificate") && said.contains("https://127.0.0.1"), "{said}");
    assert_eq!(server.requests().len(), 0, "nothing is sent to a server that is not believed");
    // A company trusts its own authority.
    place.write("authority.pem", &encrypting.certificate);
    succeeds(&index(&place, encrypting.address, Some("authority.pem")));
    assert!(!server.requests().is_empty());
    // Without the certificate, the query encoder answers questions, and the answer explains why.
    let answer = search(&place, "bundle", "openai", &settings(encrypting.address));
    assert_eq!(answer["tier"].as_u64(), Some(1));
    assert!(answer["notice"].as_str().unwrap().contains("certificate"), "{answer}");
}

#[test]
fn certificates_for_other_servers_are_rejected() {
    let place = site();
    let server = Server::start(&place);
    let other = Encrypting::start(server.address, &["other.example"]);
    place.write("authority.pem", &other.certificate);
    let refused = index(&place, other.address, Some("authority.pem"));
    assert!(!refused.status.success() && stderr(&refused).contains("certificate"), "{}", stderr(&refused));
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn files_without_certificates_are_reported() {
    let place = site();
    let server = Server::start(&place);
    place.write("empty.pem", "nothing\n");
    for (file, expected) in [("empty.pem", "this file contains no certificate"), ("nowhere.pem", "nowhere.pem")] {
        let refused = index(&place, server.address, Some(file));
        let said = stderr(&refused);
        assert!(!refused.status.success() && said.contains(expected) && said.contains("SSL_CERT_FILE"), "{said}");
    }
    // Without a provider, no certificates are needed.
    succeeds(&run(&place, "openai", &["index", "docs", "-o", "local", "--model", "tiny", "--no-box", "-q"], &[]));
}

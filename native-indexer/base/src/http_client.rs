//! The configuration that all HTTP clients share: their name, and the certificate authorities that they trust. These
//! are the authorities that browsers trust, or those in a file that the user specifies, for example with a company's
//! certificates.

use anyhow::Result;
use ureq::Agent;
use ureq::config::ConfigBuilder;
use ureq::typestate::AgentScope;

/// Returns a builder with the shared configuration.
pub fn config_builder() -> Result<ConfigBuilder<AgentScope>> {
    let builder =
        Agent::config_builder().http_status_as_error(false).user_agent(concat!("nearfind/", env!("CARGO_PKG_VERSION")));
    #[cfg(feature = "network")]
    let builder = builder.tls_config(authorities::tls()?);
    Ok(builder)
}

#[cfg(feature = "network")]
mod authorities {
    use anyhow::{Context as _, Result, ensure};
    use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};

    /// The environment variable that names the file, as in other programs.
    const FILE: &str = "SSL_CERT_FILE";

    /// Returns how to verify the identity of servers.
    pub(super) fn tls() -> Result<TlsConfig> {
        let Some(file) = std::env::var_os(FILE).filter(|file| !file.is_empty()) else {
            return Ok(TlsConfig::default());
        };
        let name = || format!("{} of {FILE}", file.display());
        let pem = std::fs::read(&file).with_context(name)?;
        let certificates = parse_pem(&pem).filter_map(|item| match item {
            Ok(PemItem::Certificate(certificate)) => Some(Ok(certificate)),
            Ok(_) => None,
            Err(error) => Some(Err(error)),
        });
        let certificates = certificates.collect::<Result<Vec<_>, _>>().with_context(name)?;
        ensure!(!certificates.is_empty(), "{}: this file contains no certificate", name());
        Ok(TlsConfig::builder().root_certs(RootCerts::new_with_certs(&certificates)).build())
    }
}

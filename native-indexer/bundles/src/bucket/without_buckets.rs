//! Replaces buckets in a program that is built without them.

use super::{Headers, Object, Replaced, Version};
use anyhow::{Result, bail};
use std::ops::Range;
use std::path::Path;
use url::Url;

/// A bucket, which cannot exist.
#[derive(Debug)]
pub enum Bucket {}

impl Bucket {
    /// Always returns an error.
    pub fn open(url: &Url) -> Result<Self> {
        bail!("{url}: this build of nearfind cannot use buckets: build it with the `network` feature")
    }

    /// Unreachable.
    pub fn url(&self) -> &Url {
        match *self {}
    }

    /// Unreachable.
    pub fn read(&self, _name: &str, _most: u64) -> Result<Option<(Vec<u8>, Version)>> {
        match *self {}
    }

    /// Unreachable.
    pub fn read_unless(&self, _name: &str, _etag: &str, _most: u64) -> Result<Option<(Vec<u8>, Version)>> {
        match *self {}
    }

    /// Unreachable.
    pub fn range(&self, _name: &str, _range: Range<u64>, _file_bytes: u64) -> Result<Vec<u8>> {
        match *self {}
    }

    /// Unreachable.
    pub fn list(&self) -> Result<Vec<Object>> {
        match *self {}
    }

    /// Unreachable.
    pub fn upload(&self, _name: &str, _file: &Path, _headers: Headers) -> Result<u64> {
        match *self {}
    }

    /// Unreachable.
    pub fn replace(
        &self,
        _name: &str,
        _bytes: &[u8],
        _before: Option<&Version>,
        _headers: Headers,
    ) -> Result<Replaced> {
        match *self {}
    }

    /// Unreachable.
    pub fn write(&self, _name: &str, _bytes: &[u8], _headers: Headers) -> Result<Version> {
        match *self {}
    }

    /// Unreachable.
    pub fn remove(&self, _names: &[String]) -> Result<()> {
        match *self {}
    }
}

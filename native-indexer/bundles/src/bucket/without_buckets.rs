//! Replaces buckets in a program that was built without them.

use super::{Headers, Object, Replaced, Version};
use anyhow::{Result, bail};
use std::ops::Range;
use std::path::Path;
use url::Url;

/// A bucket; there is none.
#[derive(Debug)]
pub enum Bucket {}

impl Bucket {
    /// An error.
    pub fn open(url: &Url) -> Result<Self> {
        bail!("{url}: this nearfind was built without buckets: build it with the feature `network`")
    }

    /// Its address.
    pub fn url(&self) -> &Url {
        match *self {}
    }

    /// Nothing.
    pub fn read(&self, _name: &str, _most: u64) -> Result<Option<(Vec<u8>, Version)>> {
        match *self {}
    }

    /// Nothing.
    pub fn read_unless(&self, _name: &str, _etag: &str, _most: u64) -> Result<Option<(Vec<u8>, Version)>> {
        match *self {}
    }

    /// Nothing.
    pub fn range(&self, _name: &str, _range: Range<u64>, _file_bytes: u64) -> Result<Vec<u8>> {
        match *self {}
    }

    /// Nothing.
    pub fn list(&self) -> Result<Vec<Object>> {
        match *self {}
    }

    /// Nothing.
    pub fn upload(&self, _name: &str, _file: &Path, _headers: Headers) -> Result<u64> {
        match *self {}
    }

    /// Nothing.
    pub fn replace(
        &self,
        _name: &str,
        _bytes: &[u8],
        _before: Option<&Version>,
        _headers: Headers,
    ) -> Result<Replaced> {
        match *self {}
    }

    /// Nothing.
    pub fn write(&self, _name: &str, _bytes: &[u8], _headers: Headers) -> Result<Version> {
        match *self {}
    }

    /// Nothing.
    pub fn remove(&self, _names: &[String]) -> Result<()> {
        match *self {}
    }
}

//! Turns a compiled module into files that JavaScript loads.
//!
//! - `nearfind-bindgen glue web|bundler MODULE NAME OUT`: writes the JavaScript around the module, as files named NAME
//!   in the folder OUT.
//! - `nearfind-bindgen watch MODULE OUT`: writes the module with code that notes which of its functions are called, see
//!   [`watch`].
//! - `nearfind-bindgen split MODULE LATER FIRST SECOND`: splits the module in two: see [`split`].

mod functions;
mod import_names;
mod split;
mod watch;

use anyhow::{Context as _, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["glue", target, module, name, out] => glue(target, module, name, out),
        ["watch", module, out] => write(out, &watch::watched(&read(module)?)?),
        ["split", module, later, first, second] => {
            let later = fs::read_to_string(later).with_context(|| later.to_owned())?;
            let halves = split::split(&read(module)?, &later.lines().collect())?;
            write(first, &halves.first)?;
            write(second, &halves.second)
        }
        _ => bail!(
            "usage: nearfind-bindgen glue web|bundler MODULE NAME OUT\n       nearfind-bindgen watch MODULE OUT\n       \
             nearfind-bindgen split MODULE LATER FIRST SECOND"
        ),
    }
}

fn glue(target: &str, module: &str, name: &str, out: &str) -> Result<()> {
    let mut bindgen = Bindgen::new();
    match target {
        "web" => bindgen.web(true)?.omit_default_module_path(true),
        "bundler" => bindgen.bundler(true)?,
        other => bail!("{other}: the target is web or bundler"),
    };
    bindgen.input_path(PathBuf::from(module)).out_name(name).typescript(true);
    bindgen.generate(out).with_context(|| module.to_owned())?;
    if target != "web" {
        return Ok(());
    }
    let (glue, module) = (format!("{out}/{name}.js"), format!("{out}/{name}_bg.wasm"));
    let text = fs::read_to_string(&glue).with_context(|| glue.clone())?;
    let (shorter_module, shorter_glue) = import_names::shortened(&read(&module)?, &text)?;
    write(&module, &shorter_module)?;
    write(&glue, shorter_glue.as_bytes())
}

fn read(path: impl AsRef<Path>) -> Result<Vec<u8>> {
    fs::read(&path).with_context(|| path.as_ref().display().to_string())
}

fn write(path: impl AsRef<Path>, bytes: &[u8]) -> Result<()> {
    fs::write(&path, bytes).with_context(|| path.as_ref().display().to_string())
}

//! `nearfind-bindgen web|bundler MODULE NAME OUT`: the JavaScript around a module, as files called NAME in the folder OUT.

use anyhow::{Context as _, Result, bail};
use std::path::PathBuf;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [target, module, name, out] = &arguments[..] else {
        bail!("usage: nearfind-bindgen web|bundler MODULE NAME OUT")
    };
    let mut bindgen = Bindgen::new();
    match target.as_str() {
        "web" => bindgen.web(true)?.omit_default_module_path(true),
        "bundler" => bindgen.bundler(true)?,
        other => bail!("{other}: the target is web or bundler"),
    };
    bindgen.input_path(PathBuf::from(module)).out_name(name).typescript(true);
    bindgen.generate(out).with_context(|| module.clone())
}

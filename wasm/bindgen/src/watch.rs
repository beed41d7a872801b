//! Notes which functions of a module are called.

use crate::functions::key;
use anyhow::Result;
use walrus::ir::{Const, GlobalSet, Value};
use walrus::{ConstExpr, FunctionId, InstrLocId, Module, ValType};

/// Returns the module with a global for each of its functions. The global is exported as `called NUMBER KEY`, and is 1
/// once the function with this [`key`] has been called.
pub(crate) fn watched(module: &[u8]) -> Result<Vec<u8>> {
    let mut module = Module::from_buffer(module)?;
    let functions: Vec<FunctionId> = module.funcs.iter_local().map(|(id, _)| id).collect();
    for (number, id) in functions.into_iter().enumerate() {
        let called = module.globals.add_local(ValType::I32, true, false, ConstExpr::Value(Value::I32(0)));
        let key = key(module.funcs.get(id));
        module.exports.add(&format!("called {number} {key}"), called);
        let function = module.funcs.get_mut(id).kind.unwrap_local_mut();
        let body = function.entry_block();
        let note = [Const { value: Value::I32(1) }.into(), GlobalSet { global: called }.into()];
        let note = note.map(|instruction| (instruction, InstrLocId::default()));
        function.block_mut(body).instrs.splice(0..0, note);
    }
    Ok(module.emit_wasm())
}

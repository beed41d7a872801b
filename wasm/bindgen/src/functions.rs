//! Finds the names of functions, and the items that functions refer to.

use std::collections::BTreeSet;
use walrus::ir::{Visitor, dfs_in_order};
use walrus::{Function, FunctionId, FunctionKind, GlobalId, LocalFunction, MemoryId, Module, TableId};

/// Returns the key of a function, which is the same in another build of the same sources: a hash (FNV-1a) of its name
/// without the hashes of crates. Functions that were compiled from the same source for several types may share a key.
pub(crate) fn key(function: &Function) -> String {
    let name = plain_name(function.name.as_deref().unwrap_or_default());
    let hash = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("{hash:08x}")
}

fn plain_name(mut name: &str) -> String {
    let mut plain = String::new();
    while let Some((before, after)) = name.split_once('[') {
        let Some((inside, after)) = after.split_once(']') else { break };
        plain.push_str(before);
        if inside.len() != 16 || !inside.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            plain.extend(["[", inside, "]"]);
        }
        name = after;
    }
    plain + name
}

/// The items that some functions refer to, in the order of the module.
#[derive(Debug, Default)]
pub(crate) struct References {
    pub(crate) functions: BTreeSet<FunctionId>,
    pub(crate) globals: BTreeSet<GlobalId>,
    pub(crate) memories: BTreeSet<MemoryId>,
    pub(crate) tables: BTreeSet<TableId>,
}

impl References {
    pub(crate) fn of(module: &Module, functions: impl IntoIterator<Item = FunctionId>) -> Self {
        let mut references = Self::default();
        for id in functions {
            if let FunctionKind::Local(local) = &module.funcs.get(id).kind {
                references.add(local);
            }
        }
        references
    }

    fn add(&mut self, function: &LocalFunction) {
        dfs_in_order(self, function, function.entry_block());
    }
}

impl Visitor<'_> for References {
    fn visit_function_id(&mut self, function: &FunctionId) {
        self.functions.insert(*function);
    }

    fn visit_global_id(&mut self, global: &GlobalId) {
        self.globals.insert(*global);
    }

    fn visit_memory_id(&mut self, memory: &MemoryId) {
        self.memories.insert(*memory);
    }

    fn visit_table_id(&mut self, table: &TableId) {
        self.tables.insert(*table);
    }
}

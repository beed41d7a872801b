//! Splits a module in two. Every reader waits for the first module. Few readers need the second module, which shares
//! the memory and the table of the first.
//!
//! If the first module calls a function of the second, the function has an entry in the table. In the first module, it
//! is replaced by a function that calls this entry. If the second module is not loaded yet, the replacement first calls
//! the import `later` of [`GLUE`], which asks the host for the second module and returns once it is loaded. The host
//! passes all exports of the first module to the second as its imports from [`FIRST`], and sets the first module's
//! global [`THERE`] to 1.

use crate::functions::{References, key};
use anyhow::{Context as _, Result};
use std::collections::{BTreeMap, BTreeSet};
use walrus::ir::{BinaryOp, Value};
use walrus::{
    ConstExpr, Data, Element, ElementId, ElementItems, ElementKind, Export, ExportId, ExportItem, Function,
    FunctionBuilder, FunctionId, FunctionKind, Global, GlobalId, GlobalKind, ImportedFunction, Module, TableId,
    ValType,
};

/// The module name of the imports that the glue provides.
const GLUE: &str = "./nearfind_search_bg.js";
/// The module name of the second module's imports.
const FIRST: &str = "first";
/// The name of the global that is set to 1 once the second module is loaded.
const THERE: &str = "later";

pub(crate) struct Halves {
    pub(crate) first: Vec<u8>,
    pub(crate) second: Vec<u8>,
}

/// Returns both halves of `module`. The second half contains the functions whose keys are in `later`, see [`key`], and
/// the functions that only these call.
pub(crate) fn split(module: &[u8], later: &BTreeSet<&str>) -> Result<Halves> {
    let mut first = Module::from_buffer(module)?;
    let mut second = Module::from_buffer(module)?;
    let plan = Plan::new(&first, later)?;
    let shared = plan.cut_first(&mut first);
    plan.cut_second(&mut second, &shared)?;
    Ok(Halves { first: first.emit_wasm(), second: second.emit_wasm() })
}

/// The plan for moving functions. Both modules are read from the same bytes, so their items have the same positions.
struct Plan {
    /// Positions of the second module's functions that the first module calls, in the order of the table.
    entries: Vec<usize>,
    /// The table of functions, and the number of its entries that are taken.
    table: TableId,
    taken: u64,
    /// The items of the first module that the second module refers to.
    shared: References,
}

/// Names of the items that the first module exports to the second, by position.
#[derive(Default)]
struct Shared {
    functions: BTreeMap<usize, String>,
    globals: BTreeMap<usize, String>,
    memories: BTreeMap<usize, String>,
    tables: BTreeMap<usize, String>,
}

impl Plan {
    fn new(module: &Module, later: &BTreeSet<&str>) -> Result<Self> {
        let functions: Vec<FunctionId> = module.funcs.iter_local().map(|(id, _)| id).collect();
        let is_named = |id: &FunctionId| later.contains(key(module.funcs.get(*id)).as_str());
        let named: BTreeSet<FunctionId> = functions.iter().copied().filter(is_named).collect();

        let exported = module.exports.iter().filter_map(|export| match export.item {
            ExportItem::Function(id) => Some(id),
            _ => None,
        });
        let pointed_to = module.elements.iter().flat_map(|segment| match &segment.items {
            ElementItems::Functions(functions) => functions.as_slice(),
            ElementItems::Expressions(..) => &[],
        });
        let mut called: BTreeSet<FunctionId> = exported.chain(pointed_to.copied()).chain(module.start).collect();
        let mut to_follow: Vec<FunctionId> = called.iter().copied().collect();
        while let Some(id) = to_follow.pop() {
            if !named.contains(&id) {
                let new = References::of(module, [id]).functions;
                to_follow.extend(new.into_iter().filter(|function| called.insert(*function)));
            }
        }
        // The functions that the first module calls and contains.
        let first: BTreeSet<FunctionId> = called.difference(&named).copied().collect();
        let later = functions.into_iter().filter(|id| !first.contains(id));

        let table = module.tables.main_function_table()?.context("a module without a table of functions")?;
        let mut shared = References::of(module, later);
        shared.functions.retain(|id| first.contains(id) || is_import(module, *id));
        shared.tables.insert(table);
        Ok(Self {
            entries: called.intersection(&named).map(FunctionId::index).collect(),
            table,
            taken: module.tables.get(table).initial,
            shared,
        })
    }

    fn cut_first(&self, module: &mut Module) -> Shared {
        let table = module.tables.get_mut(self.table);
        table.initial += self.entries.len() as u64;
        table.maximum = table.maximum.map(|maximum| maximum.max(table.initial));

        let there = module.globals.add_local(ValType::I32, true, false, ConstExpr::Value(Value::I32(0)));
        module.exports.add(THERE, there);
        let ask = module.types.add(&[], &[]);
        let (ask, _) = module.add_import_func(GLUE, "later", ask);
        let place = module.locals.add(ValType::I32);
        let mut ready = FunctionBuilder::new(&mut module.types, &[ValType::I32], &[ValType::I32]);
        ready.func_body().global_get(there).i32_const(1).binop(BinaryOp::I32Ne).if_else(
            None,
            |absent| {
                absent.call(ask);
            },
            |_| {},
        );
        ready.func_body().local_get(place);
        let ready = ready.finish(vec![place], &mut module.funcs);

        let places: BTreeMap<usize, u64> = self.entries.iter().copied().zip(self.taken..).collect();
        let entries: Vec<FunctionId> =
            module.funcs.iter().map(Function::id).filter(|id| places.contains_key(&id.index())).collect();
        for id in entries {
            let ty = module.funcs.get(id).ty();
            let (parameters, results) = module.types.params_results(ty);
            let (parameters, results) = (parameters.to_vec(), results.to_vec());
            let arguments: Vec<_> = parameters.iter().map(|parameter| module.locals.add(*parameter)).collect();
            let mut call = FunctionBuilder::new(&mut module.types, &parameters, &results);
            let mut body = call.func_body();
            for argument in &arguments {
                body.local_get(*argument);
            }
            body.i32_const(places[&id.index()] as i32).call(ready).call_indirect(ty, self.table);
            module.funcs.get_mut(id).kind = FunctionKind::Local(call.local_func(arguments));
        }
        let shared = self.export(module);
        walrus::passes::gc::run(module);
        shared
    }

    /// Exports the items that the second module refers to, under short names.
    fn export(&self, module: &mut Module) -> Shared {
        let mut shared = Shared::default();
        let mut name = (0_u32..).map(|number| format!("{number:x}"));
        let mut export = |item: ExportItem| {
            let name = name.next().unwrap_or_default();
            module.exports.add(&name, item);
            name
        };
        for id in &self.shared.functions {
            shared.functions.insert(id.index(), export((*id).into()));
        }
        for id in &self.shared.globals {
            shared.globals.insert(id.index(), export((*id).into()));
        }
        for id in &self.shared.memories {
            shared.memories.insert(id.index(), export((*id).into()));
        }
        for id in &self.shared.tables {
            shared.tables.insert(id.index(), export((*id).into()));
        }
        shared
    }

    fn cut_second(&self, module: &mut Module, shared: &Shared) -> Result<()> {
        let exports: Vec<ExportId> = module.exports.iter().map(Export::id).collect();
        exports.into_iter().for_each(|id| module.exports.delete(id));
        let elements: Vec<ElementId> = module.elements.iter().map(Element::id).collect();
        elements.into_iter().for_each(|id| module.elements.delete(id));
        let data: Vec<_> = module.data.iter().map(Data::id).collect();
        data.into_iter().for_each(|id| module.data.delete(id));
        module.start = None;

        let functions: Vec<FunctionId> = module.funcs.iter().map(Function::id).collect();
        for id in &functions {
            let Some(name) = shared.functions.get(&id.index()) else { continue };
            if let FunctionKind::Import(function) = &module.funcs.get(*id).kind {
                let import = module.imports.get_mut(function.import);
                (import.module, import.name) = (FIRST.to_owned(), name.clone());
            } else {
                let ty = module.funcs.get(*id).ty();
                let import = module.imports.add(FIRST, name, *id);
                module.funcs.get_mut(*id).kind = FunctionKind::Import(ImportedFunction { import, ty });
            }
        }
        let globals: Vec<GlobalId> = module.globals.iter().map(Global::id).collect();
        for id in globals {
            if let Some(name) = shared.globals.get(&id.index()) {
                module.globals.get_mut(id).kind = GlobalKind::Import(module.imports.add(FIRST, name, id));
            }
        }
        for memory in module.memories.iter_mut() {
            memory.data_segments.clear();
            if let Some(name) = shared.memories.get(&memory.id().index()) {
                memory.import = Some(module.imports.add(FIRST, name, memory.id()));
            }
        }
        let mut main = None;
        for table in module.tables.iter_mut() {
            table.elem_segments.clear();
            if let Some(name) = shared.tables.get(&table.id().index()) {
                table.import = Some(module.imports.add(FIRST, name, table.id()));
            }
            if table.id().index() == self.table.index() {
                table.initial = self.taken + self.entries.len() as u64;
                table.maximum = table.maximum.map(|maximum| maximum.max(table.initial));
                main = Some(table.id());
            }
        }
        let main = main.context("a module without a table of functions")?;
        let offset = ConstExpr::Value(Value::I32(self.taken as i32));
        let by_place: BTreeMap<usize, FunctionId> = functions.iter().map(|id| (id.index(), *id)).collect();
        let entries = self.entries.iter().map(|place| by_place[place]).collect();
        let segment =
            module.elements.add(ElementKind::Active { table: main, offset }, ElementItems::Functions(entries));
        module.tables.get_mut(main).elem_segments.insert(segment);
        walrus::passes::gc::run(module);
        Ok(())
    }
}

fn is_import(module: &Module, function: FunctionId) -> bool {
    matches!(module.funcs.get(function).kind, FunctionKind::Import(_))
}

(struct_item name: (type_identifier) @name) @definition.struct
(union_item name: (type_identifier) @name) @definition.struct
(enum_item name: (type_identifier) @name) @definition.enum
(trait_item name: (type_identifier) @name) @definition.interface
(type_item name: (type_identifier) @name) @definition.type
(impl_item
  type: [
    (type_identifier) @name
    (generic_type type: (type_identifier) @name)
    (scoped_type_identifier name: (type_identifier) @name)
    (reference_type type: (type_identifier) @name)
  ]) @scope
(impl_item body: (declaration_list (function_item name: (identifier) @name) @definition.method))
(trait_item
  body: (declaration_list
    [(function_item name: (identifier) @name) (function_signature_item name: (identifier) @name)] @definition.method))
(function_item name: (identifier) @name) @definition.function
(function_signature_item name: (identifier) @name) @definition.function
(mod_item name: (identifier) @name body: (_)) @definition.module
(macro_definition name: (identifier) @name) @definition.macro
(const_item name: (identifier) @name) @definition.constant
(static_item name: (identifier) @name) @definition.constant
(enum_variant name: (identifier) @name) @detail.constant
(field_declaration name: (field_identifier) @name) @detail.field
(associated_type name: (type_identifier) @name) @definition.type
(macro_invocation
  macro: (identifier) @_macro
  (token_tree "static" . (identifier) @name)
  (#eq? @_macro "thread_local")) @definition.constant
(macro_invocation
  macro: (identifier) @_macro
  (token_tree "static" . (identifier) @_ref . (identifier) @name)
  (#eq? @_macro "lazy_static")
  (#eq? @_ref "ref")) @definition.constant

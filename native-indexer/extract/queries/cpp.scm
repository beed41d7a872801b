; A declarator has the name somewhere inside.
(function_definition declarator: (_) @name) @definition.function
(class_specifier name: (type_identifier) @name body: (_)) @definition.class
(class_specifier name: (template_type name: (type_identifier) @name) body: (_)) @definition.class
(class_specifier name: (qualified_identifier) @name body: (_)) @definition.class
(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(struct_specifier name: (template_type name: (type_identifier) @name) body: (_)) @definition.struct
(struct_specifier name: (qualified_identifier) @name body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(namespace_definition name: (namespace_identifier) @name) @detail.module
(namespace_definition name: (nested_namespace_specifier) @name) @detail.module
(alias_declaration name: (type_identifier) @name) @definition.type
(type_definition declarator: (_) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.type
(preproc_def name: (identifier) @name) @definition.macro
(preproc_function_def name: (identifier) @name) @definition.macro
(enumerator name: (identifier) @name) @detail.constant
(field_declaration declarator: (_) @name) @detail.field
; Constructors, destructors and conversions have no type.
(field_declaration_list (declaration declarator: (_) @name) @detail.field)
(friend_declaration (declaration declarator: (_) @name) @detail.field)
(template_declaration (declaration declarator: (_) @name) @detail.constant)
; Not in functions, which have hundreds of them.
(translation_unit (declaration declarator: (_) @name) @detail.constant)
(declaration_list (declaration declarator: (_) @name) @detail.constant)
(linkage_specification (declaration declarator: (_) @name) @detail.constant)
(preproc_if (declaration declarator: (_) @name) @detail.constant)
(preproc_ifdef (declaration declarator: (_) @name) @detail.constant)
(preproc_else (declaration declarator: (_) @name) @detail.constant)
(preproc_elif (declaration declarator: (_) @name) @detail.constant)
(ERROR (declaration declarator: (_) @name) @detail.constant)

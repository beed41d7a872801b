; A declarator has the name somewhere inside.
(function_definition declarator: (_) @name) @definition.function
(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(type_definition declarator: (_) @name) @definition.type
(preproc_def name: (identifier) @name) @definition.macro
(preproc_function_def name: (identifier) @name) @definition.macro
(translation_unit (declaration declarator: (init_declarator declarator: (identifier) @name)) @definition.constant)
(translation_unit (declaration declarator: (init_declarator declarator: (array_declarator declarator: (identifier) @name))) @definition.constant)
(enumerator name: (identifier) @name) @detail.constant
(field_declaration declarator: (_) @name) @detail.field
; Not in functions, which have hundreds of them.
(translation_unit (declaration declarator: (_) @name) @detail.constant)
(declaration_list (declaration declarator: (_) @name) @detail.constant)
(linkage_specification (declaration declarator: (_) @name) @detail.constant)
(preproc_if (declaration declarator: (_) @name) @detail.constant)
(preproc_ifdef (declaration declarator: (_) @name) @detail.constant)
(preproc_else (declaration declarator: (_) @name) @detail.constant)
(preproc_elif (declaration declarator: (_) @name) @detail.constant)
(ERROR (declaration declarator: (_) @name) @detail.constant)

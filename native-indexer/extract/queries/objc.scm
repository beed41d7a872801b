(class_interface . "@interface" . (identifier) @name) @definition.class
(class_implementation . "@implementation" . (identifier) @name) @definition.class
(protocol_declaration . "@protocol" . (identifier) @name) @definition.interface
(method_definition (identifier) @name) @definition.method
(method_declaration (identifier) @name) @declaration
(function_definition declarator: (function_declarator declarator: (identifier) @name)) @definition.function
(function_definition
  declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @definition.function
(property_declaration (struct_declaration (struct_declarator (identifier) @name))) @definition.field
(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(type_definition declarator: (type_identifier) @name) @definition.type
(preproc_def name: (identifier) @name) @definition.macro
(preproc_function_def name: (identifier) @name) @definition.macro

(function_definition
  declarator: (function_declarator
    declarator: [(identifier) (field_identifier) (destructor_name) (operator_name)] @name)) @definition.function
(function_definition
  declarator: (function_declarator
    declarator: (qualified_identifier
      scope: (_) @owner
      name: [(identifier) (destructor_name) (operator_name)] @name))) @definition.method
(function_definition
  declarator: (pointer_declarator
    declarator: (function_declarator declarator: [(identifier) (field_identifier)] @name))) @definition.function
(function_definition
  declarator: (pointer_declarator
    declarator: (function_declarator
      declarator: (qualified_identifier scope: (_) @owner name: (identifier) @name)))) @definition.method
(function_definition
  declarator: (reference_declarator
    (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @name))) @definition.function
(function_definition
  declarator: (reference_declarator
    (function_declarator
      declarator: (qualified_identifier scope: (_) @owner name: [(identifier) (operator_name)] @name)))) @definition.method
(function_definition
  declarator: (pointer_declarator
    declarator: (pointer_declarator
      declarator: (function_declarator declarator: [(identifier) (field_identifier)] @name)))) @definition.function
(declaration declarator: (function_declarator declarator: (identifier) @name)) @declaration
(declaration
  declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @declaration
(declaration
  declarator: (pointer_declarator
    declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))) @declaration
(declaration
  declarator: (reference_declarator (function_declarator declarator: (identifier) @name))) @declaration
(field_declaration declarator: (function_declarator declarator: (field_identifier) @name)) @declaration
(field_declaration
  declarator: (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name))) @declaration
(field_declaration
  declarator: (reference_declarator (function_declarator declarator: (field_identifier) @name))) @declaration
(class_specifier name: (type_identifier) @name body: (_)) @definition.class
(class_specifier name: (template_type name: (type_identifier) @name) body: (_)) @definition.class
(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(struct_specifier name: (template_type name: (type_identifier) @name) body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(namespace_definition name: (namespace_identifier) @name) @scope
(alias_declaration name: (type_identifier) @name) @definition.type
(type_definition declarator: (type_identifier) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.type
(preproc_def name: (identifier) @name) @definition.macro
(preproc_function_def name: (identifier) @name) @definition.macro

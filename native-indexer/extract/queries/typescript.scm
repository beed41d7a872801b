(class_declaration name: (type_identifier) @name) @definition.class
(abstract_class_declaration name: (type_identifier) @name) @definition.class
(class name: (type_identifier) @name) @definition.class
(interface_declaration name: (type_identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(type_alias_declaration name: (type_identifier) @name) @definition.type
(internal_module name: (_) @name) @definition.module
(module name: (_) @name) @definition.module
(method_signature name: (property_identifier) @name) @definition.method
(abstract_method_signature name: (property_identifier) @name) @definition.method
(public_field_definition
  name: [(property_identifier) (private_property_identifier)] @name
  value: [(arrow_function) (function_expression)]) @definition.method
(function_signature name: (identifier) @name) @definition.function
(property_signature name: (property_identifier) @name) @detail.field
(property_signature name: (string (string_fragment) @name)) @detail.field
(public_field_definition name: [(property_identifier) (private_property_identifier)] @name) @detail.field
(required_parameter (accessibility_modifier) pattern: (identifier) @name) @definition.field
(enum_body name: (property_identifier) @name @detail.constant)
(enum_body name: (string (string_fragment) @name) @detail.constant)
(enum_assignment name: [(property_identifier) @name (string (string_fragment) @name)]) @detail.constant
(ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name) @definition.constant))
(ambient_declaration (variable_declaration (variable_declarator name: (identifier) @name) @definition.constant))
(internal_module
  body: (statement_block
    [
      (lexical_declaration (variable_declarator name: (identifier) @name) @detail.constant)
      (export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @name) @detail.constant))
    ]))

(namespace_definition name: (namespace_name) @name) @detail.module
(class_declaration name: (name) @name) @definition.class
(interface_declaration name: (name) @name) @definition.interface
(trait_declaration name: (name) @name) @definition.class
(enum_declaration name: (name) @name) @definition.enum
(function_definition name: (name) @name) @definition.function
(method_declaration name: (name) @name) @definition.method
(property_declaration (property_element name: (variable_name (name) @name))) @definition.field
(const_declaration (const_element (name) @name)) @definition.constant
(enum_case name: (name) @name) @definition.constant
(function_call_expression
  function: (name) @_function
  arguments: (arguments . (argument (string (string_content) @name)))
  (#eq? @_function "define")) @definition.constant
(property_promotion_parameter name: (variable_name (name) @name)) @definition.field

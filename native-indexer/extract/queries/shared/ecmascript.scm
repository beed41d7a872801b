; What JavaScript and TypeScript share.
(method_definition name: [(property_identifier) (private_property_identifier)] @name) @definition.method
(function_declaration name: (identifier) @name) @definition.function
(generator_function_declaration name: (identifier) @name) @definition.function
(variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @definition.function
(assignment_expression
  left: [(identifier) @name (member_expression property: (property_identifier) @name)]
  right: [(arrow_function) (function_expression) (class)]) @definition.function
(pair
  key: (property_identifier) @name
  value: [(arrow_function) (function_expression)]) @definition.method
; What is required of another file is not defined here.
(program
  (lexical_declaration (variable_declarator name: (identifier) @name value: (_) @_value)) @definition.constant
  (#not-match? @_value "^require\\("))
(program
  (variable_declaration (variable_declarator name: (identifier) @name value: (_) @_value)) @definition.constant
  (#not-match? @_value "^require\\("))
(program
  (export_statement
    declaration: (lexical_declaration (variable_declarator name: (identifier) @name))) @definition.constant)

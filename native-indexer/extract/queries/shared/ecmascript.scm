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
(program
  (export_statement
    declaration: (variable_declaration (variable_declarator name: (identifier) @name))) @definition.constant)
(program (lexical_declaration (variable_declarator name: (identifier) @name !value) @detail.constant))
(program (variable_declaration (variable_declarator name: (identifier) @name !value) @detail.constant))
; Names that are taken out of a value: `const { a, b: c } = value`.
(program
  (lexical_declaration
    (variable_declarator
      name: [
        (object_pattern
          [
            (shorthand_property_identifier_pattern) @name
            (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)
            (pair_pattern value: [(identifier) @name (assignment_pattern left: (identifier) @name)])
            (rest_pattern (identifier) @name)
          ])
        (array_pattern [(identifier) @name (assignment_pattern left: (identifier) @name)])
      ]
      value: (_) @_value) @detail.constant)
  (#not-match? @_value "^require\\("))
(program
  (export_statement
    declaration: (lexical_declaration
      (variable_declarator
        name: [
          (object_pattern
            [
              (shorthand_property_identifier_pattern) @name
              (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)
              (pair_pattern value: [(identifier) @name (assignment_pattern left: (identifier) @name)])
              (rest_pattern (identifier) @name)
            ])
          (array_pattern [(identifier) @name (assignment_pattern left: (identifier) @name)])
        ]
        value: (_) @_value) @detail.constant)))
; A function that is passed on or given back, and has a name.
(function_expression name: (identifier) @name) @detail.function
(generator_function name: (identifier) @name) @detail.function
; A reactive statement of Svelte.
(program
  (labeled_statement
    label: (statement_identifier) @_label
    body: (expression_statement (assignment_expression left: (identifier) @name)) @detail.constant
    (#eq? @_label "$")))

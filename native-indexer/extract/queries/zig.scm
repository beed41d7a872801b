(function_declaration name: (identifier) @name) @definition.function
(variable_declaration (identifier) @name (struct_declaration)) @definition.struct
(variable_declaration (identifier) @name (union_declaration)) @definition.struct
(variable_declaration (identifier) @name (enum_declaration)) @definition.enum
; What is imported is not defined here.
(source_file
  (variable_declaration (identifier) @name . (_) @_value .) @definition.constant
  (#not-match? @_value "^@import"))
(test_declaration (string) @name) @definition.function

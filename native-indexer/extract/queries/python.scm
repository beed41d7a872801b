(class_definition name: (identifier) @name) @definition.class
(class_definition
  body: (block (function_definition name: (identifier) @name) @definition.method))
(class_definition
  body: (block (decorated_definition definition: (function_definition name: (identifier) @name)) @definition.method))
(function_definition name: (identifier) @name) @definition.function
(module (expression_statement (assignment left: (identifier) @name)) @definition.constant)
(class_definition
  body: (block (expression_statement (assignment left: (identifier) @name)) @definition.field))
(type_alias_statement left: (type (identifier) @name)) @definition.type
; Variables of a file that are set on a condition.
(module
  [
    (if_statement (block (expression_statement (assignment left: (identifier) @name)) @detail.constant))
    (if_statement (_ (block (expression_statement (assignment left: (identifier) @name)) @detail.constant)))
    (try_statement (block (expression_statement (assignment left: (identifier) @name)) @detail.constant))
    (try_statement (_ (block (expression_statement (assignment left: (identifier) @name)) @detail.constant)))
    (with_statement (block (expression_statement (assignment left: (identifier) @name)) @detail.constant))
    (for_statement (block (expression_statement (assignment left: (identifier) @name)) @detail.constant))
  ])

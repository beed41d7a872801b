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

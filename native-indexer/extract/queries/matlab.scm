(class_definition name: (identifier) @name) @definition.class
(function_definition name: (identifier) @name) @definition.function
(properties (property name: (identifier) @name) @definition.field)

(class_declaration name: (identifier) @name) @definition.class
(object_declaration name: (identifier) @name) @definition.class
(companion_object name: (identifier) @name) @definition.class
(class_body (function_declaration name: (identifier) @name) @definition.method)
(function_declaration name: (identifier) @name) @definition.function
(property_declaration (variable_declaration (identifier) @name)) @definition.field
(type_alias (identifier) @name) @definition.type
(enum_entry (identifier) @name) @definition.constant
(class_parameter ["val" "var"] (identifier) @name) @definition.field

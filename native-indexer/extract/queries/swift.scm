(class_declaration name: (type_identifier) @name) @definition.class
(class_declaration name: (user_type) @name) @detail.class
(protocol_declaration name: (type_identifier) @name) @definition.interface
(class_body (function_declaration name: (simple_identifier) @name) @definition.method)
(function_declaration name: (simple_identifier) @name) @definition.function
(protocol_function_declaration name: (simple_identifier) @name) @definition.method
(init_declaration "init" @name) @definition.method
(property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.field
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.field
(typealias_declaration name: (type_identifier) @name) @definition.type
(enum_entry name: (simple_identifier) @name) @definition.constant
(function_declaration name: _ @name (#not-match? @name "[\\w({]")) @definition.function
(deinit_declaration "deinit" @name) @definition.method
(subscript_declaration "subscript" @name) @definition.method
(operator_declaration (custom_operator) @name) @definition.function
(precedence_group_declaration . (simple_identifier) @name) @definition.type
(macro_declaration . (simple_identifier) @name) @definition.macro
(associatedtype_declaration name: (type_identifier) @name) @definition.type
(source_file (property_declaration name: (pattern (pattern (simple_identifier) @name))) @detail.constant)

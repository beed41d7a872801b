(object_type_definition (name) @name) @definition.class
(interface_type_definition (name) @name) @definition.interface
(input_object_type_definition (name) @name) @definition.struct
(enum_type_definition (name) @name) @definition.enum
(union_type_definition (name) @name) @definition.type
(scalar_type_definition (name) @name) @definition.type
(directive_definition (name) @name) @definition.macro
(operation_definition (name) @name) @definition.function
(fragment_definition (fragment_name (name) @name)) @definition.function
[
  (object_type_extension (name) @name)
  (interface_type_extension (name) @name)
  (input_object_type_extension (name) @name)
  (enum_type_extension (name) @name)
  (union_type_extension (name) @name)
] @detail.class
(field_definition (name) @name) @definition.field
(input_fields_definition (input_value_definition (name) @name) @detail.field)
(enum_value_definition (enum_value (name) @name)) @detail.constant

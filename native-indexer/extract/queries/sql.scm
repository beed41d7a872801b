(create_table (object_reference name: (identifier) @name)) @definition.struct
(create_view (object_reference name: (identifier) @name)) @definition.type
(create_materialized_view (object_reference name: (identifier) @name)) @definition.type
(create_function (object_reference name: (identifier) @name)) @definition.function
(create_index (identifier) @name) @definition.constant
(create_type (object_reference name: (identifier) @name)) @definition.type
; What follows is its table and its function.
(create_trigger [(keyword_trigger) (keyword_exists)] . (object_reference name: (identifier) @name)) @definition.function
(create_schema (identifier) @name) @definition.module
(create_sequence (object_reference name: (identifier) @name)) @definition.constant
(create_table (column_definitions (column_definition name: (identifier) @name) @detail.field))

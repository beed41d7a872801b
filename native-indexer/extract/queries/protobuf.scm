(package (full_ident) @name) @detail.module
(message (message_name (identifier) @name)) @definition.struct
(group (message_name (identifier) @name)) @definition.struct
(enum (enum_name (identifier) @name)) @definition.enum
(service (service_name (identifier) @name)) @definition.interface
(rpc (rpc_name (identifier) @name)) @definition.method
(extend (full_ident) @name) @detail.struct
(field (type) . (identifier) @name) @detail.field
(map_field (type) . (identifier) @name) @detail.field
(oneof (identifier) @name) @detail.field
(oneof_field (type) . (identifier) @name) @detail.field
(enum_field . (identifier) @name) @detail.constant

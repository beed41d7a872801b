(class name: [(constant) @name (scope_resolution name: (constant) @name)]) @definition.class
(module name: [(constant) @name (scope_resolution name: (constant) @name)]) @definition.module
(method name: (_) @name) @definition.method
(singleton_method name: (_) @name) @definition.method
(alias name: (_) @name) @definition.method
(assignment left: (constant) @name) @definition.constant
(assignment left: (left_assignment_list (constant) @name)) @definition.constant
; Methods that are made by a call.
(call
  method: (identifier) @_call
  arguments: (argument_list . [(simple_symbol) @name (string (string_content) @name)])
  (#any-of? @_call "define_method" "alias_method" "scope" "define_singleton_method" "alias_attribute")) @definition.method
(call
  method: (identifier) @_call
  arguments: (argument_list [(simple_symbol) @name (string (string_content) @name)])
  (#any-of? @_call
    "attr" "attr_accessor" "attr_reader" "attr_writer" "attr_internal" "cattr_accessor" "cattr_reader" "cattr_writer"
    "mattr_accessor" "mattr_reader" "mattr_writer" "class_attribute" "thread_mattr_accessor" "delegate" "def_delegators"
    "def_instance_delegators")
  (#not-match? @name "^:@")) @detail.method
(call
  method: (identifier) @_call
  arguments: (argument_list . (simple_symbol) @name)
  (#any-of? @_call
    "has_many" "has_one" "belongs_to" "has_and_belongs_to_many" "has_one_attached" "has_many_attached" "has_rich_text"
    "attribute" "store_accessor" "enum" "composed_of")) @detail.method
; The last of them is what it is called here.
(call
  method: (identifier) @_call
  arguments: (argument_list (simple_symbol) @name .)
  (#any-of? @_call "def_delegator" "def_instance_delegator")) @detail.method

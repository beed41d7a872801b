(function_definition name: (word) @name) @definition.function
(program (variable_assignment name: (variable_name) @name) @definition.constant)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @definition.constant)
(command
  name: (command_name) @_command
  argument: [(concatenation . (word) @name) (word) @name]
  (#eq? @_command "alias")
  (#match? @name "=")) @definition.function

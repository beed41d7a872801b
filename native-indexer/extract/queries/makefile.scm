(rule (targets (word) @name)) @definition.function
(variable_assignment name: (word) @name) @definition.constant
(define_directive name: (word) @name) @definition.macro

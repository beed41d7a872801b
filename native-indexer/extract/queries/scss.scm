(rule_set (selectors) @name) @definition.section
(mixin_statement name: (identifier) @name) @definition.function
(function_statement name: (identifier) @name) @definition.function

(rule_set (selectors) @name) @definition.section
(keyframes_statement (keyframes_name) @name) @definition.section

(statement
  (keyword) @_keyword
  .
  (identifier) @name
  (#any-of? @_keyword "macro" "block")) @definition.section

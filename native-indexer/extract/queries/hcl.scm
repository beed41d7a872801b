(block (identifier) (string_lit (template_literal) @owner) (string_lit (template_literal) @name)) @definition.section
(block (identifier) . (string_lit (template_literal) @name) . (block_start)) @definition.section
(block . (identifier) @name . (block_start)) @definition.section
(block
  (identifier) @_block
  (body (attribute (identifier) @name) @detail.section)
  (#eq? @_block "locals"))

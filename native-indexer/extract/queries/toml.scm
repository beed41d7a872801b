(table [(bare_key) (dotted_key) (quoted_key)] @name) @definition.section
(table_array_element [(bare_key) (dotted_key) (quoted_key)] @name) @definition.section
(document (pair . [(bare_key) (dotted_key) (quoted_key)] @name) @definition.section)

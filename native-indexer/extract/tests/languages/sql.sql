-- Who buys.
CREATE TABLE customers (
  id INT PRIMARY KEY,
  name TEXT
);

CREATE VIEW recent AS SELECT * FROM customers;

CREATE INDEX by_name ON customers (name);

CREATE FUNCTION total(x INT) RETURNS INT AS $$ SELECT x $$ LANGUAGE sql;

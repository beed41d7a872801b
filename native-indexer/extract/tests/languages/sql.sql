-- Who buys.
CREATE TABLE customers (
  id INT PRIMARY KEY,
  name TEXT
);

CREATE VIEW recent AS SELECT * FROM customers;

CREATE INDEX by_name ON customers (name);

CREATE FUNCTION total(x INT) RETURNS INT AS $$ SELECT x $$ LANGUAGE sql;

CREATE SCHEMA shop;
CREATE SEQUENCE shop.order_ids;
CREATE PROCEDURE pay(IN id INT) BEGIN UPDATE orders SET paid = 1; END;
CREATE TRIGGER stamp BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION set_stamp();

-- The location of HOB_CODE of a node; null: it has none. Nodes with different ones would not find each other's archives.
alter table nodes add column code_store text;

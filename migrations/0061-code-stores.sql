-- The store of archives that HOB_CODE names: its key is also in the store, so that a server knows it from an unmounted folder and from the
-- store of another installation. One row at most.
create table function_code_stores (
  id {{bigint}} primary key,
  store_key text not null,
  location text not null,
  -- 0 until the key is in the store.
  marked {{bigint}} not null
);

-- Archives on disk that functions, versions and layers name by their hash. A row is written with the row that names it.
create table function_codes (
  -- Hex, of the archive.
  sha256 text primary key,
  size {{bigint}} not null,
  unzipped_size {{bigint}} not null,
  created_at {{bigint}} not null
);

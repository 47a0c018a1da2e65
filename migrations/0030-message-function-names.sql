-- Messages outlive their function: by its name, they count for the next function that has it.
alter table function_messages add column function_name text;
update function_messages set function_name =
  (select f.name from functions f where f.id = function_messages.function_id);
create index function_messages_by_name on function_messages (function_name, function_id, bytes);

-- The function whose event a message is about: messages that wait count in its queue, or it could fill the disk with them.
alter table function_messages add column function_id {{bigint}};
alter table function_messages add column bytes {{bigint}} not null default 0;

import type { Sql } from '#platform/database/database.ts';

import type { EventSourceMapping } from './event-source-mapping.ts';

/** Notified of every change that pollers must follow. */
export const mappingsChannel = 'event-source-mappings';

interface MappingRow {
  id: number;
  uuid: string;
  event_source_arn: string;
  function_name: string;
  qualifier: string;
  enabled: number;
  batch_size: number;
  window_seconds: number;
  filters: string;
  reports_failures: number;
  maximum_concurrency: number | null;
  tags: string;
  last_result: string | null;
  modified_at: number;
}

const columns = `id, uuid, event_source_arn, function_name, qualifier, enabled, batch_size, window_seconds, filters,
  reports_failures, maximum_concurrency, tags, last_result, modified_at`;

export async function insertMapping(
  sql: Sql,
  mapping: Omit<EventSourceMapping, 'id'>,
): Promise<void> {
  await sql.run(
    `insert into event_source_mappings (uuid, event_source_arn, function_name, qualifier, enabled, batch_size,
      window_seconds, filters, reports_failures, maximum_concurrency, tags, modified_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    mapping.uuid,
    mapping.eventSourceArn,
    mapping.functionName,
    mapping.qualifier ?? '',
    Number(mapping.enabled),
    mapping.batchSize,
    mapping.windowSeconds,
    JSON.stringify(mapping.filters),
    Number(mapping.reportsFailures),
    mapping.maximumConcurrency ?? null,
    JSON.stringify(mapping.tags),
    mapping.modifiedAt,
  );
  sql.notify(mappingsChannel);
}

/** Writes everything that an update can change. */
export async function replaceMapping(sql: Sql, mapping: EventSourceMapping): Promise<void> {
  await sql.run(
    `update event_source_mappings set function_name = $2, qualifier = $3, enabled = $4, batch_size = $5,
      window_seconds = $6, filters = $7, reports_failures = $8, maximum_concurrency = $9, modified_at = $10 where id = $1`,
    mapping.id,
    mapping.functionName,
    mapping.qualifier ?? '',
    Number(mapping.enabled),
    mapping.batchSize,
    mapping.windowSeconds,
    JSON.stringify(mapping.filters),
    Number(mapping.reportsFailures),
    mapping.maximumConcurrency ?? null,
    mapping.modifiedAt,
  );
  sql.notify(mappingsChannel);
}

export async function replaceMappingTags(
  sql: Sql,
  id: number,
  tags: EventSourceMapping['tags'],
): Promise<void> {
  await sql.run(
    'update event_source_mappings set tags = $2 where id = $1',
    id,
    JSON.stringify(tags),
  );
}

/** Nothing if the mapping is gone. */
export async function recordResult(sql: Sql, id: number, result: string): Promise<void> {
  await sql.run('update event_source_mappings set last_result = $2 where id = $1', id, result);
}

export async function removeMapping(sql: Sql, id: number): Promise<void> {
  await sql.run('delete from event_source_mappings where id = $1', id);
  sql.notify(mappingsChannel);
}

export async function findMapping(sql: Sql, uuid: string): Promise<EventSourceMapping | undefined> {
  const row = await sql.get<MappingRow>(
    `select ${columns} from event_source_mappings where uuid = $1`,
    uuid,
  );
  return row && mappingOf(row);
}

/** The one mapping of a queue to a function, a version or an alias. */
export async function findMappingOf(
  sql: Sql,
  {
    eventSourceArn,
    functionName,
    qualifier = '',
  }: Pick<EventSourceMapping, 'eventSourceArn' | 'functionName' | 'qualifier'>,
): Promise<EventSourceMapping | undefined> {
  const row = await sql.get<MappingRow>(
    `select ${columns} from event_source_mappings
      where event_source_arn = $1 and function_name = $2 and qualifier = $3`,
    eventSourceArn,
    functionName,
    qualifier,
  );
  return row && mappingOf(row);
}

export async function countMappings(sql: Sql): Promise<number> {
  const row = await sql.get<{ count: number }>(
    'select count(*) as count from event_source_mappings',
  );
  return row?.count ?? 0;
}

/** In the order in which they were created; undefined filters let everything pass. */
export async function listMappings(
  sql: Sql,
  filter: {
    readonly eventSourceArn: string | undefined;
    readonly function:
      | { readonly name: string; readonly qualifier: string | undefined }
      | undefined;
  },
  after: number,
  limit: number,
): Promise<EventSourceMapping[]> {
  const rows = await sql.all<MappingRow>(
    `select ${columns} from event_source_mappings
      where id > $1 and ($2 = '' or event_source_arn = $2) and ($3 = '' or (function_name = $3 and qualifier = $4))
      order by id limit $5`,
    after,
    filter.eventSourceArn ?? '',
    filter.function?.name ?? '',
    filter.function?.qualifier ?? '',
    limit,
  );
  return rows.map(mappingOf);
}

/** Those that poll: creation bounds how many there are. */
export async function listEnabledMappings(sql: Sql): Promise<EventSourceMapping[]> {
  const rows = await sql.all<MappingRow>(
    `select ${columns} from event_source_mappings where enabled = 1 order by id`,
  );
  return rows.map(mappingOf);
}

function mappingOf(row: MappingRow): EventSourceMapping {
  return {
    id: row.id,
    uuid: row.uuid,
    eventSourceArn: row.event_source_arn,
    functionName: row.function_name,
    qualifier: row.qualifier || undefined,
    enabled: row.enabled === 1,
    batchSize: row.batch_size,
    windowSeconds: row.window_seconds,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by this file
    filters: JSON.parse(row.filters) as readonly string[],
    reportsFailures: row.reports_failures === 1,
    maximumConcurrency: row.maximum_concurrency ?? undefined,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by this file
    tags: JSON.parse(row.tags) as Readonly<Record<string, string>>,
    lastResult: row.last_result ?? undefined,
    modifiedAt: row.modified_at,
  };
}

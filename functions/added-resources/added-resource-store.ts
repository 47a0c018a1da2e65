import type { Sql } from '#platform/database/database.ts';

import type { SealedColumn } from '../keys/rotate-service-key.ts';
import { requireCurrentSeal } from '../keys/service-key-store.ts';
import {
  isResourceKind,
  type ResourceKind,
  type ResourceName,
} from '../configured-resources/resource-kinds.ts';

export interface StoredResource extends ResourceName {
  readonly sealedDeclaration: string;
}

interface ResourceRow {
  id: number;
  kind: string;
  name: string;
  sealed_declaration: string;
}

export async function listResources(sql: Sql): Promise<readonly StoredResource[]> {
  const rows = await sql.all<ResourceRow>(
    'select id, kind, name, sealed_declaration from declared_resources order by kind, name',
  );
  return rows.flatMap(({ kind, name, sealed_declaration: sealedDeclaration }) =>
    isResourceKind(kind) ? [{ kind, name, sealedDeclaration }] : [],
  );
}

/** Replaces the one of this name. */
export async function storeResource(
  sql: Sql,
  { kind, name, sealedDeclaration }: StoredResource,
  now: number,
): Promise<void> {
  await requireCurrentSeal(sql, sealedDeclaration);
  await sql.run(
    `insert into declared_resources (kind, name, sealed_declaration, created_at) values ($1, $2, $3, $4)
      on conflict (kind, name) do update set sealed_declaration = excluded.sealed_declaration`,
    kind,
    name,
    sealedDeclaration,
    now,
  );
}

export async function countResources(sql: Sql): Promise<number> {
  const row = await sql.get<{ count: number }>('select count(*) as count from declared_resources');
  return row?.count ?? 0;
}

/** Whether it was there. */
export async function deleteResource(sql: Sql, { kind, name }: ResourceName): Promise<boolean> {
  const deleted = await sql.run(
    'delete from declared_resources where kind = $1 and name = $2',
    kind,
    name,
  );
  return deleted === 1;
}

/** How a stored configuration names an entry, as a pattern: strings in JSON escape their quotes. */
const patterns: Readonly<Record<ResourceKind, (quoted: string) => string>> = {
  subnet: (quoted) => `%"SubnetIds":[%${quoted}%`,
  'security-group': (quoted) => `%"SecurityGroupIds":[%${quoted}%`,
  'access-point': (quoted) => `%"Arn":${quoted}%`,
  target: (quoted) => `%"DeadLetterTargetArn":${quoted}%`,
  'capacity-provider': (quoted) => `%"CapacityProviderArn":${quoted}%`,
};

/** The names of functions of which a version uses an entry, at most so many. */
export async function listUsers(
  sql: Sql,
  { kind, name }: ResourceName,
  limit: number,
): Promise<readonly string[]> {
  const quoted = JSON.stringify(name).replaceAll(/[\\%_]/g, String.raw`\$&`);
  const rows = await sql.all<{ name: string }>(
    `select distinct f.name from functions f join function_versions v on v.function_id = f.id
        join function_configurations c on c.id = v.configuration_id or c.id = v.serving_id
        where c.settings like $1 escape '\\'
      union select f.name from functions f join event_invoke_configs e on e.function_id = f.id
        where e.on_success = $2 or e.on_failure = $2
      order by 1 limit $3`,
    patterns[kind](quoted),
    name,
    limit,
  );
  return rows.map((row) => row.name);
}

/** The encryption context of a declaration. */
export function declarationContext({ kind, name }: ResourceName): string {
  return `declaration of ${kind} ${name}`;
}

/** The declarations, for a change of the service key. */
export const resourceDeclarations: SealedColumn = {
  async list(sql, sealer, after, max) {
    const rows = await sql.all<ResourceRow>(
      `select id, kind, name, sealed_declaration from declared_resources
       where id > $2 and sealed_declaration not like $1 order by id limit $3`,
      `${sealer}.%`,
      Number(after),
      max,
    );
    return rows.map(({ id, kind, name, sealed_declaration: text }) => ({
      id: String(id),
      text,
      context: `declaration of ${kind} ${name}`,
    }));
  },
  async replace(sql, id, old, text) {
    await sql.run(
      `update declared_resources set sealed_declaration = $3
       where id = $1 and sealed_declaration = $2`,
      Number(id),
      old,
      text,
    );
  },
};

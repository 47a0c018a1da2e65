import type { Sql } from '#platform/database/database.ts';

import type { Key } from './key.ts';
import type { SealedColumn } from './rotate-service-key.ts';
import { requireCurrentSeal } from './service-key-store.ts';

export interface StoredKey extends Key {
  readonly sealedMaterial: string;
}

interface KeyRow {
  id: string;
  description: string;
  sealed_material: string;
  enabled: number;
  created_at: number;
  deletion_at: number | null;
}

const columns = 'id, description, sealed_material, enabled, created_at, deletion_at';

export async function insertKey(sql: Sql, key: StoredKey): Promise<void> {
  await requireCurrentSeal(sql, key.sealedMaterial);
  await sql.run(
    `insert into function_keys (${columns}) values ($1, $2, $3, $4, $5, $6)`,
    key.id,
    key.description,
    key.sealedMaterial,
    key.enabled ? 1 : 0,
    key.createdAt,
    key.deletionAt ?? null,
  );
}

/** A key that has not been destroyed yet. */
export async function findKey(sql: Sql, id: string, now: number): Promise<StoredKey | undefined> {
  const row = await sql.get<KeyRow>(
    `select ${columns} from function_keys
     where id = $1 and (deletion_at is null or deletion_at > $2)`,
    id,
    now,
  );
  return row && keyFromRow(row);
}

/** All keys that have not been destroyed yet, oldest first. */
export async function listKeys(sql: Sql, now: number): Promise<StoredKey[]> {
  const rows = await sql.all<KeyRow>(
    `select ${columns} from function_keys
     where deletion_at is null or deletion_at > $1 order by created_at, id`,
    now,
  );
  return rows.map(keyFromRow);
}

/** Also cancels its deletion. */
export async function enable(sql: Sql, id: string): Promise<void> {
  await sql.run('update function_keys set enabled = 1, deletion_at = null where id = $1', id);
}

export async function disable(sql: Sql, id: string): Promise<void> {
  await sql.run('update function_keys set enabled = 0 where id = $1', id);
}

export async function setKeyDeletion(sql: Sql, id: string, deletionAt: number): Promise<void> {
  await sql.run('update function_keys set deletion_at = $1 where id = $2', deletionAt, id);
}

/** Deletes the material of keys whose waiting period is over. */
export async function deleteGoneKeys(sql: Sql, now: number): Promise<void> {
  await sql.run('delete from function_keys where deletion_at <= $1', now);
}

/** The materials, for rotation of the service key. */
export const keyMaterials: SealedColumn = {
  async list(sql, sealer, after, max) {
    const rows = await sql.all<{ id: string; sealed_material: string }>(
      `select id, sealed_material from function_keys
       where id > $2 and sealed_material not like $1 order by id limit $3`,
      `${sealer}.%`,
      after,
      max,
    );
    return rows.map((row) => ({
      id: row.id,
      text: row.sealed_material,
      context: materialContext(row.id),
    }));
  },
  async replace(sql, id, old, text) {
    await sql.run(
      'update function_keys set sealed_material = $3 where id = $1 and sealed_material = $2',
      id,
      old,
      text,
    );
  },
};

/** The encryption context of a key's material. */
export function materialContext(id: string): string {
  return `key material of ${id}`;
}

function keyFromRow(row: KeyRow): StoredKey {
  return {
    id: row.id,
    description: row.description,
    sealedMaterial: row.sealed_material,
    enabled: row.enabled === 1,
    createdAt: row.created_at,
    deletionAt: row.deletion_at ?? undefined,
  };
}

import type { Sql } from '#platform/database/database.ts';

import type { Maintained } from './maintenance.ts';

interface Row {
  id: number;
  maintenance_due_at: number | null;
  maintained_at: number | null;
  fully_maintained_at: number | null;
}

const columns = 'id, maintenance_due_at, maintained_at, fully_maintained_at';

/** Schedules the maintenance of a repository at a time, or earlier if it is already scheduled earlier. */
export async function dueMaintenance(
  sql: Sql,
  repositoryId: number,
  dueAt: (maintained: Maintained) => number,
): Promise<void> {
  const row = await sql.get<Row>(`select ${columns} from repositories where id = $1`, repositoryId);
  if (!row) return;
  await sql.run(
    `update repositories set maintenance_due_at = $2
     where id = $1 and (maintenance_due_at is null or maintenance_due_at > $2)`,
    repositoryId,
    dueAt({ at: row.maintained_at, fullyAt: row.fully_maintained_at }),
  );
}

export interface ClaimedMaintenance {
  readonly repositoryId: number;
  readonly maintained: Maintained;
  /** When the claim expires if its process dies before it ends the claim. */
  readonly claimedUntil: number;
}

/** Claims the repository that is due longest; undefined if none is due. */
export async function claimMaintenance(
  sql: Sql,
  now: number,
  claimedUntil: number,
): Promise<ClaimedMaintenance | undefined> {
  const row = await sql.get<Row>(
    `select ${columns} from repositories where state = 'ready' and maintenance_due_at <= $1
     order by maintenance_due_at, id limit 1`,
    now,
  );
  if (!row) return undefined;
  await sql.run(
    `update repositories set maintenance_due_at = $2 where id = $1`,
    row.id,
    claimedUntil,
  );
  return {
    repositoryId: row.id,
    maintained: { at: row.maintained_at, fullyAt: row.fully_maintained_at },
    claimedUntil,
  };
}

/** Ends a claim. If a push has scheduled an earlier time meanwhile, that stays. */
export async function endMaintenance(
  sql: Sql,
  { repositoryId, claimedUntil }: ClaimedMaintenance,
  end: { readonly at: number; readonly fully: boolean; readonly dueAt: number | null },
): Promise<void> {
  await sql.run(
    `update repositories set maintained_at = $2,
       fully_maintained_at = case when $3 = 1 then $2 else fully_maintained_at end,
       maintenance_due_at = case when maintenance_due_at = $4 then $5 else maintenance_due_at end
     where id = $1`,
    repositoryId,
    end.at,
    Number(end.fully),
    claimedUntil,
    end.dueAt,
  );
}

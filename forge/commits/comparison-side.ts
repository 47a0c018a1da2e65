import type { Sql } from '#platform/database/database.ts';

import type { Caller } from '../model/caller.ts';
import { atLeast } from '../model/permission.ts';
import { permissionIn } from '../repositories/repository-access.ts';
import { findAccount } from '../accounts/account-store.ts';
import { caseless } from '../model/account.ts';
import type { ObjectId } from '../git/names.ts';
import type { Ports } from '../ports/ports.ts';
import { forkOwnedBy } from '../repositories/fork-store.ts';
import { unlessDeleted } from '../repositories/get-repository.ts';
import { repositoriesById } from '../repositories/repository-store.ts';
import type { Repository } from '../model/repository.ts';

/** One end of a comparison. */
export interface ComparisonSide {
  readonly repository: Repository;
  readonly sha: ObjectId;
}

/** `base...head` in two, or undefined. No ref name has two dots in a row, so the first three are the ones. */
export function splitRange(range: string): { base: string; head: string } | undefined {
  const dots = range.indexOf('...');
  const [base, head] = [range.slice(0, dots), range.slice(dots + 3)];
  return dots === -1 || base === '' || head === '' ? undefined : { base, head };
}

/**
 * Finds what one end names: a revision of this repository, or `owner:revision` in the owner's repository of the same
 * network. undefined when it is absent, or hidden from the caller.
 */
export async function findSide(
  ports: Pick<Ports, 'database' | 'git'>,
  repository: Repository,
  caller: Caller,
  text: string,
): Promise<ComparisonSide | undefined> {
  const colon = text.indexOf(':');
  const target =
    colon === -1
      ? repository
      : await ports.database.read((sql) =>
          ownersRepository(sql, repository, caller, text.slice(0, colon)),
        );
  if (!target) return undefined;
  const sha = await unlessDeleted(
    ports.database,
    target.id,
    () => ports.git.repository(target.id).resolveCommit(text.slice(colon + 1)),
    () => undefined,
  );
  return sha && { repository: target, sha };
}

async function ownersRepository(
  sql: Sql,
  repository: Repository,
  caller: Caller,
  owner: string,
): Promise<Repository | undefined> {
  if (caseless(owner) === caseless(repository.owner.login)) return repository;
  const account = await findAccount(sql, owner);
  const id = account && (await forkOwnedBy(sql, repository.networkId, account.id));
  if (id === undefined || !atLeast(await permissionIn(sql, caller, id), 'read')) return undefined;
  return (await repositoriesById(sql, [id])).get(id);
}

import type { Database, Sql } from '#platform/database/database.ts';
import { uniqueViolation } from '#platform/database/constraint-violation.ts';

import { findAccount } from '../accounts/account-store.ts';
import type { Account } from '../model/account.ts';
import { putCollaborator, removeCollaborator } from './collaborator-store.ts';
import { invalid, refuse } from '../errors/api-error.ts';
import { invalidateRepository, type RepositoryWrite } from '../events/invalidate.ts';
import { emitEvent } from '../events/event-outbox-store.ts';
import { getRepository } from './get-repository.ts';
import { forkWantedBy } from './fork-store.ts';
import { requireMayCreateIn } from './create-repository.ts';
import { nameTaken } from './repository-name.ts';
import { type Repository, repositoryQueue } from '../model/repository.ts';
import { changeOwner, reassignHeads } from './transfer-store.ts';

export interface TransferInput {
  readonly repositoryId: number;
  readonly newOwner: string;
  readonly caller: Account;
  readonly now: number;
}

/**
 * Transfers a repository to the caller's account or to an organization of the caller; the old URL redirects to the new one. The repository of a
 * user goes only by its owner: an administrator could take it from them otherwise.
 * Transfers to other users are refused, because there is no request that a recipient could accept.
 */
export async function transferRepository(database: Database, input: TransferInput): Promise<void> {
  const { repositoryId, caller, now } = input;
  try {
    // Serializable: the end of a membership, and what an installation selects, depend in turn on what an account owns.
    await database.write(
      async (read) => {
        const sql = await invalidateRepository(read, repositoryId);
        const repository = await getRepository(sql, repositoryId);
        if (repository.owner.kind === 'user' && repository.owner.id !== caller.id) refuseOthers();
        const owner = await receiver(sql, repository, input);
        await changeOwner(sql, repositoryId, owner.id, now);
        await reassignHeads(sql, repositoryId, owner);
        await removeCollaborator(sql, repositoryId, owner.id);
        await grantFormerOwnerAdmin(sql, input, owner);
        const event = { event: 'repository', action: 'transferred' } as const;
        const who = { actorId: caller.id, formerOwnerId: repository.owner.id };
        await emitEvent(sql, repositoryId, { ...event, ...who }, now);
      },
      { queue: repositoryQueue(repositoryId) },
    );
  } catch (error) {
    if (!uniqueViolation(error)) throw error;
    invalid(nameTaken);
  }
}

async function receiver(
  sql: Sql,
  repository: Repository,
  { newOwner, caller }: TransferInput,
): Promise<Account> {
  const owner = await findAccount(sql, newOwner);
  if (!owner) return refuseReceiver(`'${newOwner}' is not an account.`);
  if (owner.id === repository.owner.id)
    return refuseReceiver(`'${newOwner}' already owns the repository.`);
  if (owner.kind === 'user' && owner.id !== caller.id) {
    return refuseReceiver(
      'You can transfer a repository only to your account or to your organizations.',
    );
  }
  await requireMayCreateIn(sql, caller, owner);
  if ((await forkWantedBy(sql, repository.networkId, owner.id)) !== undefined) {
    return refuseReceiver(`'${newOwner}' already has a repository of the same fork network.`);
  }
  return owner;
}

/** Who transfers it remains an administrator. */
async function grantFormerOwnerAdmin(
  sql: RepositoryWrite,
  { repositoryId, caller, now }: TransferInput,
  owner: Account,
): Promise<void> {
  if (owner.id === caller.id) return;
  const accountId = caller.id;
  await putCollaborator(sql, { repositoryId, accountId, permission: 'admin', now });
}

function refuseOthers(): never {
  refuse({ kind: 'forbidden', message: 'Must be the owner of the repository to transfer it.' });
}

function refuseReceiver(message: string): never {
  return invalid({ resource: 'Repository', field: 'new_owner', code: 'custom', message });
}

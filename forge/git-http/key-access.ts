import type { Sql } from '#platform/database/database.ts';

import { accountsById } from '../accounts/account-store.ts';
import { reconciledRead } from '../auth/reconciled-read.ts';
import { refuse, RefusalError } from '../errors/api-error.ts';
import type { GitService } from '../git/git.ts';
import { GitRefusal } from '../http/from-git-error.ts';
import type { UserCaller } from '../model/caller.ts';
import { fullName } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { authorizeDeployKey, type DeployKeyGrant } from '../repositories/deploy-key-access.ts';
import type { RepositoryLocator } from '../repositories/repository-access.ts';
import { repositoriesById } from '../repositories/repository-store.ts';
import type { SshKey } from '../model/ssh-key.ts';
import { sshKeyByFingerprint } from '../ssh-keys/ssh-key-store.ts';
import {
  accountSuspended,
  authorizeCaller,
  type GitAuthorization,
  gitRefusalOf,
} from './git-access.ts';

/** Decides by the rules of git over HTTP (git-http/git-access.ts): a user's key does what a token with the scope `repo` does. */
export async function authorizeSsh(
  ports: Ports,
  key: SshKey,
  locator: RepositoryLocator,
  service: GitService,
): Promise<GitAuthorization> {
  if ('repositoryId' in key.owner) {
    const { repositoryId } = key.owner;
    return authorizeWithDeployKey(ports, key, { ...key, repositoryId }, locator, service);
  }
  const confirm = async (sql: Sql): Promise<UserCaller> => {
    const present = await callerOf(sql, key);
    if (present?.account.suspendedAt !== null) refuse({ kind: 'bad-credentials' });
    return present;
  };
  const caller = await ports.database.read((sql) => callerOf(sql, key));
  if (!caller) throw keyDeleted();
  if (caller.account.suspendedAt !== null) throw accountSuspended();
  const result = await authorizeCaller(ports, { caller, confirm }, locator, service);
  if (!('movedTo' in result)) return result;
  const moved = await authorizeCaller(ports, { caller, confirm }, { id: result.movedTo }, service);
  if ('movedTo' in moved) throw new GitRefusal(404, 'Repository not found.');
  return moved;
}

async function authorizeWithDeployKey(
  ports: Ports,
  key: SshKey,
  grant: DeployKeyGrant,
  locator: RepositoryLocator,
  service: GitService,
): Promise<GitAuthorization> {
  const changes = service === 'receive-pack';
  try {
    const caller = await ports.database.read((sql) => callerOf(sql, key));
    if (!caller) throw keyDeleted();
    const { repositoryId } = await reconciledRead(ports, (sql) =>
      authorizeDeployKey(sql, grant, locator, changes),
    );
    return {
      repositoryId,
      caller,
      deployKey: true,
      async authorizeAgain(sql) {
        if (!(await callerOf(sql, key))) refuse({ kind: 'bad-credentials' });
        await authorizeDeployKey(sql, grant, { id: repositoryId }, changes);
      },
    };
  } catch (error) {
    throw error instanceof RefusalError ? gitRefusalOf(error) : error;
  }
}

/** The user of the key, or who added the deploy key; undefined when the key has been deleted. */
async function callerOf(sql: Sql, { id, fingerprint }: SshKey): Promise<UserCaller | undefined> {
  const present = await sshKeyByFingerprint(sql, fingerprint);
  if (present?.id !== id) return undefined;
  const account = (await accountsById(sql, [present.addedBy.id])).get(present.addedBy.id);
  return account && { kind: 'user', account, scopes: new Set(['repo']) };
}

function keyDeleted(): GitRefusal {
  return new GitRefusal(403, 'This key has been deleted.');
}

/** Whom a greeting addresses: the user, who may be refused, or the repository of a deploy key. */
export async function nameOfKeyOwner(
  { database }: Pick<Ports, 'database'>,
  key: SshKey,
): Promise<string> {
  const { owner, addedBy } = key;
  if ('accountId' in owner) {
    const caller = await database.read((sql) => callerOf(sql, key));
    if (!caller) throw keyDeleted();
    if (caller.account.suspendedAt !== null) throw accountSuspended();
    return caller.account.login;
  }
  const { repositoryId } = owner;
  const found = await database.read((sql) => repositoriesById(sql, [repositoryId]));
  const repository = found.get(repositoryId);
  return repository ? fullName(repository) : addedBy.login;
}

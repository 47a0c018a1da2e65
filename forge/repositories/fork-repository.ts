import { uniqueViolation } from '#platform/database/constraint-violation.ts';

import type { Account } from '../model/account.ts';
import { notFound, refuse } from '../errors/api-error.ts';
import { parseBranchName } from '../git/names.ts';
import type { Ports } from '../ports/ports.ts';
import { invalidateRepository, writeRepository } from '../events/invalidate.ts';
import { emitEvent } from '../events/event-outbox-store.ts';
import { copyObjects } from '../large-files/copy-objects.ts';
import { grantAdmin, requireMayCreateIn } from './create-repository.ts';
import { abandonRepository, removeIfAnswerWasLost } from './delete-repository.ts';
import { forkWantedBy, freeName } from './fork-store.ts';
import { insertRepository, markReady } from './repository-life-store.ts';
import { isReady, getRepository } from './get-repository.ts';
import { markPushed, repositoriesById } from './repository-store.ts';
import type { Repository } from '../model/repository.ts';
import { measureSize } from './after-push.ts';

export interface ForkInput {
  readonly source: Repository;
  readonly owner: Account;
  readonly creator: Account;
  readonly now: number;
}

/**
 * Forks a repository into an account, or returns the existing fork: an account has at most one repository of a network.
 * First the row, then git, then the row becomes visible, as with every new repository.
 */
export async function forkRepository(
  ports: Pick<Ports, 'background' | 'clock' | 'database' | 'git' | 'serverId'>,
  input: ForkInput,
): Promise<Repository> {
  const { source } = input;
  if ((await ports.git.repository(source.id).listRefs('refs/')).length === 0) {
    // It also looks empty while its files are being deleted.
    await ports.database.read((sql) => getRepository(sql, source.id));
    return refuse({
      kind: 'forbidden',
      message:
        'The repository exists, but it contains no Git content. Empty repositories cannot be forked.',
    });
  }
  const { id, reserved } = await reserve(ports, input);
  if (reserved) {
    try {
      await copy(ports, source, id);
      await publish(ports, id, input);
    } catch (error) {
      await abandonRepository(ports, id, error);
    }
    measureSize(ports, id);
  }
  const fork = (await ports.database.read((sql) => repositoriesById(sql, [id]))).get(id);
  return fork ?? notFound();
}

function publish(
  { database }: Pick<Ports, 'database'>,
  id: number,
  input: ForkInput,
): Promise<void> {
  const { source, now } = input;
  return writeRepository(database, id, async (sql) => {
    await markPushed(sql, id, now);
    await markReady(sql, id);
    const forked = { event: 'fork', forkId: id, actorId: input.creator.id } as const;
    // The source may have been deleted while it was copied.
    if (await isReady(sql, source.id)) await emitEvent(sql, source.id, forked, now);
  });
}

interface Reservation {
  readonly id: number;
  /** False for a fork that existed already. */
  readonly reserved: boolean;
}

/** How often a fork looks for a free name while other repositories of its owner get those that it finds. */
const namesTriedMax = 10;

async function reserve(
  ports: Pick<Ports, 'background' | 'database' | 'git' | 'serverId'>,
  input: ForkInput,
): Promise<Reservation> {
  for (let tried = 0; tried < namesTriedMax; tried += 1) {
    const reservation = await reserveFreeName(ports, input);
    if (reservation) return reservation;
  }
  const message = 'No free name for the fork was found. Try again.';
  return refuse({ kind: 'unavailable', message });
}

/** undefined if another repository of the account got the name at the same time. */
async function reserveFreeName(
  ports: Pick<Ports, 'background' | 'database' | 'git' | 'serverId'>,
  input: ForkInput,
): Promise<Reservation | undefined> {
  const { source, owner, now } = input;
  let id: number | undefined;
  try {
    return await ports.database.write(async (sql) => {
      const current = await getRepository(sql, source.id);
      if (current.private !== source.private) return notFound();
      const existing = await forkWantedBy(sql, current.networkId, owner.id);
      if (existing !== undefined) return { id: existing, reserved: false };
      await requireMayCreateIn(sql, input.creator, owner);
      const write = await invalidateRepository(sql, source.id);
      id = await insertRepository(write, {
        ownerId: owner.id,
        name: await freeName(sql, owner.id, source.name),
        description: source.description,
        homepage: source.homepage,
        private: source.private,
        defaultBranch: source.defaultBranch,
        networkId: current.networkId,
        parentId: source.id,
        settings: { hasIssues: false },
        now,
        serverId: ports.serverId,
      });
      await grantAdmin(write, id, input);
      return { id, reserved: true };
    });
  } catch (error) {
    if (uniqueViolation(error)) return undefined;
    removeIfAnswerWasLost(ports, id, error);
    throw error;
  }
}

async function copy(
  ports: Pick<Ports, 'background' | 'clock' | 'database' | 'git' | 'serverId'>,
  source: Repository,
  id: number,
): Promise<void> {
  const branch = parseBranchName(source.defaultBranch);
  if (!branch) throw new Error(`repository ${source.id} has no usable default branch`);
  await ports.git.fork(source.id, id, branch);
  await copyObjects(ports, source.id, id);
}

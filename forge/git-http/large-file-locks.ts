import Type from 'typebox';

import { SchemaCheck } from '#platform/schema-check.ts';

import { parseTreePath } from '../git/names.ts';
import {
  countLocks,
  deleteLock,
  insertLock,
  type LfsLock,
  type LockFilter,
  listLocks,
} from '../large-files/lfs-lock-store.ts';
import { GitRefusal } from '../http/from-git-error.ts';
import { callerAccountId } from '../model/caller.ts';
import type { GitAuthorization } from './git-access.ts';
import type { LfsResponse, LfsRequest } from './lfs-request.ts';

/** Locks in one response. */
const pageMax = 100;
/** Locks of a repository. */
const locksMax = 10_000;

/** For who may fetch. */
export async function listedLocks({ authorize, ports, query }: LfsRequest): Promise<LfsResponse> {
  const { repositoryId } = await authorize('upload-pack');
  const filter = filterOf(query);
  const { locks, next } = filter
    ? await readPage(ports, repositoryId, filter)
    : { locks: [], next: {} };
  return { status: 200, body: { locks: locks.map(representLock), ...next } };
}

/** Whose locks are whose: clients ask before they push. */
export async function verifiedLocks({ authorize, body, ports }: LfsRequest): Promise<LfsResponse> {
  const { repositoryId, caller } = await authorize('receive-pack');
  const asked = await body();
  const { cursor = null, limit = null } = isPage.accepts(asked) ? asked : {};
  const page = pageOf(cursor, limit === null ? null : String(limit));
  const { locks, next } = await readPage(ports, repositoryId, page);
  const own = ({ ownerId }: LfsLock): boolean => ownerId === callerAccountId(caller);
  return {
    status: 200,
    body: {
      ours: locks.filter(own).map(representLock),
      theirs: locks.filter((lock) => !own(lock)).map(representLock),
      ...next,
    },
  };
}

const isPage = new SchemaCheck(
  Type.Object({
    cursor: Type.Optional(Type.String()),
    limit: Type.Optional(Type.Integer()),
  }),
);

const namesPath = new SchemaCheck(Type.Object({ path: Type.String() }));

const isForced = new SchemaCheck(Type.Object({ force: Type.Literal(true) }));

export async function createLock({ authorize, body, ports }: LfsRequest): Promise<LfsResponse> {
  const { repositoryId, caller, authorizeAgain } = await authorizeWhole(authorize);
  const asked = await body();
  const path = namesPath.accepts(asked) ? parseTreePath(asked.path) : undefined;
  if (path === undefined) return { status: 422, body: { message: 'The path is none of a file.' } };
  const { made, lock } = await ports.database.write(async (sql) => {
    await authorizeAgain(sql, []);
    if ((await countLocks(sql, repositoryId)) >= locksMax) return { made: false, lock: undefined };
    const ownerId = callerAccountId(caller);
    const inserted = await insertLock(sql, { repositoryId, path, ownerId, now: ports.clock.now() });
    const [found] = await listLocks(sql, repositoryId, { path, after: 0, limit: 1 });
    return { made: inserted, lock: found };
  });
  if (!lock) {
    return { status: 422, body: { message: `A repository has at most ${locksMax} locks.` } };
  }
  return made
    ? { status: 201, body: { lock: representLock(lock) } }
    : { status: 409, body: { lock: representLock(lock), message: 'The path is already locked.' } };
}

/** Its owner removes it; others who may push by `force`. */
export async function removeLock(
  { authorize, body, ports }: LfsRequest,
  name: string,
): Promise<LfsResponse> {
  const { repositoryId, caller, authorizeAgain } = await authorizeWhole(authorize);
  const asked = await body();
  const force = isForced.accepts(asked);
  return ports.database.write(async (sql) => {
    await authorizeAgain(sql, []);
    const id = parseLockId(name);
    const [lock] =
      id === undefined ? [] : await listLocks(sql, repositoryId, { id, after: 0, limit: 1 });
    if (!lock) return { status: 404, body: { message: 'There is no such lock.' } };
    if (lock.ownerId !== callerAccountId(caller) && !force) {
      const message = `The lock is one of ${lock.ownerLogin}. Use --force to remove it.`;
      return { status: 403, body: { message } };
    }
    await deleteLock(sql, repositoryId, lock.id);
    return { status: 200, body: { lock: representLock(lock) } };
  });
}

/** A lock is of all branches: push access to some is not enough. */
async function authorizeWhole(authorize: LfsRequest['authorize']): Promise<GitAuthorization> {
  const authorization = await authorize('receive-pack');
  if (authorization.onlyBranches) {
    throw new GitRefusal(
      403,
      'You can push to branches of this repository but not lock its paths.',
    );
  }
  return authorization;
}

/** The id of a lock, as the last part of its path or in a query. */
function parseLockId(text: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

/** undefined if no lock can match. */
function filterOf(query: URLSearchParams): LockFilter | undefined {
  const page = pageOf(query.get('cursor'), query.get('limit'));
  const [text, number] = [query.get('path') ?? '', query.get('id')];
  const path = text === '' ? '' : parseTreePath(text);
  const id = number === null ? undefined : parseLockId(number);
  if (path === undefined || (number !== null && id === undefined)) return undefined;
  return { ...page, path, ...(id === undefined ? {} : { id }) };
}

function pageOf(cursor: string | null, limit: string | null): Pick<LockFilter, 'after' | 'limit'> {
  const size = Number(limit ?? pageMax);
  return {
    after: /^\d{1,15}$/.test(cursor ?? '') ? Number(cursor) : 0,
    limit: Number.isInteger(size) && size > 0 ? Math.min(size, pageMax) : pageMax,
  };
}

/** One more than the page shows that there is another. */
async function readPage(
  { database }: LfsRequest['ports'],
  repositoryId: number,
  filter: LockFilter,
): Promise<{ locks: LfsLock[]; next: { next_cursor?: string } }> {
  const found = await database.read((sql) =>
    listLocks(sql, repositoryId, { ...filter, limit: filter.limit + 1 }),
  );
  const locks = found.slice(0, filter.limit);
  const last = found.length > filter.limit ? locks.at(-1) : undefined;
  return { locks, next: last ? { next_cursor: String(last.id) } : {} };
}

function representLock({ id, path, ownerLogin, lockedAt }: LfsLock): object {
  const at = new Date(lockedAt).toISOString().replace(/\.\d+Z$/, 'Z');
  return { id: String(id), path, locked_at: at, owner: { name: ownerLogin } };
}

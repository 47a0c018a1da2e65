import { createHash } from 'node:crypto';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { isAbsent, namesIn } from '#platform/absent-files.ts';

import { exists } from '../commands/durability.ts';
import { gitDirectory, runIn, type GitProcessState } from '../commands/git-directory.ts';
import { GitError } from '../git-error.ts';
import { copyLimits } from '../repository/fetch-objects.ts';
import { removeRepository } from '../repository/repository-life.ts';

/** What a git process does for the move of repositories to another shard. A token names the attempt. */
export interface RepositoryMoves {
  /** At the source: no writes are under way any more, and none begin. */
  freeze(token: string, ids: readonly number[]): Promise<void>;
  /** At the source: nothing is answered until the database names the shard. */
  close(token: string, ids: readonly number[]): Promise<void>;
  /** At the source: the move did not happen. */
  thaw(token: string): Promise<void>;
  /** At the source: they are in another shard; removes their files. */
  leave(token: string, ids: readonly number[]): Promise<void>;
  /** A digest of HEAD and all refs, each with an object that is there. Without a token: of the repository; otherwise of its copy that arrives. */
  refs(id: number, token?: string): Promise<string>;
  /** At the target: copies may arrive. */
  begin(token: string): Promise<void>;
  /** At the target: these copies are the repositories from now on. Nothing happens where they are already. */
  accept(token: string, ids: readonly number[]): Promise<void>;
  /** At the target: removes the copies. */
  drop(token: string): Promise<void>;
  /** The moves that either end knows of. */
  tokens(): Promise<MoveTokens>;
}

export interface MoveTokens {
  readonly leaving: readonly string[];
  readonly arriving: readonly string[];
}

export const moveCalls = [
  'freeze',
  'close',
  'thaw',
  'leave',
  'refs',
  'begin',
  'accept',
  'drop',
  'tokens',
] as const satisfies readonly (keyof RepositoryMoves)[];

export function repositoryMoves(state: GitProcessState): RepositoryMoves {
  const { moveLock, paths, durability } = state;
  return {
    async freeze(token, ids) {
      // What a crash interrupted is in order before it is copied.
      for (const id of ids) await state.recovery.done(id);
      await moveLock.freeze(token, ids);
    },
    close: (token, ids) => moveLock.close(token, ids),
    thaw: (token) => moveLock.thaw(token),
    async leave(token, ids) {
      await moveLock.leave(token, ids);
      for (const id of ids) await removeRepository(state, id);
    },
    async refs(id, token) {
      const path = token === undefined ? paths.repository(id) : copyPath(state, token, id);
      const directory = { ...gitDirectory(state, id), path };
      await access(join(path, 'HEAD'));
      const hash = createHash('sha256');
      // The type of an object is in the object: git fails where it is not there.
      const format = '--format=%(objectname) %(objecttype) %(refname)';
      for (const command of [
        ['symbolic-ref', 'HEAD'],
        ['for-each-ref', format],
      ])
        hash.update((await runIn(directory, command, refLimits)).bytes);
      return hash.digest('hex');
    },
    async begin(token) {
      await mkdir(folderOf(state, token), { recursive: true });
      await durability.sync(paths.moves);
    },
    async accept(token, ids) {
      for (const id of ids) await install(state, copyPath(state, token, id), paths.repository(id));
      await moveLock.accept(token, ids);
      await removeCopies(state, token);
    },
    async drop(token) {
      await removeCopies(state, token);
      moveLock.forget(token);
    },
    async tokens() {
      const arriving = (await namesIn(paths.moves)).flatMap((name) =>
        name.startsWith(folderPrefix) ? [name.slice(folderPrefix.length)] : [],
      );
      return { arriving, leaving: moveLock.tokens() };
    },
  };
}

/** Where a copy arrives. Refused unless its move has started here, and while the shard has such a repository. */
export async function expectCopy(
  state: GitProcessState,
  token: string,
  id: number,
): Promise<string> {
  if (!(await exists(folderOf(state, token))))
    throw new GitError('failed', 'The move has ended, or never began.');
  if (await exists(state.paths.repository(id)))
    throw new GitError('failed', `The shard has files of a repository ${id} already.`);
  state.moveLock.expect(token, id);
  return copyPath(state, token, id);
}

/** What a former process of this shard was moving is held back from the beginning. */
export async function openMoves(state: GitProcessState): Promise<void> {
  await state.moveLock.open();
  for (const name of await namesIn(state.paths.moves)) {
    if (!name.startsWith(folderPrefix)) continue;
    for (const copy of await namesIn(join(state.paths.moves, name)))
      state.moveLock.expect(name.slice(folderPrefix.length), Number.parseInt(copy, 10));
  }
}

/** Refs of a repository that is moved to another shard. */
const refLimits = { outputBytesMax: 512 * 1024 * 1024, limits: copyLimits };

const folderPrefix = 'arriving-';

function folderOf({ paths }: GitProcessState, token: string): string {
  if (!/^[\w-]{1,100}$/.test(token)) throw new GitError('failed', 'Not the token of a move.');
  return join(paths.moves, `${folderPrefix}${token}`);
}

function copyPath(state: GitProcessState, token: string, id: number): string {
  if (!Number.isSafeInteger(id) || id < 0) throw new GitError('failed', 'Not a repository id.');
  return join(folderOf(state, token), `${id}.git`);
}

async function install({ durability }: GitProcessState, copy: string, path: string): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  try {
    await rename(copy, path);
  } catch (error) {
    // It was installed before the process that was asked first ended.
    if (!isAbsent(error) || !(await exists(path))) throw error;
  }
  await durability.sync(folder);
  await durability.sync(dirname(folder));
}

async function removeCopies(state: GitProcessState, token: string): Promise<void> {
  await rm(folderOf(state, token), { recursive: true, force: true, maxRetries: 10 });
}

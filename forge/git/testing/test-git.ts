import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before } from 'node:test';

import type { Git, GitRepository, Signature } from '../git.ts';
import { connectGit } from '../process/git-client.ts';
import type { GitProcessState } from '../commands/git-directory.ts';
import { startGitServer } from '../process/git-server.ts';
import { expectObjectId, parseBranchName, parseRefName, parseTreePath } from '../names.ts';
import type { BranchName, ObjectId, RefName, TreePath } from '../names.ts';
import { closeGitState, openGitState } from '../process/open-git-state.ts';
import { startBridge } from './http-bridge.ts';
import type { Bridge, BridgeOptions } from './http-bridge.ts';
import { gitLine, realGit, temporaryFolder } from './real-git.ts';

export interface TestGit {
  /**
   * The port as the server sees it: through a socket, so that every test also covers the way there.
   */
  readonly git: Git;
  readonly state: GitProcessState;
  readonly socketPath: string;
  /** A folder for work repositories and the like. */
  readonly folder: string;
  /** A new empty repository. */
  readonly newRepository: () => Promise<TestRepository>;
  /** An HTTP server around a repository, which ends with the tests. */
  readonly serve: (repository: GitRepository, options?: BridgeOptions) => Promise<Bridge>;
}

export interface TestRepository {
  readonly repository: GitRepository;
  readonly id: number;
  /** Where it lies on disk. */
  readonly path: string;
  /** A person's clone of it, to commit in; `git push origin` reaches the repository directly. */
  readonly work: string;
  /** Commits all files of the clone and gives the commit. */
  readonly commit: (message: string) => Promise<ObjectId>;
  /** Pushes the clone's branch to the repository, past the port, and gives its commit. */
  readonly push: (branch: string) => Promise<ObjectId>;
}

/**
 * A git process with a server and a client for the tests of one file. Call it at the top of the file.
 */
export function useTestGit(): TestGit {
  let running: (TestGit & { close(): Promise<void> }) | undefined;
  const get = () => {
    if (!running) throw new Error('The test git is not running yet.');
    return running;
  };
  before(async () => {
    running = await start();
  });
  after(() => get().close());
  return {
    get git() {
      return get().git;
    },
    get state() {
      return get().state;
    },
    get socketPath() {
      return get().socketPath;
    },
    get folder() {
      return get().folder;
    },
    newRepository: () => get().newRepository(),
    serve: (repository, options) => get().serve(repository, options),
  };
}

async function start(): Promise<TestGit & { close(): Promise<void> }> {
  const temporary = await temporaryFolder();
  const folder = temporary.path;
  const { state } = await openGitState({
    root: join(folder, 'root'),
    onNotDurable: () => {},
    report: () => {},
  });
  const socketPath = join(folder, 'git.sock');
  const server = await startGitServer(state, socketPath);
  const git = connectGit(socketPath);
  const bridges: Bridge[] = [];
  let lastId = 0;
  return {
    git,
    state,
    socketPath,
    folder,
    async newRepository() {
      lastId += 1;
      return newRepository(git, state, folder, lastId);
    },
    async serve(repository, options) {
      const bridge = await startBridge(repository, options);
      bridges.push(bridge);
      return bridge;
    },
    async close() {
      await Promise.all(bridges.map((bridge) => bridge.close()));
      await git.close();
      server.close();
      server.closeAllConnections();
      await closeGitState(state);
      await temporary.remove();
    },
  };
}

async function newRepository(
  git: Git,
  state: GitProcessState,
  folder: string,
  id: number,
): Promise<TestRepository> {
  await git.create(id, branchName('main'));
  const path = state.paths.repository(id);
  const work = join(folder, `work-${id}`);
  await mkdir(work);
  await realGit(work, ['init', '-q']);
  await realGit(work, ['remote', 'add', 'origin', path]);
  return {
    repository: git.repository(id),
    id,
    path,
    work,
    async commit(message) {
      await realGit(work, ['add', '--all']);
      await realGit(work, ['commit', '-q', '--allow-empty', '-m', message]);
      return objectId(await gitLine(work, 'rev-parse', 'HEAD'));
    },
    async push(branch) {
      await realGit(work, ['push', '-q', '-f', 'origin', branch]);
      return objectId(await gitLine(work, 'rev-parse', branch));
    },
  };
}

export function objectId(text: string): ObjectId {
  return expectObjectId(text);
}

export function refName(text: string): RefName {
  return expected(parseRefName(text), text);
}

export function branchName(text: string): BranchName {
  return expected(parseBranchName(text), text);
}

export function treePath(text: string): TreePath {
  return expected(parseTreePath(text), text);
}

export const someone: Signature = {
  name: 'Somebody Else',
  email: 'else@example.com',
  seconds: 1_700_001_000,
  offsetMinutes: 120,
};

function expected<T>(value: T | undefined, text: string): T {
  if (value === undefined) throw new Error(`Not a well-formed name: ${text}`);
  return value;
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

import type { Git, GitRepository } from '../git/git.ts';
import { startGitProcess } from '../git/process/start-git-process.ts';

interface SharedProcess {
  readonly git: Git;
  close(): Promise<void>;
}

/** To start it takes a fifth of a second, and a test process has a hundred forges. */
let started: Promise<SharedProcess> | undefined;

after(async () => {
  await (await started)?.close();
});

/** More repositories than a test makes. */
const idsPerForge = 1_000_000;
let forges = 0;

/**
 * Git for one forge, as a database counts its repositories: from 1. All forges of a test process share a git process, in which
 * each has a range of ids.
 */
export async function openSharedGit(): Promise<Git> {
  const { git } = await (started ??= startShared());
  const first = forges * idsPerForge;
  forges += 1;
  const made = new Set<number>();
  return {
    repository(id) {
      const repository = git.repository(first + id);
      const named: GitRepository = {
        ...repository,
        id,
        fetchObjects: (sourceId, ids) => repository.fetchObjects(first + sourceId, ids),
      };
      return named;
    },
    async create(id, defaultBranch) {
      made.add(id);
      await git.create(first + id, defaultBranch);
    },
    async fork(sourceId, id, defaultBranch) {
      made.add(id);
      await git.fork(first + sourceId, first + id, defaultBranch);
    },
    remove: (id) => git.remove(first + id),
    async close() {
      for (const id of made) await git.remove(first + id);
    },
  };
}

async function startShared(): Promise<SharedProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'hob-test-git-'));
  // A process of its own, as in production: to spawn from the large process of a test run takes many times as long.
  const process = await startGitProcess({
    root: join(folder, 'git'),
    socketPath: join(folder, 'socket'),
    log: () => {},
  });
  return {
    git: process.git,
    async close() {
      await process.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

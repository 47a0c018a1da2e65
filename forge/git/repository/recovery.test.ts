import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { suite, test } from 'node:test';

import { PendingWork } from '#platform/pending-work.ts';

import { connectGit } from '../process/git-client.ts';
import { GitError } from '../git-error.ts';
import { startGitServer } from '../process/git-server.ts';
import { closeGitState, openGitState } from '../process/open-git-state.ts';
import { findStaleGitState } from './recovery.ts';
import { branchName, refName, useTestGit } from '../testing/test-git.ts';

const main = refName('refs/heads/main');

suite('recovery', () => {
  const testGit = useTestGit();
  const { newRepository } = testGit;

  const staleFiles = [
    'HEAD.lock',
    'packed-refs.lock',
    'packed-refs.new',
    'config.lock',
    'shallow.lock',
    'gc.pid',
    'refs/heads/main.lock',
    'refs/heads/deep/er.lock',
    'objects/tmp_objdir-incoming-abc/pack/tmp_pack_x',
    'objects/incoming-abc/x',
    'objects/pack/tmp_pack_abc',
    'objects/pack/.tmp-1-pack-abc.pack',
    'objects/pack/multi-pack-index.lock',
    'objects/info/commit-graph.lock',
    'objects/info/commit-graphs/commit-graph-chain.lock',
    'objects/ab/tmp_obj_abc',
  ];

  async function leave(path: string): Promise<void> {
    for (const name of staleFiles) {
      await mkdir(dirname(join(path, name)), { recursive: true });
      await writeFile(join(path, name), 'left by a crash');
    }
  }

  /** As the next start does; returns the repositories that it checked. */
  async function recover(): Promise<readonly number[]> {
    const { paths } = testGit.state;
    const { ids } = await findStaleGitState(paths);
    const settings = { root: dirname(paths.busy), onNotDurable: () => {}, report: assert.fail };
    const next = await openGitState(settings);
    await next.recoverAll();
    await closeGitState(next.state);
    return ids;
  }

  async function left(path: string): Promise<string[]> {
    const names = await readdir(path, { recursive: true });
    return staleFiles.filter((name) => names.includes(name));
  }

  test('leaves repositories without writers unchanged', async () => {
    const { path } = await newRepository();
    await leave(path);
    assert.deepEqual(await recover(), []);
    assert.deepEqual(await left(path), staleFiles);
  });

  test('clears what a crash left, so that the next update works', async () => {
    const { repository, id, path, commit, push } = await newRepository();
    const first = await commit('one');
    await push('main');
    await leave(path);
    const second = await commit('two');
    await writeFile(join(testGit.state.paths.busy, String(id)), '');
    assert.deepEqual(await recover(), [id]);
    assert.deepEqual(await left(path), []);
    assert.deepEqual(await readdir(testGit.state.paths.busy), []);
    await push('topic').catch(() => {});
    await repository.fetchObjects(id, []);
    const read = await repository.readCommit(first);
    assert.ok(read);
    const next = await repository.writeCommit({ ...read, message: second });
    const result = await repository.updateRefs([{ ref: main, old: first, new: next }]);
    assert.deepEqual(result, { kind: 'updated' });
  });

  test('removes repositories that were half made or half removed', async () => {
    const { paths } = testGit.state;
    await mkdir(join(paths.arriving, 'half.git', 'objects'), { recursive: true });
    await mkdir(join(paths.leaving, 'half', 'objects'), { recursive: true });
    await writeFile(join(paths.arriving, 'refusals-x'), 'refs/heads/x\tno\n');
    await writeFile(join(paths.busy, 'no number'), '');
    await recover();
    assert.deepEqual(await readdir(paths.arriving), []);
    assert.deepEqual(await readdir(paths.leaving), []);
  });

  test('does not mind a repository that was removed meanwhile', async () => {
    await writeFile(join(testGit.state.paths.busy, '777777'), '');
    assert.deepEqual(await recover(), [777_777]);
    assert.ok(!(await readdir(testGit.state.paths.busy)).includes('777777'));
  });

  test('delays only requests for the repository', async () => {
    const one = await newRepository();
    const other = await newRepository();
    const tip = await one.commit('one');
    await one.push('main');
    await other.commit('other');
    await other.push('main');
    let recoveries = 0;
    let { promise: step, resolve: go, reject: fail } = Promise.withResolvers<void>();
    const recovery = new PendingWork();
    recovery.add(one.id, async () => {
      recoveries += 1;
      await step;
    });
    const socketPath = join(testGit.folder, 'recovering.sock');
    const server = await startGitServer({ ...testGit.state, recovery }, socketPath);
    const git = connectGit(socketPath);
    const completed: string[] = [];
    const note = (name: string, call: Promise<unknown>): Promise<void> =>
      call.then(
        () => void completed.push(name),
        (error: unknown) => {
          assert.ok(error instanceof GitError);
          completed.push(`${name}: ${error.kind}`);
        },
      );
    const push = (): Promise<unknown> => {
      const body = Readable.from([Buffer.from('0000')]);
      const options = {
        protocol: undefined,
        refused: new Map<string, string>(),
        packBytesMax: 1e9,
      };
      const { output, completed: end } = git.repository(one.id).receivePack(body, options);
      output.on('error', () => {}).resume();
      return end;
    };
    try {
      const arrived = requestsOf(server, 6);
      const waiting = [
        note('read', git.repository(one.id).readRef(main)),
        note('refs', git.repository(one.id).advertise('upload-pack', undefined)),
        note('clone', git.repository(one.id).uploadPack(Readable.from([]), undefined)),
        note('push', push()),
        note('fork', git.fork(one.id, 4711, branchName('main'))),
        note('fetch', git.repository(other.id).fetchObjects(one.id, [tip])),
      ];
      await arrived;
      assert.ok(await git.repository(other.id).readRef(main), 'others are answered');
      assert.deepEqual(completed, []);
      fail(new Error('the disk does not answer'));
      await Promise.all(waiting);
      const names = ['read', 'refs', 'clone', 'push', 'fork', 'fetch'];
      assert.deepEqual(completed.toSorted(), names.map((name) => `${name}: recovering`).toSorted());
      const before = recoveries;
      ({ promise: step, resolve: go, reject: fail } = Promise.withResolvers<void>());
      const again = git.repository(one.id).readRef(main);
      go();
      assert.equal(await again, tip);
      assert.equal(recoveries, before + 1, 'what failed is tried again');
    } finally {
      await git.close();
      server.close();
      server.closeAllConnections();
    }
  });

  /** Resolves when so many requests have come. */
  function requestsOf(server: Server, count: number): Promise<void> {
    let coming = count;
    return new Promise((resolve) => {
      server.on('request', () => {
        coming -= 1;
        if (coming === 0) resolve();
      });
    });
  }
});

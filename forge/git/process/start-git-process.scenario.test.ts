import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { type Child, startChild } from '#platform/child-process.ts';
import { OperatorError } from '#platform/operator-error.ts';

import { connectGit } from './git-client.ts';
import { startGitInProcess } from '../testing/git-in-process.ts';
import { noObject, type ObjectId } from '../names.ts';
import type { GitRepository } from '../git.ts';
import { flushPacket, formatPacket } from '../format/pkt-line.ts';
import { movesOver } from './move-client.ts';
import { writeShardMarker } from './shard-marker.ts';
import { SpareGitProcess } from './spare-git-process.ts';
import { beginGitProcess, startGitProcess } from './start-git-process.ts';
import { temporaryFolder } from '../testing/real-git.ts';
import { branchName, refName, treePath, someone } from '../testing/test-git.ts';

const main = refName('refs/heads/main');
const program = fileURLToPath(new URL('git-process.ts', import.meta.url));

/** The processes whose command line has all these arguments, by id. Only on Linux. */
async function processesOf(...words: string[]): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const line = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    if (words.every((word) => line.includes(word))) found.push(Number(name));
  }
  return found;
}

async function untilGone(folder: string): Promise<void> {
  while ((await processesOf(folder)).length > 0)
    await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Processes of this one that wait to be told their root. */
async function untilReserve(count: number): Promise<void> {
  const isReserve = async (id: number): Promise<boolean> => {
    const line = await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '');
    const state = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => '');
    return line.endsWith(`${program}\0`) && state.split(' ')[3] === String(process.pid);
  };
  for (;;) {
    const found = await Promise.all((await processesOf(program)).map(isReserve));
    if (found.filter(Boolean).length === count) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function firstCommit(repository: GitRepository): Promise<ObjectId> {
  const written = await repository.writeTree(undefined, []);
  assert.equal(written.kind, 'written');
  const signatures = { author: someone, committer: someone };
  return repository.writeCommit({ tree: written.id, parents: [], ...signatures, message: 'One' });
}

function emptyPack(): Buffer {
  const head = Buffer.from('PACK\0\0\0\u0002\0\0\0\0', 'latin1');
  return Buffer.concat([head, createHash('sha1').update(head).digest()]);
}

suite('the git process', { skip: process.platform !== 'linux', timeout: 60_000 }, () => {
  test('says why it cannot start', async () => {
    const temporary = await temporaryFolder();
    await writeFile(join(temporary.path, 'file'), 'not a folder');
    const root = join(temporary.path, 'file');
    const settings = { root, socketPath: join(temporary.path, 's'), log: () => {} };
    await assert.rejects(startGitProcess(settings), (error: Error) => {
      assert.ok(error instanceof OperatorError, String(error));
      assert.match(
        error.message,
        /Starting the git process failed: .*(ENOTDIR|EEXIST).* Check the folder .*\/file, .* `hob doctor`/,
      );
      return true;
    });
    await untilGone(temporary.path);
    await temporary.remove();
  });

  test('says what to do when it is not ready in time', async () => {
    const temporary = await temporaryFolder();
    const settings = { root: temporary.path, socketPath: join(temporary.path, 's'), log: () => {} };
    await assert.rejects(startGitProcess({ ...settings, readyMilliseconds: 1 }), (error: Error) => {
      assert.ok(error instanceof OperatorError, String(error));
      assert.ok(error.message.includes(`of ${temporary.path} was not ready after 0.001 seconds`));
      assert.match(
        error.message,
        /Check the load of the host .* start Hob again if it has ended\./,
      );
      return true;
    });
    await untilGone(temporary.path);
    await temporary.remove();
  });

  test('begins with a process in reserve, where there is one', async () => {
    const temporary = await temporaryFolder();
    const root = join(temporary.path, 'root');
    const settings = { root, socketPath: join(temporary.path, 's'), log: () => {} };
    const spare = new SpareGitProcess(0);
    const taken: Child[] = [];
    const takeSpare = (): Child | undefined => {
      const child = taken.length === 0 ? spare.take() : undefined;
      if (child) taken.push(child);
      return child;
    };
    await untilReserve(1);
    const { git, statistics, close } = await startGitProcess({ ...settings, takeSpare });
    const [process] = taken;
    assert.ok(process, 'it was there');
    assert.deepEqual(await processesOf(program, root), [], 'no other was started');
    await git.create(1, branchName('main'));
    process.kill();
    assert.deepEqual(await git.repository(1).listRefs('refs/'), []);
    assert.equal(statistics().restarts, 1);
    await close();
    // The next one ends where it is killed, and is replaced; then where its parent closes its input.
    await untilReserve(1);
    spare.take()?.kill();
    await untilReserve(1);
    const last = spare.take();
    last?.stdin.end();
    assert.equal((await last?.ended)?.status, 0);
    await spare.close();
    await untilReserve(0);
    await temporary.remove();
  });

  /** A response that ends before its request closes the connection, and the rest of the push fails to be written. */
  test('names the missing repository of a push that still arrives', async () => {
    const temporary = await temporaryFolder();
    const settings = { root: temporary.path, socketPath: join(temporary.path, 's'), log: () => {} };
    const { git, close } = await startGitProcess(settings);
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const commands = formatPacket(`${noObject} ${'1'.repeat(40)} refs/heads/x\0report-status`);
      const pack = Array.from({ length: 200 }, () => Buffer.alloc(65_536, 'PACK'));
      const push = git.repository(9).receivePack(Readable.from([commands, ...pack]), {
        protocol: undefined,
        refused: new Map(),
        packBytesMax: 1e9,
      });
      push.output.on('error', () => {});
      await assert.rejects(push.completed, { kind: 'missing-repository' });
    }
    await close();
    await temporary.remove();
  });

  test('takes no decision about a push of its predecessor for one of its own', async () => {
    const temporary = await temporaryFolder();
    const settings = { root: temporary.path, socketPath: join(temporary.path, 's'), log: () => {} };
    const { git, close } = await startGitProcess(settings);
    await git.create(1, branchName('main'));
    const repository = git.repository(1);
    const commit = await firstCommit(repository);
    const push = (ref: string, decision: Promise<string | undefined>) => {
      const asked = Promise.withResolvers<undefined>();
      const body = Readable.from([
        formatPacket(`${noObject} ${commit} ${ref}\0report-status`),
        flushPacket,
        emptyPack(),
      ]);
      const options = { protocol: undefined, refused: new Map(), packBytesMax: 1e9 };
      const { output, completed } = repository.receivePack(body, options, () => {
        asked.resolve(undefined);
        return decision;
      });
      output.on('error', () => {}).resume();
      return { asked: asked.promise, completed };
    };
    const recorded = Promise.withResolvers<undefined>();
    const first = push('refs/heads/one', recorded.promise);
    await first.asked;
    const [pid = assert.fail()] = await processesOf(program, temporary.path);
    process.kill(pid, 'SIGKILL');
    await repository.size();
    const refused = Promise.withResolvers<string>();
    const second = push('refs/heads/two', refused.promise);
    await second.asked;
    recorded.resolve(undefined);
    await assert.rejects(first.completed, { kind: 'unavailable' });
    refused.resolve('You cannot push to this repository any more.');
    assert.deepEqual(await second.completed, []);
    assert.equal(await repository.readRef(refName('refs/heads/two')), undefined);
    await close();
    await temporary.remove();
  });

  test('lets calls wait while it starts, and refuses them when it does not', async () => {
    const temporary = await temporaryFolder();
    const settings = { root: temporary.path, socketPath: join(temporary.path, 's'), log: () => {} };
    const starting = beginGitProcess(settings);
    assert.equal(starting.statistics().isAvailable, false);
    await starting.git.create(1, branchName('main'));
    await starting.ready;
    assert.equal(starting.statistics().isAvailable, true);
    await starting.close();
    await writeFile(join(temporary.path, 'file'), 'not a folder');
    const failing = beginGitProcess({ ...settings, root: join(temporary.path, 'file') });
    const unavailable = { name: 'GitError', kind: 'unavailable' };
    await assert.rejects(failing.git.create(1, branchName('main')), unavailable);
    await assert.rejects(failing.ready, { name: 'OperatorError' });
    await failing.close();
    await temporary.remove();
  });

  test('writes a file below as many folders as its path can have, before anything is compiled', async () => {
    const temporary = await temporaryFolder();
    const settings = { root: temporary.path, socketPath: join(temporary.path, 's'), log: () => {} };
    const { git, close } = await startGitProcess(settings);
    await git.create(1, branchName('main'));
    const repository = git.repository(1);
    const id = await repository.writeBlob(Buffer.from('x'));
    const path = treePath(`${'a/'.repeat(2047)}f`);
    const tree = await repository.writeTree(undefined, [{ path, mode: '100644', id }]);
    assert.equal(tree.kind, 'written');
    await close();
    await temporary.remove();
  });

  test('says that it is not there', async () => {
    const git = connectGit('/nonexistent/socket');
    const unavailable = { name: 'GitError', kind: 'unavailable' };
    await assert.rejects(git.repository(1).readRef(main), unavailable);
    await assert.rejects(git.create(1, branchName('main')), unavailable);
    await assert.rejects(git.repository(1).advertise('upload-pack', undefined), unavailable);
    const push = git.repository(1).receivePack(Readable.from([Buffer.from('0000')]), {
      protocol: undefined,
      refused: new Map(),
      packBytesMax: 1,
    });
    push.output.on('error', () => {});
    await assert.rejects(push.completed, unavailable);
    await git.close();
  });

  test('is started again when it is killed, and what it did is there', async () => {
    const temporary = await temporaryFolder();
    const root = join(temporary.path, 'root');
    const lines: string[] = [];
    const { git, statistics, close } = await startGitProcess({
      root,
      socketPath: join(temporary.path, 's'),
      log: (line) => lines.push(line),
    });
    await git.create(1, branchName('main'));
    assert.deepEqual(statistics(), { callsInProgress: 0, restarts: 0, isAvailable: true });
    const repository = git.repository(1);
    const tree = await repository.writeTree(undefined, []);
    assert.ok(tree.kind === 'written');
    const commit = await repository.writeCommit({
      tree: tree.id,
      parents: [],
      author: someone,
      committer: someone,
      message: 'one',
    });
    await repository.updateRefs([{ ref: main, old: noObject, new: commit }]);
    // A push that has started when the process is killed.
    const request = new Readable({ read() {} });
    const push = repository.receivePack(request, {
      protocol: undefined,
      refused: new Map(),
      packBytesMax: 1e9,
    });
    push.output.on('error', () => {});
    request.push(formatPacket(`${noObject} ${commit} refs/heads/x\0report-status`));
    request.push(Buffer.from('0000PACK'));
    const busy = join(root, 'busy');
    while ((await readdir(busy)).length === 0)
      await new Promise((resolve) => setTimeout(resolve, 5));
    const [node] = await processesOf(program, temporary.path);
    assert.ok(node !== undefined);
    assert.ok(statistics().callsInProgress > 0, 'the push is in progress');
    process.kill(node, 'SIGKILL');
    await assert.rejects(push.completed, { kind: 'unavailable' });
    request.destroy();
    assert.equal(await repository.readRef(main), commit);
    assert.equal((await repository.readCommit(commit))?.message, 'one');
    assert.deepEqual(await readdir(busy), []);
    assert.deepEqual(lines, ['The git process exited (SIGKILL). Restarting it.']);
    assert.deepEqual(statistics(), { callsInProgress: 0, restarts: 1, isAvailable: true });
    await close();
    await assert.rejects(repository.readRef(main), { kind: 'unavailable' });
    await untilGone(temporary.path);
    await temporary.remove();
  });

  test('is waited for up to a limit, and responds again once it can be started', async () => {
    const temporary = await temporaryFolder();
    const root = join(temporary.path, 'root');
    const lines: string[] = [];
    const { git, close } = await startGitProcess({
      root,
      socketPath: join(temporary.path, 's'),
      log: (line) => lines.push(line),
      patienceMilliseconds: 50,
    });
    await git.create(1, branchName('main'));
    const repository = git.repository(1);
    await rename(root, join(temporary.path, 'away'));
    await writeFile(root, 'not a folder');
    const [node] = await processesOf(program, temporary.path);
    assert.ok(node !== undefined);
    process.kill(node, 'SIGKILL');
    await assert.rejects(repository.readRef(main), { kind: 'unavailable' });
    // Not the call alone: pushes and clones, too.
    await assert.rejects(repository.advertise('upload-pack', undefined), { kind: 'unavailable' });
    while (!lines.some((line) => line.includes('Restarting the git process failed'))) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await rm(root);
    await rename(join(temporary.path, 'away'), root);
    for (let answered = false; !answered;) {
      answered = await repository.readRef(main).then(
        () => true,
        () => false,
      );
    }
    await close();
    await untilGone(temporary.path);
    await temporary.remove();
  });

  test('creates nothing in the place of a volume that is not mounted any more, and misses nothing there', async () => {
    const temporary = await temporaryFolder();
    const root = join(temporary.path, 'root');
    await mkdir(root);
    await writeShardMarker(root, 'key');
    const lines: string[] = [];
    const { git, connection, ready, statistics, close } = beginGitProcess({
      root,
      folderKey: 'key',
      socketPath: join(temporary.path, 's'),
      log: (line) => lines.push(line),
      patienceMilliseconds: 200,
    });
    await ready;
    try {
      await git.create(1, branchName('main'));
      await rename(root, `${root}-away`);
      await mkdir(root);
      const unavailable = { name: 'GitError', kind: 'unavailable' };
      for (const call of [
        () => git.create(2, branchName('main')),
        () => git.remove(1),
        () => git.repository(1).readRef(main),
        () => git.repository(1).writeBlob(Buffer.from('x')),
        () => git.repository(1).advertise('upload-pack', undefined),
        () => movesOver(connection).begin('token'),
      ]) {
        await assert.rejects(call, unavailable);
        assert.deepEqual(await readdir(root), []);
      }
      assert.equal(statistics().isAvailable, false);
      assert.ok(lines.some((line) => line.includes('of this shard is gone')));
      await rm(root, { recursive: true });
      await rename(`${root}-away`, root);
      while (!statistics().isAvailable) await new Promise((resolve) => setTimeout(resolve, 5));
      assert.equal(await git.repository(1).readRef(main), undefined);
      await git.create(2, branchName('main'));
    } finally {
      await close();
      await temporary.remove();
    }
  });

  test('is killed and restarted when it hangs, and pending calls are answered', async () => {
    const temporary = await temporaryFolder();
    const lines: string[] = [];
    const { git, close } = await startGitProcess({
      root: join(temporary.path, 'root'),
      socketPath: join(temporary.path, 's'),
      log: (line) => lines.push(line),
      heartbeat: { intervalMilliseconds: 50, silenceMilliseconds: 2000 },
      // A busy machine takes its time to start the next one.
      patienceMilliseconds: 60_000,
    });
    await git.create(1, branchName('main'));
    const repository = git.repository(1);
    const [node] = await processesOf(program, temporary.path);
    assert.ok(node !== undefined);
    process.kill(node, 'SIGSTOP');
    const moving = repository.updateRefs([{ ref: main, old: noObject, new: noObject }]);
    const [read, moved] = await Promise.allSettled([repository.readRef(main), moving]);
    assert.deepEqual(read, { status: 'fulfilled', value: undefined });
    // It may have happened: it is not asked for twice.
    assert.equal(moved.status === 'rejected' && moved.reason.kind, 'unavailable');
    assert.deepEqual(lines, [
      'The git process does not answer any more, and is killed.',
      'The git process exited (SIGKILL). Restarting it.',
    ]);
    await close();
    await untilGone(temporary.path);
    await temporary.remove();
  });

  test('ends with its parent, and takes every git along', async () => {
    const temporary = await temporaryFolder();
    const root = join(temporary.path, 'root');
    const socketPath = join(temporary.path, 's');
    const child = startChild({
      command: process.execPath,
      arguments: [program, root, socketPath],
      environment: {},
      directory: '/',
    });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const git = connectGit(socketPath);
    await git.create(1, branchName('main'));
    const empty = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
    assert.equal(await git.repository(1).resolveCommit(empty), undefined);
    const running = await processesOf(temporary.path);
    assert.ok(running.length >= 2, 'the git process and its batch process');
    // A service manager's signal does not end it in the middle of things.
    process.kill(child.pid ?? 0, 'SIGTERM');
    assert.equal(await git.repository(1).readRef(main), undefined);
    child.stdin.end();
    assert.equal((await child.ended).status, 0);
    await untilGone(temporary.path);
    await git.close();
    await temporary.remove();
  });

  test('waits for the one before it, so that two never serve one root', async () => {
    const temporary = await temporaryFolder();
    const settings = {
      root: join(temporary.path, 'root'),
      socketPath: join(temporary.path, 's'),
      log: () => {},
    };
    const first = await startGitProcess(settings);
    let secondReady = false;
    const second = startGitProcess(settings).then((running) => {
      secondReady = true;
      return running;
    });
    await first.git.create(1, branchName('main'));
    assert.equal(secondReady, false);
    await first.close();
    const { git, close } = await second;
    assert.deepEqual(await git.repository(1).listRefs('refs/'), []);
    await close();
    await untilGone(temporary.path);
    await temporary.remove();
  });

  test('can be done without, in tests', async () => {
    const temporary = await temporaryFolder();
    const { git, close } = await startGitInProcess(temporary.path);
    await git.create(1, branchName('main'));
    const id = await git.repository(1).writeBlob(Buffer.from('x'));
    assert.deepEqual(await git.repository(1).readBlob(id), Buffer.from('x'));
    await close();
    await untilGone(temporary.path);
    await temporary.remove();
  });
});

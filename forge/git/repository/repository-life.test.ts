import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mock, suite, test } from 'node:test';

import { systemClock } from '#platform/clock.ts';

import type { CollectedCommand } from '../commands/run-git.ts';
import { noObject } from '../names.ts';
import type { ObjectId } from '../names.ts';
import { gitLine, realGit, tryGit } from '../testing/real-git.ts';
import { branchName, objectId, refName, someone, useTestGit } from '../testing/test-git.ts';
import type { TestRepository } from '../testing/test-git.ts';

const main = refName('refs/heads/main');

suite('repositories', () => {
  const testGit = useTestGit();
  const { newRepository } = testGit;

  test('are created once, however often it is asked', async () => {
    const { git, state } = testGit;
    await Promise.all([1, 2, 3].map(() => git.create(501, branchName('trunk'))));
    await git.create(501, branchName('other'));
    const path = state.paths.repository(501);
    assert.equal(await gitLine(path, 'symbolic-ref', 'HEAD'), 'refs/heads/trunk');
    assert.equal(await gitLine(path, 'rev-parse', '--is-bare-repository'), 'true');
    assert.deepEqual(await readdir(state.paths.arriving), []);
    assert.deepEqual((await readdir(path)).toSorted(), ['HEAD', 'config', 'objects', 'refs']);
  });

  test('have the folders and the branch that git gives to an empty one', async () => {
    const { git, state } = testGit;
    await git.create(502, branchName('topic/ünï'));
    const made = state.paths.repository(502);
    const expected = join(state.paths.arriving, 'by-git.git');
    const options = ['--quiet', '--bare', '--template=', '--initial-branch=topic/ünï'];
    await realGit(state.paths.arriving, ['init', ...options, expected]);
    assert.deepEqual(
      (await readdir(made, { recursive: true })).toSorted(),
      (await readdir(expected, { recursive: true })).toSorted(),
    );
    assert.deepEqual(await readFile(join(made, 'HEAD')), await readFile(join(expected, 'HEAD')));
    assert.equal((await tryGit(made, ['fsck', '--strict'])).status, 0);
    await rm(expected, { recursive: true });
  });

  test('are removed once, and can be made again empty', async () => {
    const { id, commit, push, repository, path } = await newRepository();
    const tip = await commit('one');
    await push('main');
    assert.ok(await repository.readCommit(tip));
    await testGit.git.remove(id);
    await testGit.git.remove(id);
    await assert.rejects(stat(path));
    await assert.rejects(repository.readCommit(tip), { kind: 'missing-repository' });
    assert.deepEqual(await readdir(testGit.state.paths.leaving), []);
    await testGit.git.create(id, branchName('main'));
    assert.equal(await repository.readCommit(tip), undefined);
    assert.equal(await repository.readRef(main), undefined);
  });

  test('are removed while another process writes to them', async () => {
    const { id, path } = await newRepository();
    const write =
      'cd "$1/objects" && i=0 && echo ready && while [ $i -lt 3000 ]; do : > f$i; i=$((i+1)); done';
    const writer = spawn('sh', ['-c', write, 'sh', path], { stdio: ['ignore', 'pipe', 'ignore'] });
    const ended = once(writer, 'exit');
    await once(writer.stdout, 'data');
    await testGit.git.remove(id);
    await ended;
    assert.deepEqual(await readdir(testGit.state.paths.leaving), []);
  });

  test('are not there after they were removed while they were made', async () => {
    const { git, state } = testGit;
    const { id, commit, push } = await newRepository();
    await commit('one');
    await push('main');
    // The server that has asked for it is gone.
    const run = state.runner.run.bind(state.runner);
    const running = mock.method(state.runner, 'run', async (command: CollectedCommand) => {
      running.mock.restore();
      await git.remove(650);
      return run(command);
    });
    await assert.rejects(git.fork(id, 650, branchName('main')), { kind: 'missing-repository' });
    await assert.rejects(stat(state.paths.repository(650)), { code: 'ENOENT' });
    assert.deepEqual(await readdir(state.paths.arriving), []);
    await git.fork(id, 650, branchName('main'));
    assert.equal((await git.repository(650).listRefs('refs/')).length, 1);
  });

  test('are forked with their branches and tags, and with nothing else', async () => {
    const { id, work, commit, push, repository } = await newRepository();
    await writeFile(join(work, 'file'), 'text\n');
    const tip = await commit('one');
    await push('main');
    await realGit(work, ['tag', '-a', '-m', 'tag', 'v1']);
    await realGit(work, ['push', '-q', 'origin', 'v1', 'main:topic/one']);
    const commitRead = await repository.readCommit(tip);
    assert.ok(commitRead);
    const secret = await repository.writeCommit({ ...commitRead, message: 'of a pull' });
    const unreachable = await repository.writeBlob(Buffer.from('of nobody'));
    await repository.updateRefs([{ ref: refName('refs/pull/1/head'), old: noObject, new: secret }]);
    await testGit.git.fork(id, 601, branchName('topic/one'));
    const fork = testGit.git.repository(601);
    const names = (await fork.listRefs('refs/')).map((ref) => ref.name);
    assert.deepEqual(names, ['refs/heads/main', 'refs/heads/topic/one', 'refs/tags/v1']);
    assert.equal(await fork.readRef(main), tip);
    assert.equal(await fork.objectInfo(secret), undefined);
    assert.equal(await fork.objectInfo(unreachable), undefined);
    const path = testGit.state.paths.repository(601);
    assert.equal(await gitLine(path, 'symbolic-ref', 'HEAD'), 'refs/heads/topic/one');
    await assert.rejects(stat(join(path, 'objects', 'info', 'alternates')));
    assert.doesNotMatch(await readFile(join(path, 'config'), 'utf8'), /remote/);
    const packs = await readdir(join(path, 'objects', 'pack'));
    assert.ok(!packs.some((name) => name.endsWith('.keep')));
    assert.equal((await tryGit(path, ['fsck', '--strict', '--full'])).status, 0);
    // The source may go: nothing is shared.
    await testGit.git.remove(id);
    assert.equal((await tryGit(path, ['fsck', '--strict', '--full'])).status, 0);
  });

  test('are forked empty, and not from what is not there', async () => {
    const { id } = await newRepository();
    await testGit.git.fork(id, 602, branchName('main'));
    assert.deepEqual(await testGit.git.repository(602).listRefs('refs/'), []);
    const missing = { kind: 'missing-repository' };
    await assert.rejects(testGit.git.fork(999_999, 603, branchName('main')), missing);
    await assert.rejects(testGit.git.repository(603).readRef(main), missing);
    assert.deepEqual(await readdir(testGit.state.paths.arriving), []);
  });

  test('take objects from each other, which maintenance keeps until a ref names them', async () => {
    const source = await newRepository();
    const target = await newRepository();
    await writeFile(join(source.work, 'file'), 'text\n');
    const tip = await source.commit('one');
    await source.push('main');
    await target.repository.fetchObjects(source.id, [tip]);
    assert.equal((await target.repository.readCommit(tip))?.message, 'one');
    assert.deepEqual(await target.repository.listRefs('refs/'), []);
    await assert.rejects(stat(join(target.path, 'FETCH_HEAD')));
    await target.repository.maintain('full');
    assert.equal((await target.repository.readCommit(tip))?.message, 'one');
    await target.repository.updateRefs([
      { ref: refName('refs/pull/1/head'), old: noObject, new: tip },
    ]);
    assert.equal((await tryGit(target.path, ['fsck', '--strict', '--full'])).status, 0);
    await target.repository.fetchObjects(source.id, [tip]);
    const absent = objectId('1'.repeat(40));
    await assert.rejects(target.repository.fetchObjects(source.id, [absent]), { kind: 'failed' });
    await target.repository.fetchObjects(source.id, []);
    await target.repository.fetchObjects(target.id, [tip]);
  });

  test('are packed by maintenance, which prunes only objects unreachable for two weeks', async () => {
    const { repository, path, work, commit } = await newRepository();
    await writeFile(join(work, 'file'), 'text\n');
    const tip = await commit('one');
    await realGit(work, ['-c', 'transfer.unpackLimit=100', 'push', '-q', 'origin', 'main']);
    const fresh = await repository.writeBlob(Buffer.from('fresh'));
    const old = await repository.writeBlob(Buffer.from('old'));
    const saved = await repository.writeBlob(Buffer.from('old but written again'));
    const threeWeeksAgo = systemClock.now() / 1000 - 21 * 86_400;
    for (const id of [old, saved]) {
      await utimes(
        join(path, 'objects', id.slice(0, 2), id.slice(2)),
        threeWeeksAgo,
        threeWeeksAgo,
      );
    }
    await repository.writeBlob(Buffer.from('old but written again'));
    await repository.maintain('full');
    assert.equal(await repository.readRef(main), tip);
    assert.ok((await readFile(join(path, 'packed-refs'), 'utf8')).includes(tip));
    assert.equal((await gitLine(path, 'count-objects', '-v')).split('\n')[0], 'count: 0');
    assert.ok(await repository.objectInfo(fresh));
    assert.ok(await repository.objectInfo(saved));
    assert.equal(await repository.objectInfo(old), undefined);
    await repository.maintain('full');
    assert.ok(await repository.objectInfo(fresh));
    assert.equal((await tryGit(path, ['fsck', '--strict', '--full'])).status, 0);
  });

  for (const kind of ['incremental', 'full'] as const) {
    test(`go on being written to while they are maintained (${kind})`, async () => {
      const { repository, path, commit, push } = await newRepository();
      let tip = await commit('one');
      await push('main');
      const read = await repository.readCommit(tip);
      assert.ok(read);
      const maintenance = (async () => {
        for (let run = 0; run < 3; run += 1) await repository.maintain(kind);
      })();
      for (let count = 0; count < 20; count += 1) {
        const next = await repository.writeCommit({ ...read, parents: [tip], committer: someone });
        const merged = await repository.mergeTrees(tip, next);
        assert.equal(merged.kind, 'clean');
        const moved = await repository.updateRefs([{ ref: main, old: tip, new: next }]);
        assert.deepEqual(moved, { kind: 'updated' });
        tip = next;
      }
      await maintenance;
      assert.equal(await repository.countCommits(tip, []), 21);
      assert.equal((await tryGit(path, ['fsck', '--strict', '--full'])).status, 0);
    });
  }

  /** Pushes so many commits, each of which becomes a pack. */
  async function pushMany(
    { work, commit, path }: TestRepository,
    count: number,
  ): Promise<ObjectId> {
    await realGit(path, ['config', 'receive.unpackLimit', '1']);
    let tip: ObjectId | undefined;
    for (let number = 1; number <= count; number += 1) {
      await writeFile(join(work, `file${number}`), `${number}\n`);
      tip = await commit(String(number));
      await realGit(work, ['push', '-q', 'origin', 'main']);
    }
    assert.ok(tip);
    return tip;
  }

  test('are rolled up by incremental maintenance, with an index and a bitmap over all packs', async () => {
    const created = await newRepository();
    const { repository, path } = created;
    const tip = await pushMany(created, 12);
    const unnamed = await repository.writeBlob(Buffer.from('named by nobody yet'));
    const { before, after } = await repository.maintain('incremental');
    assert.ok(before.packs >= 12 && before.looseObjects >= 1, JSON.stringify(before));
    assert.ok(after.packs <= 4 && after.looseObjects === 0, JSON.stringify(after));
    const packs = await readdir(join(path, 'objects', 'pack'));
    assert.ok(packs.includes('multi-pack-index'));
    assert.ok(packs.some((name) => /^multi-pack-index-\w+\.bitmap$/.test(name)));
    const graphs = join(path, 'objects', 'info', 'commit-graphs');
    for (const name of await readdir(graphs)) {
      // The chunk of the filters of changed paths (gitformat-commit-graph(5)).
      if (!name.endsWith('.graph')) continue;
      assert.ok((await readFile(join(graphs, name))).includes('BDAT'), name);
    }
    assert.ok((await readdir(graphs)).length > 1);
    assert.ok(await repository.objectInfo(unnamed));
    assert.equal(await repository.countCommits(tip, []), 12);
    const more = await pushMany(created, 3);
    assert.ok((await repository.maintain('incremental')).after.packs <= 4);
    assert.ok((await repository.maintain('full')).after.packs <= 2);
    assert.equal(await repository.readRef(main), more);
    assert.equal((await tryGit(path, ['fsck', '--strict', '--full'])).status, 0);
  });

  test('are packed despite an unreadable unreachable object', async () => {
    const created = await newRepository();
    await pushMany(created, 3);
    const broken = join(created.path, 'objects', 'ab', 'cd'.repeat(19));
    await mkdir(join(broken, '..'), { recursive: true });
    await writeFile(broken, '');
    await created.repository.maintain('incremental');
    await created.repository.maintain('full');
    await assert.rejects(stat(broken), { code: 'ENOENT' });
    assert.equal((await tryGit(created.path, ['fsck', '--strict', '--full'])).status, 0);
  });

  test('know their size', async () => {
    const { repository, work, commit, push, path } = await newRepository();
    assert.deepEqual(await repository.size(), {
      kibibytes: 0,
      packs: 0,
      packedObjects: 0,
      looseObjects: 0,
    });
    await writeFile(
      join(work, 'file'),
      Buffer.from(Array.from({ length: 100_000 }, (_, i) => (i * 2654435761) >>> 13)),
    );
    await commit('one');
    await push('main');
    const { kibibytes } = await repository.size();
    assert.ok(kibibytes > 10 && kibibytes < 200, String(kibibytes));
    await realGit(path, ['repack', '-a', '-d', '-q']);
    for (const text of ['one', 'two', 'x'.repeat(100_000)]) {
      await repository.writeBlob(Buffer.from(text));
    }
    await commit('two');
    await push('main');
    await writeFile(join(path, 'objects', 'no-object'), 'text');
    await mkdir(join(path, 'objects', '7g'));
    const counted = await realGit(path, ['count-objects', '-v']);
    const number = (name: string): number =>
      Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(counted.toString())?.[1]);
    assert.deepEqual(await repository.size(), {
      kibibytes: number('size') + number('size-pack'),
      packs: number('packs'),
      packedObjects: number('in-pack'),
      looseObjects: number('count'),
    });
    assert.ok(
      number('count') >= 3 && number('packs') === 1 && number('in-pack') >= 3,
      counted.toString(),
    );
  });
});

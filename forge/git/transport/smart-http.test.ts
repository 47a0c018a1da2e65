import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { suite, test } from 'node:test';

import { noObject } from '../names.ts';
import { flushPacket, formatPacket } from '../format/pkt-line.ts';
import { gitLine, realGit, tryGit } from '../testing/real-git.ts';
import { refName, useTestGit } from '../testing/test-git.ts';

suite('smart HTTP', () => {
  const testGit = useTestGit();
  const { newRepository } = testGit;
  let clones = 0;

  function newFolder(): string {
    clones += 1;
    return join(testGit.folder, `clone-${clones}`);
  }

  /** A repository with two commits, a tag, and the refs of a pull, and an HTTP server around it. */
  async function served() {
    const created = await newRepository();
    await writeFile(join(created.work, 'file'), 'one\n');
    const first = await created.commit('one');
    await writeFile(join(created.work, 'file'), 'two\n');
    const second = await created.commit('two');
    await created.push('main');
    await realGit(created.work, ['tag', '-a', '-m', 'tag', 'v1']);
    await realGit(created.work, ['push', '-q', 'origin', 'v1']);
    const commit = await created.repository.readCommit(second);
    assert.ok(commit);
    const head = await created.repository.writeCommit({ ...commit, message: 'head of a pull' });
    await created.repository.updateRefs([
      { ref: refName('refs/pull/1/head'), old: noObject, new: head },
      { ref: refName('refs/internal/pin'), old: noObject, new: first },
    ]);
    const bridge = await testGit.serve(created.repository);
    return { ...created, first, second, head, bridge };
  }

  /**
   * Waits until all git children but the batch processes are gone: no deadline of its own, the test
   * has one.
   */
  async function untilChildrenAre(count: number): Promise<void> {
    while (testGit.state.runner.children > count)
      await new Promise((resolve) => setImmediate(resolve));
  }

  test('fails for a repository that is not there', async () => {
    const absent = testGit.git.repository(999_999);
    const missing = { name: 'GitError', kind: 'missing-repository' };
    await assert.rejects(absent.advertise('upload-pack', undefined), missing);
    await assert.rejects(absent.uploadPack(Readable.from([]), undefined), missing);
  });

  test('advertises refs in the version asked for', async () => {
    const { repository, second, head } = await served();
    const old = (await buffer(await repository.advertise('upload-pack', undefined))).toString();
    assert.ok(old.includes(`${second} refs/heads/main\n`));
    assert.ok(old.includes(`${head} refs/pull/1/head\n`));
    assert.ok(!old.includes('refs/internal'));
    const two = (await buffer(await repository.advertise('upload-pack', 'version=2'))).toString();
    assert.ok(two.startsWith('000eversion 2\n'), two);
    const receive = (
      await buffer(await repository.advertise('receive-pack', undefined))
    ).toString();
    assert.ok(receive.includes('atomic'));
    assert.ok(!receive.includes('push-options'));
    assert.ok(!receive.includes('refs/pull'));
  });

  test('lets nothing but the three versions into git’s environment', async () => {
    const { repository } = await served();
    for (const protocol of ['version=3', 'version=2:x', 'version=2\n', '', 'x=1']) {
      const text = (await buffer(await repository.advertise('upload-pack', protocol))).toString();
      assert.ok(!text.includes('version '), protocol);
    }
  });

  for (const version of ['0', '1', '2']) {
    test(`clones and fetches in version ${version}`, async () => {
      const { work, commit, push, bridge } = await served();
      const clone = newFolder();
      const git = ['-c', `protocol.version=${version}`];
      await realGit(testGit.folder, [...git, 'clone', '-q', bridge.url, clone]);
      assert.equal(
        await gitLine(clone, 'rev-parse', 'HEAD'),
        await gitLine(work, 'rev-parse', 'HEAD'),
      );
      await writeFile(join(work, 'file'), 'three\n');
      const next = await commit('three');
      await push('main');
      await realGit(clone, [...git, 'fetch', '-q', 'origin']);
      assert.equal(await gitLine(clone, 'rev-parse', 'origin/main'), next);
      await realGit(clone, ['fsck', '--strict']);
    });
  }

  test('clones an empty repository', async () => {
    const { repository } = await newRepository();
    const bridge = await testGit.serve(repository);
    const clone = newFolder();
    await realGit(testGit.folder, ['clone', '-q', bridge.url, clone]);
    assert.equal(await gitLine(clone, 'symbolic-ref', 'HEAD'), 'refs/heads/main');
  });

  test('gives out the refs of pulls', async () => {
    const { head, bridge } = await served();
    const clone = newFolder();
    await realGit(testGit.folder, ['clone', '-q', bridge.url, clone]);
    await realGit(clone, ['fetch', '-q', 'origin', 'refs/pull/1/head']);
    assert.equal(await gitLine(clone, 'rev-parse', 'FETCH_HEAD'), head);
  });

  for (const version of ['0', '2']) {
    test(`makes shallow and partial clones, and fetches by commit, in version ${version}`, async () => {
      const { first, second, bridge } = await served();
      const git = ['-c', `protocol.version=${version}`];
      const shallow = newFolder();
      await realGit(testGit.folder, [...git, 'clone', '-q', '--depth=1', bridge.url, shallow]);
      assert.equal(await gitLine(shallow, 'rev-list', '--count', 'HEAD'), '1');
      await realGit(shallow, [...git, 'fetch', '-q', '--unshallow']);
      assert.equal(await gitLine(shallow, 'rev-list', '--count', 'HEAD'), '2');
      const partial = newFolder();
      const filter = ['clone', '-q', '--filter=blob:none', '--no-checkout', bridge.url, partial];
      await realGit(testGit.folder, [...git, ...filter]);
      const missing = await gitLine(partial, 'rev-list', '--objects', '--missing=print', 'HEAD');
      assert.equal(missing.split('\n').filter((line) => line.startsWith('?')).length, 2);
      await realGit(partial, [...git, 'checkout', '-q', 'HEAD']);
      const one = newFolder();
      await realGit(testGit.folder, ['init', '-q', one]);
      await realGit(one, [...git, 'fetch', '-q', '--depth=1', bridge.url, first]);
      assert.equal(await gitLine(one, 'rev-parse', 'FETCH_HEAD'), first);
      await realGit(one, [...git, 'fetch', '-q', bridge.url, second]);
    });
  }

  test('refuses a partial clone by patterns, which git would compare with every path', async () => {
    const { bridge, work, commit, push } = await served();
    await writeFile(join(work, 'patterns'), 'file\n');
    await commit('patterns');
    await push('main');
    const patterns = await gitLine(work, 'rev-parse', 'HEAD:patterns');
    for (const version of ['0', '2']) {
      for (const filter of [`sparse:oid=${patterns}`, `combine:blob:none+sparse:oid=${patterns}`]) {
        const git = ['-c', `protocol.version=${version}`];
        const parts = [
          ...git,
          'clone',
          '--no-checkout',
          `--filter=${filter}`,
          bridge.url,
          newFolder(),
        ];
        const { status, errors } = await tryGit(testGit.folder, parts);
        assert.notEqual(status, 0, filter);
        assert.match(errors, /filter 'sparse:oid' not supported/);
      }
    }
  });

  test('reports an error when the client wants an object that does not exist', async () => {
    const { bridge, work } = await served();
    for (const version of ['0', '2']) {
      const parts = ['-c', `protocol.version=${version}`, 'fetch', bridge.url, '1'.repeat(40)];
      const result = await tryGit(work, parts);
      assert.notEqual(result.status, 0);
      assert.match(result.errors, /not our ref|allow request/);
    }
  });

  test(
    'ends git when the client goes away in the middle of a clone',
    { timeout: 20_000 },
    async () => {
      const { repository, work, commit, push } = await served();
      await writeFile(join(work, 'large'), randomBytes(8_000_000));
      const id = await commit('large');
      await push('main');
      const before = testGit.state.runner.children;
      const request = [
        formatPacket(`want ${id} side-band-64k ofs-delta\n`),
        Buffer.from('0000'),
        formatPacket('done\n'),
      ];
      const output = await repository.uploadPack(Readable.from(request), undefined);
      await once(output, 'readable');
      output.read(100);
      assert.ok(testGit.state.runner.children > before);
      output.destroy();
      await untilChildrenAre(before);
    },
  );

  test(
    'ends git when the client goes away in the middle of its request',
    { timeout: 20_000 },
    async () => {
      const { repository, second } = await served();
      const before = testGit.state.runner.children;
      const request = new Readable({ read() {} });
      request.push(formatPacket(`want ${second} side-band-64k\n`));
      const response = repository.uploadPack(request, undefined);
      response.then(
        (output) => output.on('error', () => {}),
        () => {},
      );
      while (testGit.state.runner.children === before)
        await new Promise((resolve) => setImmediate(resolve));
      request.destroy(new Error('gone'));
      await untilChildrenAre(before);
    },
  );

  test('limits the processor time of what clients make git compute', async (t) => {
    const { repository, second } = await served();
    const start = t.mock.method(testGit.state.runner, 'start');
    const protocol = undefined;
    await buffer(await repository.uploadPack(Readable.from([flushPacket]), protocol));
    await buffer(await repository.streamArchive({ commit: second, format: 'zip', folder: 'x' }));
    const push = repository.receivePack(Readable.from([flushPacket]), {
      protocol,
      refused: new Map(),
      packBytesMax: 1000,
    });
    push.output.resume();
    await push.completed;
    push.acknowledge();
    const limits = start.mock.calls.map(({ arguments: [command] }) => command.limits);
    assert.deepEqual(
      limits.map((of) => of?.processorSeconds),
      [3600, 3600, 3600],
    );
  });

  test('serves a request that is no request without harm', async () => {
    const { repository } = await served();
    for (const text of ['', '0000', 'zzzz', 'fffe', '0009done\n', '\0\0\0\0']) {
      const output = await repository.uploadPack(Readable.from([Buffer.from(text)]), 'version=2');
      await buffer(output);
    }
  });
});

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { suite, test } from 'node:test';

import { noObject } from '../names.ts';
import { flushPacket, formatPacket } from '../format/pkt-line.ts';
import type { BridgeOptions } from '../testing/http-bridge.ts';
import { gitLine, realGit, tryGit } from '../testing/real-git.ts';
import { staleFiles, packOf, servePushes } from '../testing/served-pushes.ts';
import { refName, useTestGit } from '../testing/test-git.ts';

const options = { protocol: undefined, refused: new Map<string, string>(), packBytesMax: 1e9 };

suite('refused pushes', () => {
  const testGit = useTestGit();
  const served = (bridgeOptions?: BridgeOptions) => servePushes(testGit, bridgeOptions);

  /** One for all tests that leave it as it was. */
  let unchanged: ReturnType<typeof served> | undefined;
  const sharedServed = () => (unchanged ??= served());

  const forbidden = [
    ['refs/replace/x', /replacing objects is not supported/],
    ['refs/pull/1/head', /written by the server/],
    ['refs/Pull/1/head', /written by the server/],
    ['refs/internal/pin', /belongs to the server/],
    ['refs/bisect/bad', /single working tree/],
    ['refs/Heads/main', /use lower case: refs\/heads\//],
    ['refs/x', /have two slashes/],
    [`refs/notes/${'a'.repeat(240)}`, /longer than 244 bytes/],
    ['refs/heads/HEAD', /must not be called HEAD/],
    ['refs/heads/@', /must not be called @/],
    [`refs/heads/${'a'.repeat(40)}`, /must not look like an object id/],
    [`refs/tags/${'a'.repeat(40)}`, /must not look like an object id/],
    ['refs/heads/-x', /must not begin with a dash/],
    ['refs/heads/--output=x', /must not begin with a dash/],
    ['refs/tags/-d', /must not begin with a dash/],
    [`refs/heads/${'a'.repeat(240)}`, /longer than 244 bytes/],
  ] as const;
  for (const [name, sentence] of forbidden) {
    test(`refuses ${name.slice(0, 50)} and says why`, async () => {
      const { bridge, pushOver, path } = await sharedServed();
      const before = await realGit(path, ['for-each-ref']);
      const result = await pushOver(`HEAD:${name}`);
      assert.notEqual(result.status, 0);
      assert.match(result.errors, /^remote: /m);
      assert.match(result.errors, sentence);
      assert.match(result.errors, /! \[remote rejected\]/);
      assert.deepEqual(await bridge.pushes.at(-1), []);
      assert.deepEqual(await realGit(path, ['for-each-ref']), before);
      assert.deepEqual(await staleFiles(path), []);
    });
  }

  test('refuses a push to HEAD itself', async () => {
    const { repository, work, first, second, path } = await served();
    const body = Buffer.concat([
      formatPacket(`${first} ${second} HEAD\0report-status side-band-64k`),
      flushPacket,
      await packOf(work, second, first),
    ]);
    const push = repository.receivePack(Readable.from([body]), options);
    const response = buffer(push.output);
    assert.deepEqual(await push.completed, []);
    push.acknowledge();
    assert.match((await response).toString(), /HEAD cannot be pushed[^]*ng HEAD/);
    assert.equal(await gitLine(path, 'rev-parse', 'HEAD'), first);
    assert.equal(await gitLine(path, 'symbolic-ref', 'HEAD'), 'refs/heads/main');
  });

  test('turns down the refs that the caller refuses and applies the others', async () => {
    const refused = new Map([
      ['refs/heads/main', 'The branch main\nis protected\x1b[31m.'],
      ['refs/heads/mai', 'A name that is the beginning of another.'],
    ]);
    const { bridge, pushOver, second, repository, first } = await served({ refused });
    const result = await pushOver('HEAD:main', 'HEAD:refs/heads/topic', 'HEAD:refs/tags/v1');
    assert.notEqual(result.status, 0);
    assert.match(result.errors, /^remote: The branch main is protected \[31m\./m);
    assert.match(result.errors, /! \[remote rejected\] HEAD -> main \(hook declined\)/);
    assert.deepEqual(
      (await bridge.pushes[0])?.map((move) => ({ ...move })),
      [
        { ref: 'refs/heads/topic', old: noObject, new: second },
        { ref: 'refs/tags/v1', old: noObject, new: second },
      ],
    );
    assert.equal(await repository.readRef(refName('refs/heads/main')), first);
  });

  test('is not misled by a name that writes lines of its own into the list of refusals', async () => {
    const refused = new Map([['refs/heads/main', 'The branch main is protected.']]);
    const { repository, work, first, second, path } = await served();
    const misleading = 'refs/heads/x\nrefs/heads/main\tunless-fast-forward\tnever';
    const body = Buffer.concat([
      formatPacket(`${noObject} ${second} ${misleading}\0report-status side-band-64k`),
      formatPacket(`${first} ${second} refs/heads/main`),
      flushPacket,
      await packOf(work, second, first),
    ]);
    const push = repository.receivePack(Readable.from([body]), { ...options, refused });
    const response = buffer(push.output);
    assert.deepEqual(await push.completed, []);
    push.acknowledge();
    assert.match((await response).toString(), /The branch main is protected/);
    assert.equal(await gitLine(path, 'rev-parse', 'refs/heads/main'), first);
  });

  test('turns down all of an atomic push with one refused ref', async () => {
    const refused = new Map([['refs/heads/main', 'Protected.']]);
    const { bridge, pushOver, repository } = await served({ refused });
    const result = await pushOver('--atomic', 'HEAD:main', 'HEAD:refs/heads/topic');
    assert.match(result.errors, /remote: Protected\./);
    assert.deepEqual(await bridge.pushes[0], []);
    assert.equal(await repository.readRef(refName('refs/heads/topic')), undefined);
  });

  test('refuses to delete the default branch', async () => {
    const { bridge, pushOver, repository, first } = await served();
    const result = await pushOver(':main');
    assert.match(result.errors, /refusing to delete the current branch/);
    assert.deepEqual(await bridge.pushes[0], []);
    assert.equal(await repository.readRef(refName('refs/heads/main')), first);
  });

  test('refuses more than ten thousand refs at once, and says so', async () => {
    const { repository, first } = await sharedServed();
    const lines = Array.from({ length: 10_001 }, (_, index) => {
      const capabilities = index === 0 ? '\0report-status side-band-64k' : '';
      return formatPacket(`${noObject} ${first} refs/heads/many/${index}${capabilities}`);
    });
    const push = repository.receivePack(Readable.from([...lines, flushPacket]), options);
    const response = buffer(push.output);
    assert.deepEqual(await push.completed, []);
    push.acknowledge();
    const text = (await response).toString().replaceAll(/\p{Cc}/gu, '|');
    assert.match(text, /\|A push may change at most 10000 refs; push in several steps\./);
    assert.match(text, /unpack refused/);
    assert.equal((await repository.listRefs('refs/heads/')).length, 1);
  });

  test('refuses a push that names a ref twice: git would report one name as moved and as refused', async () => {
    const { repository, work, first, second, path } = await served();
    const command = `${first} ${second} refs/heads/main`;
    const other = `${first} ${noObject} refs/heads/main`;
    const body = Buffer.concat([
      formatPacket(`${command}\0report-status side-band-64k`),
      formatPacket(other),
      flushPacket,
      await packOf(work, second, first),
    ]);
    const push = repository.receivePack(Readable.from([body]), options);
    const response = buffer(push.output);
    assert.deepEqual(await push.completed, []);
    push.acknowledge();
    assert.match((await response).toString(), /A push may name refs\/heads\/main only once\./);
    assert.equal(await gitLine(path, 'rev-parse', 'refs/heads/main'), first);
  });

  test('refuses more shallow commits than it holds in memory, and says so', async () => {
    const { repository, first, second } = await sharedServed();
    const command = `${noObject} ${second} refs/heads/shallow\0report-status side-band-64k`;
    const shallow = formatPacket(`shallow ${first}\n`);
    const lines = Array.from({ length: 100_001 }, () => shallow);
    const body = Buffer.concat([formatPacket(command), ...lines, flushPacket]);
    const push = repository.receivePack(Readable.from([body]), options);
    const response = buffer(push.output);
    assert.deepEqual(await push.completed, []);
    push.acknowledge();
    assert.match((await response).toString(), /may name at most 100000 shallow commits/);
  });

  test('refuses a pack over the limit and keeps nothing of it', async () => {
    const { bridge, pushOver, work, commit, path, repository, first } = await served({
      packBytesMax: 20_000,
    });
    await writeFile(join(work, 'large'), randomBytes(300_000));
    await commit('large');
    const result = await pushOver('HEAD:main');
    assert.notEqual(result.status, 0);
    assert.match(result.errors, /pack exceeds maximum allowed size/);
    assert.deepEqual(await bridge.pushes[0], []);
    assert.equal(await repository.readRef(refName('refs/heads/main')), first);
    assert.deepEqual(await staleFiles(path), []);
  });

  test('refuses trees that would be dangerous to check out', async () => {
    const { bridge, work, path } = await served();
    const blob = await gitLine(work, 'hash-object', '-w', 'file');
    const bad = ['.git', '..', '.GIT', '.g\u200cit', 'git~1', 'a/b'];
    for (const [index, name] of bad.entries()) {
      const content = Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(blob, 'hex')]);
      const parts = ['hash-object', '-w', '--literally', '-t', 'tree', '--stdin'];
      const tree = (await realGit(work, parts, { input: content })).toString().trim();
      const commit = await gitLine(work, 'commit-tree', '-m', 'bad', tree);
      const result = await tryGit(work, ['push', bridge.url, `${commit}:refs/heads/bad-${index}`]);
      assert.notEqual(result.status, 0, name);
      assert.match(result.errors, /remote: fatal: fsck error|hasDot|fullPathname/, name);
    }
    assert.deepEqual(await staleFiles(path), []);
    assert.equal((await realGit(path, ['for-each-ref', 'refs/heads/bad*'])).length, 0);
  });

  test('takes the three faults that old histories have', async () => {
    const { bridge, work } = await served();
    const store = async (type: string, input: Buffer | string) => {
      const parts = ['hash-object', '-w', '--literally', '-t', type, '--stdin'];
      return (await realGit(work, parts, { input })).toString().trim();
    };
    const blob = await gitLine(work, 'hash-object', '-w', 'file');
    const records = Buffer.concat([Buffer.from('040000 folder\0'), Buffer.from(blob, 'hex')]);
    const folder = await gitLine(work, 'rev-parse', 'HEAD^{tree}');
    records.set(Buffer.from(folder, 'hex'), records.length - 20);
    const tree = await store('tree', records);
    const raw = `tree ${tree}\nauthor A <a@x> 1 +051800\ncommitter A <a@x>1 +0000\n\nold\n`;
    const commit = await store('commit', raw);
    const result = await tryGit(work, ['push', bridge.url, `${commit}:refs/heads/old`]);
    assert.equal(result.status, 0, result.errors);
  });

  const malformed: [string, Buffer][] = [
    ['nothing', Buffer.alloc(0)],
    ['only an end mark', flushPacket],
    ['no packets', Buffer.from('hello world')],
    ['a packet cut short', Buffer.from('00ff0000')],
    ['a line without objects', Buffer.concat([formatPacket('refs/heads/x\0caps'), flushPacket])],
    [
      'a name that is too long',
      Buffer.concat([
        formatPacket(`${noObject} ${'1'.repeat(40)} refs/heads/${'x'.repeat(1100)}\0report-status`),
        flushPacket,
      ]),
    ],
    ['a signed push', Buffer.concat([formatPacket('push-cert\0report-status\n'), flushPacket])],
    [
      'a push without its pack',
      Buffer.concat([
        formatPacket(`${noObject} ${'1'.repeat(40)} refs/heads/x\0report-status`),
        flushPacket,
      ]),
    ],
  ];
  for (const [label, body] of malformed) {
    test(`moves nothing for a body that is ${label}`, async () => {
      const { repository, path } = await sharedServed();
      const before = await realGit(path, ['for-each-ref']);
      const push = repository.receivePack(Readable.from([body]), options);
      const response = buffer(push.output);
      assert.deepEqual(await push.completed, []);
      push.acknowledge();
      await response;
      assert.deepEqual(await realGit(path, ['for-each-ref']), before);
      assert.deepEqual(await staleFiles(path), []);
    });
  }
});

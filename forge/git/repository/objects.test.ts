import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { expectObjectId, noObject } from '../names.ts';
import type { ObjectId } from '../names.ts';
import { gitLine, realGit } from '../testing/real-git.ts';
import { objectId, refName, someone, treePath, useTestGit } from '../testing/test-git.ts';

const absent = objectId('1'.repeat(40));

/** Stores a raw object that git itself would not make. */
async function store(path: string, type: string, content: string | Buffer): Promise<ObjectId> {
  const parts = ['hash-object', '-w', '--literally', '-t', type, '--stdin'];
  return expectObjectId((await realGit(path, parts, { input: content })).toString().trim());
}

suite('objects', () => {
  const testGit = useTestGit();
  const { newRepository } = testGit;

  test('answers undefined for what is absent or of another type', async () => {
    const { repository, commit, push } = await newRepository();
    const id = await commit('one');
    await push('main');
    for (const wrong of [absent, id]) {
      assert.equal(await repository.readBlob(wrong), undefined);
      assert.equal(await repository.readTag(wrong), undefined);
    }
    assert.equal(await repository.readCommit(absent), undefined);
    assert.equal(await repository.objectInfo(absent), undefined);
    assert.deepEqual({ ...(await repository.objectInfo(id)) }.type, 'commit');
  });

  test('reads of a long message only the beginning, and what follows it whole', async () => {
    const { repository, path, commit, push } = await newRepository();
    const tip = await commit('one');
    await push('main');
    const tree = await gitLine(path, 'rev-parse', `${tip}^{tree}`);
    const person = 'A <a@example.com> 1700000000 +0000';
    const head = `tree ${tree}\nparent ${tip}\nauthor ${person}\ncommitter ${person}\n`;
    const line = `${'x'.repeat(99)}\n`;
    const message = line.repeat(100_000);
    const long = await store(path, 'commit', `${head}\n${message}`);
    const tagHead = `object ${tip}\ntype commit\ntag v1\ntagger ${person}\n`;
    const tag = await store(path, 'tag', `${tagHead}\n${message}`);
    const signed = await store(path, 'commit', `${head}gpgsig ${' y\n'.repeat(1_000_000)}\nm\n`);
    const [first, second, third, fourth] = await Promise.all([
      repository.readCommit(long),
      repository.readTag(tag),
      repository.readCommit(tip),
      repository.readCommit(signed),
    ]);
    assert.ok(first && second && fourth);
    const { length } = first.message;
    assert.ok(length > 1_000_000 && length < 1_048_576, String(length));
    assert.ok(message.startsWith(first.message));
    assert.deepEqual([first.tree, first.parents], [tree, [tip]]);
    assert.ok(second.message.length < 1_048_576 && message.startsWith(second.message));
    assert.equal(third?.message, 'one');
    assert.deepEqual(
      [fourth.parents, fourth.author.name, fourth.message, fourth.signature, fourth.payload],
      [[tip], 'A', '', null, undefined],
    );
    const both = await store(path, 'commit', `${head}gpgsig one\n two\n\n${message}`);
    const fifth = await repository.readCommit(both);
    assert.deepEqual([fifth?.signature, fifth?.payload], ['one\ntwo', undefined]);
    const listed = await repository.log({ from: long, max: 2 });
    assert.deepEqual(
      listed.map((each) => [each.id, each.message.length]),
      [
        [long, length],
        [tip, 3],
      ],
    );
    await assert.doesNotReject(repository.log({ from: signed, max: 100 }));
  });

  test('lists commits without their text, but with all parents', async () => {
    const { repository, path, commit, push } = await newRepository();
    const tip = await commit('one');
    await push('main');
    const tree = await gitLine(path, 'rev-parse', `${tip}^{tree}`);
    const person = 'A <a@example.com> 1700000000 +0000';
    const end = `author ${person}\ncommitter ${person}\n\n${'x'.repeat(50_000)}\n`;
    const parents: string[] = [];
    for (let number = 0; number < 60; number += 1) {
      parents.push(await store(path, 'commit', `tree ${tree}\n${end}${number}\n`));
    }
    const lines = parents.map((parent) => `parent ${parent}\n`).join('');
    const merge = objectId(await store(path, 'commit', `tree ${tree}\n${lines}${end}`));
    const listed = await repository.log({ from: merge, max: 100, withoutText: true });
    assert.equal(listed.length, 61);
    assert.deepEqual(listed.find(({ id }) => id === merge)?.parents, parents);
    const read = listed.map(({ message }) => message.length);
    assert.ok(Math.max(...read) < 5000, String(read));
  });

  test('refuses to write a commit or tag around objects that are not there', async () => {
    const { repository } = await newRepository();
    const missing = { kind: 'missing-object' };
    const blob = await repository.writeBlob(Buffer.from('x'));
    const commit = { parents: [], author: someone, committer: someone, message: 'm' };
    await assert.rejects(repository.writeCommit({ ...commit, tree: absent }), missing);
    await assert.rejects(repository.writeCommit({ ...commit, tree: blob }), missing);
    const tag = { tag: 'v1', type: 'commit', tagger: someone, message: 'm' } as const;
    await assert.rejects(repository.writeTag({ ...tag, object: blob }), missing);
  });

  test('writes objects that git reads, checks and names alike', async () => {
    const { repository, path } = await newRepository();
    const content = Buffer.from([0, 1, 2, 0xff, 0x0a, 0]);
    const blob = await repository.writeBlob(content);
    assert.deepEqual(await realGit(path, ['cat-file', 'blob', blob]), content);
    assert.deepEqual(await repository.readBlob(blob), content);
    assert.deepEqual({ ...(await repository.objectInfo(blob)) }, { type: 'blob', size: 6 });
    const empty = await repository.writeBlob(Buffer.alloc(0));
    assert.deepEqual(await repository.readBlob(empty), Buffer.alloc(0));
    const tree = await repository.writeTree(undefined, []);
    assert.equal(tree.kind, 'written');
    assert.ok(tree.kind === 'written');
    const commit = await repository.writeCommit({
      tree: tree.id,
      parents: [],
      author: { ...someone, name: ' <Ünal>\n, ', email: '<a@b>' },
      committer: { ...someone, name: '', offsetMinutes: -570, seconds: 12 },
      message: 'Title\n\nBody with \0 NUL',
    });
    const raw = (await realGit(path, ['cat-file', 'commit', commit])).toString();
    assert.equal(
      raw,
      `tree ${tree.id}\nauthor Ünal <a@b> 1700001000 +0200\ncommitter  <else@example.com> 12 -0930\n\n` +
        'Title\n\nBody with  NUL\n',
    );
    const tag = await repository.writeTag({
      tag: 'v1',
      object: commit,
      type: 'commit',
      tagger: someone,
      message: 'The first',
    });
    assert.deepEqual(
      { ...(await repository.readTag(tag)) },
      {
        id: tag,
        tag: 'v1',
        object: commit,
        type: 'commit',
        tagger: { ...someone },
        message: 'The first',
      },
    );
    await realGit(path, ['fsck', '--strict']);
  });

  test('writes many objects as one pack, which git checks and names alike', async () => {
    const { repository, path } = await newRepository();
    const large = Buffer.from('0123456789abcdef'.repeat(16_384));
    const contents = [
      ...Array.from({ length: 300 }, (_, index) => Buffer.from(`text ${index}\n`)),
      Buffer.alloc(0),
      large,
      Buffer.from('text 1\n'),
    ];
    const ids = await repository.writeBlobs(contents);
    const named = ids.map((id, index) => ({
      path: treePath(`folder ${index}/file`),
      mode: '100644' as const,
      id,
    }));
    const tree = await repository.writeTree(undefined, named);
    assert.ok(tree.kind === 'written');
    const hashed = await realGit(path, ['hash-object', '--stdin'], { input: large });
    assert.equal(ids[301], hashed.toString().trim());
    assert.equal(ids[302], ids[1]);
    for (const index of [0, 150, 300, 301]) {
      const read = await realGit(path, ['cat-file', 'blob', ids[index] ?? '']);
      assert.deepEqual(read, contents[index]);
    }
    const listed = await gitLine(path, 'ls-tree', '-r', '--name-only', tree.id);
    assert.equal(listed.split('\n').length, contents.length);
    assert.match(await gitLine(path, 'count-objects', '-v'), /^count: 0\n[^]*^packs: 2$/m);
    await realGit(path, ['fsck', '--strict', '--full']);
  });

  test('gives a message back as it was written', async () => {
    const { repository } = await newRepository();
    const tree = await repository.writeTree(undefined, []);
    assert.ok(tree.kind === 'written');
    for (const message of ['', 'one', 'two\n\nlines', ' spaces ']) {
      const commit = { tree: tree.id, parents: [], author: someone, committer: someone, message };
      const id = await repository.writeCommit(commit);
      assert.equal((await repository.readCommit(id))?.message, message);
    }
  });

  test('reads commits in the encoding that they name', async () => {
    const { repository, path } = await newRepository();
    const tree = await store(path, 'tree', '');
    const head = `tree ${tree}\nauthor J\xf6rg <j@x> 1700000000 +0000\ncommitter J\xf6rg <j@x> 1 +0000\n`;
    const latin = await store(
      path,
      'commit',
      Buffer.from(`${head}encoding ISO-8859-1\n\nGr\xfc\xdfe\n`, 'latin1'),
    );
    const read = await repository.readCommit(latin);
    assert.equal(read?.message, 'Grüße');
    assert.equal(read?.author.name, 'Jörg');
    const unknown = await store(
      path,
      'commit',
      Buffer.from(`${head}encoding klingon\n\nGr\xfc\n`, 'latin1'),
    );
    assert.equal((await repository.readCommit(unknown))?.message, 'Gr\ufffd');
  });

  test('reads a signature and what was signed', async () => {
    const { repository, path } = await newRepository();
    const tree = await store(path, 'tree', '');
    const before = `tree ${tree}\nauthor A <a@x> 1 +0000\ncommitter A <a@x> 1 +0000\n`;
    const signature = '-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----';
    const header = `gpgsig ${signature.replaceAll('\n', '\n ')}\n`;
    const id = await store(path, 'commit', `${before}${header}\nSigned\n`);
    const read = await repository.readCommit(id);
    assert.equal(read?.signature, signature);
    assert.equal(read?.payload, `${before}\nSigned\n`);
    assert.equal(read?.message, 'Signed');
  });

  const oddPeople = [
    [
      'A <a@x> 99999999999999999999999 +0000',
      { name: 'A', email: 'a@x', seconds: 253_402_300_799, offsetMinutes: 0 },
    ],
    ['A <a@x> 1 +9999', { name: 'A', email: 'a@x', seconds: 1, offsetMinutes: 0 }],
    ['A <a@x> 1 -0330', { name: 'A', email: 'a@x', seconds: 1, offsetMinutes: -210 }],
    ['A <a@x> 1 +051800', { name: 'A', email: 'a@x', seconds: 1, offsetMinutes: 0 }],
    ['A <a@x> -5 +0000', { name: 'A', email: 'a@x', seconds: 0, offsetMinutes: 0 }],
    ['A <a@x>', { name: 'A', email: 'a@x', seconds: 0, offsetMinutes: 0 }],
    ['<a@x> 1 +0000', { name: '', email: 'a@x', seconds: 1, offsetMinutes: 0 }],
    ['A <> 1 +0000', { name: 'A', email: '', seconds: 1, offsetMinutes: 0 }],
    ['A <b> c> 1 +0000', { name: 'A', email: 'b', seconds: 1, offsetMinutes: 0 }],
    ['nobody', { name: 'nobody', email: '', seconds: 0, offsetMinutes: 0 }],
    ['', { name: '', email: '', seconds: 0, offsetMinutes: 0 }],
  ] as const;
  let stored: ReturnType<typeof newRepository> | undefined;
  for (const [line, expected] of oddPeople) {
    test(`reads the author line "${line}"`, async () => {
      const { repository, path } = await (stored ??= newRepository());
      const tree = await store(path, 'tree', '');
      const id = await store(
        path,
        'commit',
        `tree ${tree}\nauthor ${line}\ncommitter ${line}\n\nm\n`,
      );
      assert.deepEqual({ ...(await repository.readCommit(id))?.author }, { ...expected });
    });
  }

  test('reads a commit without committer, blank line or message', async () => {
    const { repository, path } = await newRepository();
    const tree = await store(path, 'tree', '');
    const read = await repository.readCommit(await store(path, 'commit', `tree ${tree}\n`));
    assert.equal(read?.message, '');
    assert.deepEqual({ ...read?.committer }, { name: '', email: '', seconds: 0, offsetMinutes: 0 });
  });

  test('resolves names to commits, in git’s order', async () => {
    const { repository, work, commit, push } = await newRepository();
    const first = await commit('one');
    const second = await commit('two');
    await push('main');
    await realGit(work, ['tag', '-a', '-m', 't', 'annotated', first]);
    await realGit(work, ['tag', 'both', second]);
    await realGit(work, ['push', '-q', 'origin', 'annotated', 'both', `${first}:refs/heads/both`]);
    await realGit(work, ['push', '-q', 'origin', `${second}:refs/heads/${first.slice(0, 8)}`]);
    const tag = await gitLine(work, 'rev-parse', 'annotated');
    const expected: [string, ObjectId | undefined][] = [
      ['main', second],
      ['heads/main', second],
      ['refs/heads/main', second],
      ['annotated', first],
      ['tags/annotated', first],
      [tag, first],
      ['both', first],
      ['tags/both', second],
      [first, first],
      [first.toUpperCase(), first],
      [first.slice(0, 9), first],
      // A branch of that name comes before the abbreviation.
      [first.slice(0, 8), second],
      [first.slice(0, 6), undefined],
      [absent, undefined],
      [noObject, undefined],
      [absent.slice(0, 10), undefined],
      ['', undefined],
      ['main~1', undefined],
      ['main^{commit}', undefined],
      ['main main', undefined],
      ['main\nmain', undefined],
      ['-x', undefined],
      ['refs/heads/', undefined],
    ];
    for (const [revision, id] of expected) {
      assert.equal(await repository.resolveCommit(revision), id, revision);
    }
    const blob = await repository.writeBlob(Buffer.from('x'));
    assert.equal(await repository.resolveCommit(blob), undefined);
  });

  test('sees an object that another process has just packed or stored', async () => {
    const { repository, work, path, commit, push } = await newRepository();
    const first = await commit('one');
    await push('main');
    assert.ok(await repository.readCommit(first));
    for (let round = 0; round < 3; round += 1) {
      const next = await commit(`round ${round}`);
      assert.equal(await repository.readCommit(next), undefined);
      assert.equal(await repository.resolveCommit(next.slice(0, 12)), undefined);
      await realGit(work, ['-c', 'pack.packSizeLimit=0', 'push', '-q', 'origin', 'main']);
      if (round === 1) await realGit(path, ['repack', '-q', '-a', '-d']);
      assert.equal((await repository.readCommit(next))?.message, `round ${round}`);
      assert.equal(await repository.resolveCommit(next.slice(0, 12)), next);
    }
  });

  test('reads a large blob and many objects at once', async () => {
    const { repository } = await newRepository();
    const large = Buffer.alloc(5_000_000, 'line of text\n');
    const id = await repository.writeBlob(large);
    const small = await repository.writeBlob(Buffer.from('small'));
    const read = await Promise.all(
      Array.from({ length: 40 }, (_, index) => repository.readBlob(index % 4 === 0 ? id : small)),
    );
    for (const [index, content] of read.entries()) {
      assert.ok(content?.equals(index % 4 === 0 ? large : Buffer.from('small')));
    }
  });

  test('ignores replacement objects', async () => {
    const { repository, path, commit, push } = await newRepository();
    const first = await commit('one');
    const second = await commit('two');
    await push('main');
    await realGit(path, ['replace', second, first]);
    assert.equal((await repository.readCommit(second))?.message, 'two');
    const log = await repository.log({ from: second, max: 10 });
    assert.deepEqual(
      log.map((each) => each.id),
      [second, first],
    );
  });

  test('keeps refs apart from the objects of other repositories', async () => {
    const one = await newRepository();
    const other = await newRepository();
    const id = await one.commit('private');
    await one.push('main');
    assert.equal(await other.repository.readCommit(id), undefined);
    assert.equal(await other.repository.readRef(refName('refs/heads/main')), undefined);
  });
});

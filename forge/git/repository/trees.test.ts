import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import type { TreeChange } from '../git.ts';
import type { ObjectId } from '../names.ts';
import { realGit } from '../testing/real-git.ts';
import { objectId, treePath, useTestGit } from '../testing/test-git.ts';

const absent = objectId('1'.repeat(40));

/** The paths of a tree with their modes and objects, as git lists them. */
async function listing(path: string, tree: ObjectId): Promise<string[]> {
  const bytes = await realGit(path, ['ls-tree', '-r', '-z', tree]);
  return bytes.toString().split('\0').filter(Boolean);
}

suite('trees', () => {
  const testGit = useTestGit();
  const { newRepository } = testGit;

  async function filled() {
    const created = await newRepository();
    await mkdir(join(created.work, 'folder', 'deep'), { recursive: true });
    await writeFile(join(created.work, 'a.txt'), 'a\n');
    await writeFile(join(created.work, 'folder', 'b.txt'), 'bb\n');
    await writeFile(join(created.work, 'folder', 'deep', 'c.sh'), 'ccc\n', { mode: 0o755 });
    await writeFile(join(created.work, 'folder.txt'), 'x\n');
    await symlink('a.txt', join(created.work, 'link'));
    const id = await created.commit('one');
    await created.push('main');
    return { ...created, id };
  }

  test('answers undefined for what is no tree', async () => {
    const { repository, id } = await filled();
    const blob = await repository.writeBlob(Buffer.from('x'));
    assert.equal(await repository.readTree(absent), undefined);
    assert.equal(await repository.readTree(blob, { recursive: true }), undefined);
    assert.equal(await repository.findPath(absent, treePath('a.txt')), undefined);
    for (const path of ['none', 'a.txt/below', 'folder/none', 'folder/deep/c.sh/x', 'A.txt']) {
      assert.equal(await repository.findPath(id, treePath(path)), undefined);
    }
  });

  test('lists a tree, or the tree of a commit', async () => {
    const { repository, id } = await filled();
    const tree = await repository.readTree(id);
    assert.ok(tree);
    assert.equal(tree.truncated, false);
    assert.deepEqual(
      tree.entries.map((entry) => [entry.path, entry.mode, entry.type, entry.size]),
      [
        ['a.txt', '100644', 'blob', 2],
        ['folder.txt', '100644', 'blob', 2],
        ['folder', '040000', 'tree', undefined],
        ['link', '120000', 'blob', 5],
      ],
    );
    assert.deepEqual(await repository.readTree(tree.id), tree);
    const first = await repository.readTree(id, { entriesMax: 1 });
    assert.deepEqual([first?.entries.length, first?.truncated], [1, true]);
  });

  test('lists recursively as git does, up to a maximum', async () => {
    const { repository, id } = await filled();
    const tree = await repository.readTree(id, { recursive: true });
    assert.deepEqual(
      tree?.entries.map((entry) => [entry.path, entry.mode, entry.type, entry.size]),
      [
        ['a.txt', '100644', 'blob', 2],
        ['folder.txt', '100644', 'blob', 2],
        ['folder', '040000', 'tree', undefined],
        ['folder/b.txt', '100644', 'blob', 3],
        ['folder/deep', '040000', 'tree', undefined],
        ['folder/deep/c.sh', '100755', 'blob', 4],
        ['link', '120000', 'blob', 5],
      ],
    );
    const some = await repository.readTree(id, { recursive: true, entriesMax: 3 });
    assert.deepEqual([some?.entries.length, some?.truncated], [3, true]);
    const all = await repository.readTree(id, { recursive: true, entriesMax: 7 });
    assert.deepEqual([all?.entries.length, all?.truncated], [7, false]);
  });

  test('finds paths', async () => {
    const { repository, id } = await filled();
    const file = await repository.findPath(id, treePath('folder/deep/c.sh'));
    assert.deepEqual(
      [file?.path, file?.mode, file?.type, file?.size],
      ['folder/deep/c.sh', '100755', 'blob', 4],
    );
    assert.equal((await repository.findPath(id, treePath('folder/deep')))?.type, 'tree');
  });

  test('keeps names that are odd or no UTF-8', async () => {
    const { repository, path } = await newRepository();
    const blob = await repository.writeBlob(Buffer.from('x'));
    const names = [Buffer.from('new\nline'), Buffer.from([0x66, 0xff, 0x66]), Buffer.from('"q"')];
    const records = names.map((name) =>
      Buffer.concat([Buffer.from(`100644 blob ${blob}\t`), name, Buffer.from([0])]),
    );
    const created = await realGit(path, ['mktree', '-z'], { input: Buffer.concat(records) });
    const base = objectId(created.toString().trim());
    const listed = await repository.readTree(base);
    assert.deepEqual(
      listed?.entries.map((entry) => entry.path),
      ['"q"', 'f\ufffdf', 'new\nline'],
    );
    assert.equal((await repository.findPath(base, treePath('new\nline')))?.id, blob);
    const change: TreeChange = { path: treePath('é'), mode: '100644', id: blob };
    const written = await repository.writeTree(base, [change]);
    assert.ok(written.kind === 'written');
    const bytes = await realGit(path, ['ls-tree', '--name-only', '-z', written.id]);
    assert.ok(bytes.includes(Buffer.from([0x66, 0xff, 0x66, 0])));
    assert.ok(bytes.includes(Buffer.from('é\0')));
  });

  test('ends the listing of a tree bomb', async () => {
    const { repository } = await newRepository();
    let id = await repository.writeBlob(Buffer.from('x'));
    let mode: TreeChange['mode'] = '100644';
    for (let level = 0; level < 10; level += 1) {
      const changes = Array.from({ length: 10 }, (_, index): TreeChange => {
        return { path: treePath(`d${index}`), mode, id };
      });
      const written = await repository.writeTree(undefined, changes);
      assert.ok(written.kind === 'written');
      id = written.id;
      mode = '040000';
    }
    const tree = await repository.readTree(id, { recursive: true, entriesMax: 1000 });
    assert.deepEqual([tree?.entries.length, tree?.truncated], [1000, true]);
  });

  test('refuses changes that name absent objects or absent paths', async () => {
    const { repository, id } = await filled();
    const blob = await repository.writeBlob(Buffer.from('new'));
    const tree = (await repository.readTree(id))?.id ?? absent;
    const refused: TreeChange[] = [
      { path: treePath('x'), mode: '100644', id: absent },
      { path: treePath('x'), mode: '100644', id: tree },
      { path: treePath('x'), mode: '040000', id: blob },
      { path: treePath('x'), mode: '120000', id },
      { path: treePath('none'), mode: '100644', id: null },
      { path: treePath('folder/none'), mode: '100644', id: null },
      { path: treePath('a.txt/below'), mode: '100644', id: null },
    ];
    for (const change of refused) {
      assert.deepEqual(await repository.writeTree(id, [change]), {
        kind: 'bad-object',
        path: change.path,
      });
    }
    await assert.rejects(repository.writeTree(absent, []), { kind: 'missing-object' });
  });

  test('changes paths as git’s own index would', async () => {
    const { repository, id, path } = await filled();
    const blob = await repository.writeBlob(Buffer.from('new'));
    const before = await listing(path, id);
    const folder = (await repository.findPath(id, treePath('folder/deep')))?.id ?? absent;
    const result = await repository.writeTree(id, [
      { path: treePath('folder/deep/c.sh'), mode: '100644', id: null },
      { path: treePath('folder/b.txt'), mode: '100755', id: blob },
      { path: treePath('made/up/path.txt'), mode: '100644', id: blob },
      { path: treePath('copied'), mode: '040000', id: folder },
      { path: treePath('module'), mode: '160000', id: absent },
      { path: treePath('a.txt/now-a-folder'), mode: '100644', id: blob },
      { path: treePath('link'), mode: '120000', id: blob },
    ]);
    assert.ok(result.kind === 'written');
    const c = before.find((line) => line.endsWith('c.sh'))?.split(/\s/)[2] ?? '';
    assert.deepEqual(await listing(path, result.id), [
      `100644 blob ${blob}\ta.txt/now-a-folder`,
      `100755 blob ${c}\tcopied/c.sh`,
      ...before.filter((line) => line.endsWith('folder.txt')),
      `100755 blob ${blob}\tfolder/b.txt`,
      `120000 blob ${blob}\tlink`,
      `100644 blob ${blob}\tmade/up/path.txt`,
      `160000 commit ${absent}\tmodule`,
    ]);
    await realGit(path, ['fsck', '--strict']);
  });

  test('removes a folder with its last file, and everything', async () => {
    const { repository, path } = await newRepository();
    const blob = await repository.writeBlob(Buffer.from('x'));
    const one = await repository.writeTree(undefined, [
      { path: treePath('a/b/c'), mode: '100644', id: blob },
    ]);
    assert.ok(one.kind === 'written');
    const none = await repository.writeTree(one.id, [
      { path: treePath('a/b/c'), mode: '100644', id: null },
    ]);
    assert.ok(none.kind === 'written');
    assert.equal(none.id, '4b825dc642cb6eb9a060e54bf8d69288fbee4904');
    assert.deepEqual(await listing(path, none.id), []);
  });

  test('puts a folder before or after files as git sorts them', async () => {
    const { repository, path } = await newRepository();
    const blob = await repository.writeBlob(Buffer.from('x'));
    const names = ['a', 'a.b', 'a-b', 'a0', 'ab/x', 'a/x'].filter((name) => name !== 'a');
    const changes = names.map((name): TreeChange => {
      return { path: treePath(name), mode: '100644', id: blob };
    });
    const created = await repository.writeTree(undefined, changes);
    assert.ok(created.kind === 'written');
    await realGit(path, ['fsck', '--strict', created.id]);
    assert.deepEqual(
      (await repository.readTree(created.id))?.entries.map((entry) => entry.path),
      ['a-b', 'a.b', 'a', 'a0', 'ab'],
    );
  });
});

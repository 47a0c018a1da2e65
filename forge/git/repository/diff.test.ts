import assert from 'node:assert/strict';
import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { objectIdOf } from '../commands/loose-object.ts';
import type { FileChange } from '../file-change.ts';
import { formatPack, type PackedObject } from '../format/pack.ts';
import { formatTree, treeMode } from '../format/tree-object.ts';
import { GitError } from '../git-error.ts';
import type { GitRepository } from '../git.ts';
import type { ObjectId } from '../names.ts';
import { realGit } from '../testing/real-git.ts';
import { objectId, useTestGit } from '../testing/test-git.ts';

const all = { filesMax: 1000, patches: true };
const absent = objectId('1'.repeat(40));
const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `line ${from + index}\n`).join('');

function byPath(changes: readonly FileChange[], path: string): FileChange {
  const change = changes.find((each) => each.path === path);
  assert.ok(change, `no change of ${path}`);
  return change;
}

async function blobAt(
  repository: GitRepository,
  commit: ObjectId,
  path: string,
): Promise<ObjectId | undefined> {
  const tree = await repository.readTree(commit, { recursive: true });
  return tree?.entries.find((entry) => entry.path === path)?.id;
}

suite('diff', () => {
  const testGit = useTestGit();
  const { newRepository } = testGit;

  /** Two commits with every kind of change between them. */
  async function changed() {
    const created = await newRepository();
    const { work } = created;
    const file = (name: string) => join(work, name);
    await mkdir(file('folder'));
    await mkdir(file('module'));
    await writeFile(file('added-to'), lines(0, 30));
    await writeFile(file('folder/removed'), 'gone\nfor ever\n');
    await writeFile(file('renamed'), lines(100, 150));
    await writeFile(file('moved'), lines(200, 250));
    await writeFile(file('mode'), 'same\n');
    await writeFile(file('mode-and-text'), 'before\n');
    await writeFile(file('binary'), Buffer.from([0, 1, 2, 3]));
    await writeFile(file('crlf'), 'one\r\ntwo\r\n');
    await writeFile(file('no-newline'), 'text');
    await writeFile(file('latin'), Buffer.from('Gr\xfc\xdfe\n', 'latin1'));
    await writeFile(file('new\nline "quoted"\tté'), 'odd\n');
    await writeFile(file('diff --git a'), 'diff --git a/x b/x\n');
    await symlink('target', file('link'));
    await symlink('target', file('was-link'));
    const module = ['update-index', '--add', '--cacheinfo', `160000,${absent},module`];
    await realGit(work, module);
    await writeFile(file('empty'), '');
    const from = await created.commit('before');
    await writeFile(file('added-to'), `${lines(0, 30)}more\nand more\n`);
    await rm(file('folder/removed'));
    await rename(file('renamed'), file('renamed to'));
    await rename(file('moved'), file('folder/moved'));
    await writeFile(file('folder/moved'), lines(201, 252));
    await chmod(file('mode'), 0o755);
    await chmod(file('mode-and-text'), 0o755);
    await writeFile(file('mode-and-text'), 'after\n');
    await writeFile(file('binary'), Buffer.from([0, 1, 2, 4]));
    await writeFile(file('crlf'), 'one\r\nzwei\r\n');
    await writeFile(file('no-newline'), 'other');
    await writeFile(file('latin'), Buffer.from('Gr\xfc\xdfe!\n', 'latin1'));
    await writeFile(file('new\nline "quoted"\tté'), 'odder\n');
    await writeFile(file('diff --git a'), 'diff --git a/y b/y\n@@ -1 +1 @@\n');
    await rm(file('link'));
    await symlink('elsewhere', file('link'));
    await rm(file('was-link'));
    await writeFile(file('was-link'), 'a file now\n');
    await writeFile(file('added'), 'new\n');
    await writeFile(file('added-empty'), '');
    await realGit(work, ['update-index', '--cacheinfo', `160000,${'2'.repeat(40)},module`]);
    await realGit(work, ['add', '--all']);
    await realGit(work, ['commit', '-q', '-m', 'after']);
    const to = await created.push('main');
    return { ...created, from, to };
  }

  test('fails for objects that are not there', async () => {
    const { repository, to } = await changed();
    await assert.rejects(repository.diffFiles(absent, to, all), { kind: 'failed' });
    await assert.rejects(repository.diffText(to, absent), { kind: 'failed' });
    await assert.rejects(repository.diffStat(absent, to), { kind: 'failed' });
    await assert.rejects(repository.formatPatch(absent, to), { kind: 'failed' });
  });

  test('prints what git diff and git format-patch print', async () => {
    const { repository, work, from, to } = await changed();
    assert.deepEqual(await repository.diffText(from, to), await realGit(work, ['diff', from, to]));
    assert.deepEqual(
      await repository.formatPatch(from, to),
      await realGit(work, ['format-patch', '--stdout', `${from}..${to}`]),
    );
    const root = await realGit(work, ['format-patch', '--stdout', '--root', to]);
    assert.deepEqual(await repository.formatPatch(undefined, to), root);
    const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
    const whole = await realGit(work, ['diff', emptyTree, to]);
    assert.deepEqual(await repository.diffText(undefined, to), whole);
    assert.deepEqual(await repository.diffText(to, to), Buffer.alloc(0));
  });

  test('prints several commits as one series of patches', async () => {
    const { repository, work, commit, push } = await newRepository();
    const first = await commit('one');
    await writeFile(join(work, 'large binary'), Buffer.alloc(70_000, 0).fill(7, 0, 9));
    await commit('two: Ünïcödé and a very long subject line that git must fold somewhere, surely');
    await writeFile(join(work, 'text'), 'a\n');
    await commit('three\n\nWith a body.\n\n-- \nand a signature');
    const tip = await push('main');
    assert.deepEqual(
      await repository.formatPatch(first, tip),
      await realGit(work, ['format-patch', '--stdout', `${first}..${tip}`]),
    );
  });

  test('shows text of more than a megabyte as text, as git does', async () => {
    const { repository, work, commit, push } = await newRepository();
    await writeFile(join(work, 'large'), lines(0, 200_000));
    const from = await commit('one');
    await writeFile(join(work, 'large'), lines(1, 200_001));
    await commit('two');
    const to = await push('main');
    assert.deepEqual(await repository.diffText(from, to), await realGit(work, ['diff', from, to]));
    const [change] = await repository.diffFiles(from, to, all);
    assert.deepEqual([change?.binary, change?.additions, change?.deletions], [false, 1, 1]);
  });

  test('counts as git does', async () => {
    const { repository, work, from, to } = await changed();
    const numstat = (await realGit(work, ['diff', '--numstat', '-z', '--no-renames', from, to]))
      .toString()
      .split('\0')
      .filter(Boolean);
    const stat = await repository.diffStat(from, to);
    const shortstat = (await realGit(work, ['diff', '--shortstat', from, to])).toString();
    assert.match(shortstat, new RegExp(`^ ${stat.files} files changed, ${stat.additions} insert`));
    assert.match(shortstat, new RegExp(` ${stat.deletions} deletions`));
    const changes = await repository.diffFiles(from, to, all);
    for (const line of numstat) {
      const [added = '', deleted = '', ...path] = line.split('\t');
      const change = changes.find((each) => each.path === path.join('\t'));
      if (!change || change.status === 'renamed') continue;
      const counts = change.binary
        ? ['-', '-']
        : [String(change.additions), String(change.deletions)];
      assert.deepEqual(counts, [added, deleted], line);
    }
    assert.deepEqual(
      { ...(await repository.diffStat(to, to)) },
      { files: 0, additions: 0, deletions: 0 },
    );
  });

  test('reports each kind of change', async () => {
    const { repository, from, to } = await changed();
    const changes = await repository.diffFiles(from, to, all);
    const brief = changes.map((change) => [
      change.status,
      change.path,
      change.mode,
      change.binary,
      change.patch === undefined ? 'no patch' : 'patch',
    ]);
    assert.deepEqual(brief, [
      ['added', 'added', '100644', false, 'patch'],
      ['added', 'added-empty', '100644', false, 'no patch'],
      ['modified', 'added-to', '100644', false, 'patch'],
      ['modified', 'binary', '100644', true, 'no patch'],
      ['modified', 'crlf', '100644', false, 'patch'],
      ['modified', 'diff --git a', '100644', false, 'patch'],
      ['renamed', 'folder/moved', '100644', false, 'patch'],
      ['removed', 'folder/removed', '100644', false, 'patch'],
      ['modified', 'latin', '100644', false, 'patch'],
      ['modified', 'link', '120000', false, 'patch'],
      ['changed', 'mode', '100755', false, 'no patch'],
      ['modified', 'mode-and-text', '100755', false, 'patch'],
      ['modified', 'module', '160000', false, 'patch'],
      ['modified', 'new\nline "quoted"\tté', '100644', false, 'patch'],
      ['modified', 'no-newline', '100644', false, 'patch'],
      ['renamed', 'renamed to', '100644', false, 'no patch'],
      ['changed', 'was-link', '100644', false, 'patch'],
    ]);
    assert.equal(byPath(changes, 'renamed to').previousPath, 'renamed');
    assert.equal(byPath(changes, 'folder/moved').previousPath, 'moved');
    assert.equal(byPath(changes, 'module').id, '2'.repeat(40));
    assert.equal(
      byPath(changes, 'latin').patch,
      '@@ -1 +1 @@\n-Gr\ufffd\ufffde\n+Gr\ufffd\ufffde!',
    );
    assert.equal(byPath(changes, 'crlf').patch, '@@ -1,2 +1,2 @@\n one\r\n-two\r\n+zwei\r');
    assert.equal(
      byPath(changes, 'no-newline').patch,
      '@@ -1 +1 @@\n-text\n\\ No newline at end of file\n+other\n\\ No newline at end of file',
    );
    assert.equal(
      byPath(changes, 'diff --git a').patch,
      '@@ -1 +1,2 @@\n-diff --git a/x b/x\n+diff --git a/y b/y\n+@@ -1 +1 @@',
    );
    assert.equal(
      byPath(changes, 'was-link').patch,
      '@@ -1 +0,0 @@\n-target\n\\ No newline at end of file\n@@ -0,0 +1 @@\n+a file now',
    );
    const removed = byPath(changes, 'folder/removed');
    assert.equal(removed.id, await blobAt(repository, from, 'folder/removed'));
    assert.deepEqual([removed.additions, removed.deletions], [0, 2]);
  });

  test('compares with nothing before the first commit', async () => {
    const { repository, from } = await changed();
    const changes = await repository.diffFiles(undefined, from, all);
    assert.ok(changes.length > 10);
    assert.ok(changes.every((change) => change.status === 'added'));
    assert.equal(byPath(changes, 'folder/removed').patch, '@@ -0,0 +1,2 @@\n+gone\n+for ever');
  });

  test('leaves out what is over the limits, file by file', async () => {
    const { repository, from, to } = await changed();
    const two = await repository.diffFiles(from, to, { ...all, filesMax: 2 });
    assert.deepEqual(
      two.map((change) => change.path),
      ['added', 'added-empty'],
    );
    const none = await repository.diffFiles(from, to, { ...all, patches: false });
    assert.equal(none.length, 17);
    assert.ok(none.every((change) => change.patch === undefined));
    assert.equal(byPath(none, 'added-to').additions, 2);
    const short = await repository.diffFiles(from, to, { ...all, patchBytesMax: 30 });
    assert.equal(byPath(short, 'added').patch, '@@ -0,0 +1 @@\n+new');
    assert.equal(byPath(short, 'added-to').patch, undefined);
    assert.equal(byPath(short, 'added-to').additions, 2);
    const total = await repository.diffFiles(from, to, { ...all, totalBytesMax: 30 });
    const provided = total.filter((change) => change.patch !== undefined);
    assert.deepEqual(
      provided.map((change) => change.path),
      ['added'],
    );
  });

  test('is not changed by attributes or a configuration in the repository', async () => {
    const { repository, work, path, commit, push } = await newRepository();
    await writeFile(join(work, 'text'), 'one\n');
    const from = await commit('one');
    await writeFile(join(work, 'text'), 'two\n');
    await writeFile(join(work, '.gitattributes'), '* -diff\n* diff=evil\n');
    await commit('two');
    const to = await push('main');
    const evil = join(testGit.folder, 'evil');
    for (const [name, value] of [
      ['diff.external', `touch ${evil}`],
      ['diff.evil.command', `touch ${evil}`],
      ['diff.evil.textconv', `touch ${evil}; cat`],
      ['diff.noprefix', 'true'],
      ['core.fsmonitor', `touch ${evil}`],
    ] as const) {
      await realGit(path, ['config', name, value]);
    }
    const text = (await repository.diffText(from, to)).toString();
    assert.match(text, /-one\n\+two\n/);
    await assert.rejects(realGit(testGit.folder, ['hash-object', evil]), /No such file/);
  });

  test('without spaces, only files and lines that differ in something else are there', async () => {
    const { repository, work, commit, push } = await newRepository();
    const file = (name: string) => join(work, name);
    const moved = lines(0, 30);
    await writeFile(file('a-spaces'), 'one\ntwo\n');
    await writeFile(file('both'), 'one\ntwo\n');
    await writeFile(file('mode'), 'same\n');
    await writeFile(file('old'), moved);
    await writeFile(file('z-spaces'), '\tone\n');
    const from = await commit('before');
    await writeFile(file('a-spaces'), '  one\ntwo\n');
    await writeFile(file('both'), ' one\n2\n');
    await chmod(file('mode'), 0o755);
    await rm(file('old'));
    await writeFile(file('new'), moved.replace('line 3\n', '  line 3\n'));
    await writeFile(file('z-spaces'), '  one\n');
    const to = await commit('after');
    await push('main');
    const found = await repository.diffFiles(from, to, { ...all, ignoreWhitespace: true });
    assert.deepEqual(
      found.map(({ path, status, additions, patch }) => [path, status, additions, patch]),
      [
        ['both', 'modified', 1, '@@ -1,2 +1,2 @@\n  one\n-two\n+2'],
        ['mode', 'changed', 0, undefined],
        ['new', 'renamed', 0, undefined],
      ],
    );
    assert.equal((await repository.diffFiles(from, to, all)).length, 5);
  });

  test('folders that are too deep for git exceed a limit', async () => {
    const { repository, path } = await newRepository();
    const blob: PackedObject = { type: 'blob', content: Buffer.from('x') };
    const objects = [blob];
    let record = { mode: '100644', name: 'f', id: objectIdOf(blob) };
    for (let level = 0; level < 30_000; level += 1) {
      const tree: PackedObject = { type: 'tree', content: formatTree([record]) };
      objects.push(tree);
      record = { mode: treeMode, name: 'a', id: objectIdOf(tree) };
    }
    await realGit(path, ['index-pack', '--stdin'], { input: await formatPack(objects) });
    // Where the host limits no stack, git is not ended.
    await repository.diffStat(undefined, record.id).catch((error: unknown) => {
      assert.ok(error instanceof GitError, String(error));
      assert.equal(error.kind, 'diff-limit', error.message);
    });
  });

  test('refuse a list of changed files that is too long to be read', async () => {
    const { repository, path } = await newRepository();
    const blob: PackedObject = { type: 'blob', content: Buffer.from('x') };
    const id = objectIdOf(blob);
    const names = Array.from({ length: 20_000 }, (_, index) => String(index).padStart(5, '0'));
    const files = names.map((name) => ({ mode: '100644', name, id }));
    let tree: PackedObject = { type: 'tree', content: formatTree(files) };
    const objects = [blob, tree];
    for (let level = 0; level < 15; level += 1) {
      const record = { mode: treeMode, name: 'a'.repeat(250), id: objectIdOf(tree) };
      tree = { type: 'tree', content: formatTree([record]) };
      objects.push(tree);
    }
    await realGit(path, ['index-pack', '--stdin'], { input: await formatPack(objects) });
    await assert.rejects(repository.diffFiles(undefined, objectIdOf(tree), all), {
      kind: 'diff-limit',
    });
  });
});

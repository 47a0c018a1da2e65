import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import type { ObjectId } from '../names.ts';
import { realGit, tryGit } from '../testing/real-git.ts';
import { objectId, someone, useTestGit } from '../testing/test-git.ts';
import type { TestRepository } from '../testing/test-git.ts';

const committer = {
  GIT_COMMITTER_NAME: someone.name,
  GIT_COMMITTER_EMAIL: someone.email,
  GIT_COMMITTER_DATE: `${someone.seconds} +0200`,
};

async function write(
  created: TestRepository,
  name: string,
  text: string,
  message = `${name} ${text}`,
) {
  await writeFile(join(created.work, name), `${text}\n`);
  return created.commit(message);
}

/** What the real `git rebase` makes of the branch: its tip. */
async function realRebase({ work }: TestRepository): Promise<ObjectId> {
  await realGit(work, ['checkout', '-q', 'topic']);
  await realGit(work, ['rebase', '-q', '--no-ff', 'main'], { environment: committer });
  return objectId((await realGit(work, ['rev-parse', 'HEAD'])).toString().trim());
}

suite('rebase', () => {
  const testGit = useTestGit();
  const { newRepository } = testGit;

  /**
   * A start commit; then `main` gets what the first function commits, and `topic` what the second
   * does.
   */
  async function branches(
    onMain: (created: TestRepository) => Promise<unknown>,
    onTopic: (created: TestRepository) => Promise<unknown>,
  ): Promise<TestRepository & { upstream: ObjectId; head: ObjectId }> {
    const created = await newRepository();
    await write(created, 'file', '1\n2\n3\n4\n5\n6\n7\n8');
    await realGit(created.work, ['checkout', '-q', '-b', 'topic']);
    await onTopic(created);
    await realGit(created.work, ['checkout', '-q', 'main']);
    await onMain(created);
    return { ...created, upstream: await created.push('main'), head: await created.push('topic') };
  }

  test('stops at the first commit in conflict', async () => {
    const created = await branches(
      (each) => write(each, 'file', 'main'),
      async (each) => {
        await write(each, 'other', 'fine');
        await write(each, 'file', 'topic');
        await write(each, 'third', 'fine too');
      },
    );
    const { repository, work, upstream, head } = created;
    const conflicting = (await realGit(work, ['rev-parse', 'topic~1'])).toString().trim();
    assert.deepEqual(await repository.rebase(upstream, head, someone), {
      kind: 'conflict',
      commit: conflicting,
    });
  });

  test('makes the commits that git rebase makes', async () => {
    const created = await branches(
      (each) => write(each, 'main', 'main'),
      async (each) => {
        await write(each, 'one', 'one', 'One\n\nWith a body.\n');
        await write(each, 'two', 'two');
        await realGit(each.work, ['commit', '-q', '--allow-empty', '-m', 'empty from the start']);
        await write(each, 'one', 'one again', '  spaces, and # no comment\n#hash');
      },
    );
    const result = await created.repository.rebase(created.upstream, created.head, someone);
    assert.ok(result.kind === 'clean');
    assert.equal(result.tip, await realRebase(created));
    assert.equal(result.commits.length, 4);
    const log = await created.repository.log({
      from: result.tip,
      notIn: [created.upstream],
      max: 9,
    });
    assert.deepEqual(
      log.map((commit) => commit.id),
      result.commits.toReversed(),
    );
  });

  /** A commit on `topic` whose message is longer than an argument may be. */
  async function writeLong(each: TestRepository, bytes: number): Promise<void> {
    await writeFile(join(each.work, 'long'), 'long\n');
    await realGit(each.work, ['add', '--all']);
    const input = `${'x'.repeat(99)}\n`.repeat(bytes / 100);
    await realGit(each.work, ['commit', '-q', '-F', '-'], { input });
  }

  test('keeps the whole of a long message', async () => {
    const created = await branches(
      (each) => write(each, 'main', 'main'),
      (each) => writeLong(each, 2_000_000),
    );
    assert.equal(await created.repository.testRebase(created.upstream, created.head), true);
    const result = await created.repository.rebase(created.upstream, created.head, someone);
    assert.ok(result.kind === 'clean');
    assert.equal(result.tip, await realRebase(created));
  });

  test('does not make a commit again that is too large to hold', async () => {
    const { repository, upstream, head } = await branches(
      (each) => write(each, 'main', 'main'),
      (each) => writeLong(each, 9_000_000),
    );
    await assert.rejects(repository.rebase(upstream, head, someone), { kind: 'limit' });
    assert.equal(await repository.testRebase(upstream, head), false);
  });

  test('drops merges, what the upstream has, and what becomes empty', async () => {
    const created = await branches(
      async (each) => {
        await write(each, 'same', 'same', 'the same patch under another name');
        // Together these two make `becomes empty` empty, though neither is its patch.
        await write(each, 'late', 'half');
        await write(each, 'late', 'whole');
      },
      async (each) => {
        await write(each, 'same', 'same');
        await write(each, 'late', 'whole', 'becomes empty');
        await realGit(each.work, ['checkout', '-q', '-b', 'side', 'HEAD~1']);
        await write(each, 'side', 'side');
        await realGit(each.work, ['checkout', '-q', 'topic']);
        await write(each, 'kept', 'kept');
        await realGit(each.work, ['merge', '-q', '--no-ff', '-m', 'merge', 'side']);
      },
    );
    const result = await created.repository.rebase(created.upstream, created.head, someone);
    assert.ok(result.kind === 'clean');
    const log = await created.repository.log({
      from: result.tip,
      notIn: [created.upstream],
      max: 9,
    });
    assert.deepEqual(log.map((commit) => commit.message).toSorted(), ['kept kept', 'side side']);
    assert.equal(result.tip, await realRebase(created));
  });

  test('has nothing to do when the upstream has everything', async () => {
    const created = await branches(
      (each) => write(each, 'main', 'main'),
      async () => {},
    );
    assert.deepEqual(await created.repository.rebase(created.upstream, created.head, someone), {
      kind: 'clean',
      tip: created.upstream,
      commits: [],
    });
  });

  test('re-creates commits that need not move, with the new committer', async () => {
    const created = await branches(
      async () => {},
      (each) => write(each, 'one', 'one'),
    );
    const result = await created.repository.rebase(created.upstream, created.head, someone);
    assert.ok(result.kind === 'clean');
    assert.notEqual(result.tip, created.head);
    const commit = await created.repository.readCommit(result.tip);
    assert.deepEqual({ ...commit?.committer }, someone);
    assert.equal(commit?.author.name, 'Ann Author');
    assert.equal(result.tip, await realRebase(created));
  });

  test('keeps the encoding of a message', async () => {
    const created = await branches(
      (each) => write(each, 'main', 'main'),
      async (each) => {
        await writeFile(join(each.work, 'latin'), 'x\n');
        await realGit(each.work, ['add', '--all']);
        const message = Buffer.from('Gr\xfc\xdfe\n', 'latin1');
        const parts = ['-c', 'i18n.commitEncoding=ISO-8859-1', 'commit', '-q', '-F', '-'];
        await realGit(each.work, parts, { input: message });
      },
    );
    const { repository, upstream, head, path } = created;
    const result = await repository.rebase(upstream, head, someone);
    assert.ok(result.kind === 'clean');
    const raw = await realGit(path, ['cat-file', 'commit', result.tip]);
    assert.ok(raw.includes('\nencoding ISO-8859-1\n\n'));
    assert.ok(raw.includes(Buffer.from('Gr\xfc\xdfe\n', 'latin1')));
    const unusual = await repository.rebase(upstream, head, { ...someone, name: 'Łukasz' });
    assert.ok(unusual.kind === 'clean');
    const commit = await repository.readCommit(unusual.tip);
    assert.equal(commit?.message, 'Grüße');
    assert.equal(commit?.committer.name, 'Łukasz');
  });

  test('drops the signature, which would be of another commit', async () => {
    const created = await branches(
      (each) => write(each, 'main', 'main'),
      async (each) => {
        await write(each, 'one', 'one');
        const raw = (await realGit(each.work, ['cat-file', 'commit', 'HEAD'])).toString();
        const signed = raw.replace('\n\n', '\ngpgsig -----BEGIN-----\n abc\n -----END-----\n\n');
        const parts = ['hash-object', '-w', '-t', 'commit', '--stdin'];
        const id = (await realGit(each.work, parts, { input: signed })).toString().trim();
        await realGit(each.work, ['reset', '-q', '--hard', id]);
      },
    );
    const result = await created.repository.rebase(created.upstream, created.head, someone);
    assert.ok(result.kind === 'clean');
    assert.ok((await created.repository.readCommit(created.head))?.signature);
    assert.equal((await created.repository.readCommit(result.tip))?.signature, undefined);
  });

  test('picks a root commit of an unrelated history', async () => {
    const created = await newRepository();
    await write(created, 'main', 'main');
    await created.push('main');
    await realGit(created.work, ['checkout', '-q', '--orphan', 'topic']);
    await write(created, 'root', 'root');
    await write(created, 'second', 'second');
    const head = await created.push('topic');
    const upstream = objectId(
      (await realGit(created.work, ['rev-parse', 'main'])).toString().trim(),
    );
    const result = await created.repository.rebase(upstream, head, someone);
    assert.ok(result.kind === 'clean');
    assert.equal(result.tip, await realRebase(created));
    const check = await tryGit(created.path, ['fsck', '--strict']);
    assert.equal(check.status, 0, check.errors);
  });
});

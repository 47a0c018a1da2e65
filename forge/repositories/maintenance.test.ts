import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { createLog, type Log } from '#platform/log.ts';

import { GitError } from '../git/git-error.ts';
import type { GitRepository, MaintenanceKind, RepositorySize } from '../git/git.ts';
import type { Ports } from '../ports/ports.ts';
import { commitFiles, repositoryId } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { maintainRepositories } from './maintain-repositories.ts';
import { maintenanceDueAt, maintenanceKind } from './maintenance.ts';

const minute = 60_000;
const day = 24 * 3_600_000;

describe('when a repository is to be packed', () => {
  const now = 100 * day;
  const size = (packs: number, looseObjects: number, packedObjects = 0): RepositorySize => ({
    packs,
    packedObjects,
    looseObjects,
    kibibytes: 1,
  });

  for (const [label, current, at, due] of [
    ['a small one within a week', size(3, 10), null, now + 7 * day],
    ['one with many objects that was never packed at once', size(1, 0, 10_000), null, now],
    ['one with many objects within a week', size(1, 0, 10_000), now - day, now + 7 * day],
    ['one with many packs at once', size(50, 0), null, now],
    ['one with many loose objects at once', size(0, 2000), null, now],
    ['but not again within ten minutes', size(60, 0), now - minute, now + 9 * minute],
    ['at once when the ten minutes are over', size(60, 0), now - day, now],
    ['without waiting when twice as much is there', size(100, 0), now - minute, now],
  ] as const) {
    test(label, () => {
      assert.equal(maintenanceDueAt(current, { at, fullyAt: null }, now), due);
    });
  }

  test('it waits for ten minutes at most after the clock was set back', () => {
    const maintained = { at: now + 60 * minute, fullyAt: null };
    assert.equal(maintenanceDueAt(size(60, 0), maintained, now), now + 10 * minute);
  });

  test('it is packed as a whole once a week', () => {
    const kindAfter = (fullyAt: number | null): MaintenanceKind =>
      maintenanceKind({ at: now, fullyAt }, now);
    assert.equal(kindAfter(null), 'full');
    assert.equal(kindAfter(now - 6 * day), 'incremental');
    assert.equal(kindAfter(now - 7 * day), 'full');
  });
});

describe('packing repositories', () => {
  let forge: TestForge;
  let owner: TestUser;
  let lines: any[];
  let log: Log;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    lines = [];
    log = createLog('info', (line) => lines.push(JSON.parse(line)));
  });
  after(() => forge.close());

  /** The port, where maintenance is as the test says. */
  function portsWith(maintain: GitRepository['maintain']): Ports {
    const repository = (id: number): GitRepository => ({ ...forge.git.repository(id), maintain });
    return { ...forge.ports, git: { ...forge.git, repository } };
  }

  async function run(ports: Ports = forge.ports): Promise<any[]> {
    lines.length = 0;
    await maintainRepositories(ports, log);
    return lines;
  }

  async function newRepository(): Promise<{ name: string; id: number }> {
    const name = await forge.repository(owner);
    await commitFiles(forge, name, 'main', { a: 'x\n' });
    await forge.ports.background.idle();
    return { name, id: await repositoryId(forge, name) };
  }

  test('does not run before it is due, then once, and is logged in one line with numbers', async () => {
    const { name, id } = await newRepository();
    assert.deepEqual(await run(), []);
    forge.clock.advance(7 * day);
    const [line, ...rest] = await run();
    assert.deepEqual(rest, []);
    assert.equal(line.msg, 'packed a repository');
    assert.deepEqual([line.repositoryId, line.kind], [id, 'full']);
    assert.ok(line.before.looseObjects > 0);
    assert.deepEqual([line.after.looseObjects, line.after.packs], [0, 1]);
    assert.ok(line.milliseconds >= 0);
    forge.clock.advance(30 * day);
    assert.deepEqual(await run(), []);
    assert.equal((await owner.get(`/repos/${name}/commits/main`)).status, 200);
  });

  test('is done again after the next push', async () => {
    const { name, id } = await newRepository();
    forge.clock.advance(7 * day);
    await run();
    await commitFiles(forge, name, 'main', { b: 'x\n' });
    await forge.ports.background.idle();
    forge.clock.advance(7 * day);
    assert.deepEqual(
      (await run()).map((line) => line.repositoryId),
      [id],
    );
  });

  test('that fails is retried a day later, and delays no other', async () => {
    const [one, other] = [await newRepository(), await newRepository()];
    forge.clock.advance(7 * day);
    let requested = 0;
    const failing = portsWith(async () => {
      requested += 1;
      throw new GitError('failed', 'no');
    });
    const sent = await run(failing);
    assert.equal(requested, 2);
    assert.deepEqual(
      sent.map((line) => [line.msg, line.repositoryId]),
      [one, other].map(({ id }) => ['packing a repository failed', id]),
    );
    assert.deepEqual(await run(), []);
    forge.clock.advance(day);
    assert.equal((await run()).length, 2);
  });

  test('of what is too large to be packed as a whole packs what is new', async () => {
    await newRepository();
    forge.clock.advance(7 * day);
    const kinds: MaintenanceKind[] = [];
    const sizes = { before: { packs: 9, packedObjects: 0, looseObjects: 9, kibibytes: 9 } };
    await run(
      portsWith(async (kind) => {
        kinds.push(kind);
        if (kind === 'full') throw new GitError('limit', 'too long');
        return { ...sizes, after: sizes.before };
      }),
    );
    assert.deepEqual(kinds, ['full', 'incremental']);
    assert.deepEqual(await run(), []);
  });

  test('skips what is gone from the disk', async () => {
    await newRepository();
    forge.clock.advance(7 * day);
    const gone = portsWith(async () => {
      throw new GitError('missing-repository', 'gone');
    });
    assert.deepEqual(await run(gone), []);
    forge.clock.advance(30 * day);
    assert.deepEqual(await run(), []);
  });

  test('ends with the server, and goes on after the next start', async () => {
    const created = [await newRepository(), await newRepository()];
    forge.clock.advance(7 * day);
    lines.length = 0;
    await maintainRepositories(forge.ports, log, () => lines.length === 0);
    assert.equal(lines.length, 1);
    assert.equal((await run()).length, created.length - 1);
  });
});

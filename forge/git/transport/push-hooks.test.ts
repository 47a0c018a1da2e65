import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { repositoryPaths } from '../commands/repository-paths.ts';
import { noObject } from '../names.ts';
import { installPushHooks, prepareHooks } from './push-hooks.ts';
import type { PushRefusal } from './push-refusals.ts';

describe('the hook that refuses refs', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-hooks-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Returns a function that runs the hook as git does, and returns what it prints. */
  async function prepare(
    refusals: readonly PushRefusal[],
  ): Promise<(ref: string) => Promise<string>> {
    const paths = repositoryPaths(folder);
    await installPushHooks(paths);
    await mkdir(paths.arriving, { recursive: true });
    const { environment } = await prepareHooks(paths, refusals, false);
    const { PATH } = process.env;
    const env = { PATH, LC_ALL: 'C', ...environment };
    return async (ref) => {
      const hook = join(paths.hooks, 'both', 'update');
      try {
        return (await promisify(execFile)(hook, [ref, noObject, noObject], { env })).stderr;
      } catch (error) {
        return String(Reflect.get(Object(error), 'stderr'));
      }
    };
  }

  // A shell that read the list itself would take minutes.
  test(
    'finds one of many at once, since it runs for each of them',
    { timeout: 60_000 },
    async () => {
      const many = Array.from({ length: 200_000 }, (_, at) =>
        refusal(`refs/heads/${at}`, `No ${at}.`),
      );
      const run = await prepare(many);
      assert.equal(await run('refs/heads/199999'), 'No 199999.\n');
      assert.equal(await run('refs/heads/200000'), '');
    },
  );

  test('knows refs and reasons of any characters', async () => {
    const run = await prepare([
      refusal('refs/heads/a"b.c#d', 'He said "no"; #1, \\ é.  \nEnd.'),
      refusal('refs/heads/A', 'Upper.'),
    ]);
    assert.equal(await run('refs/heads/a"b.c#d'), 'He said "no"; #1, \\ é.   End.\n');
    assert.equal(await run('refs/heads/A'), 'Upper.\n');
    assert.equal(await run('refs/heads/a'), '');
    assert.equal(await run('refs/heads/a"b'), '');
  });

  test('knows refs of one level, which git 2.41 and newer delete', async () => {
    const run = await prepare([refusal('refs/stash', 'No stash.')]);
    assert.equal(await run('refs/stash'), 'No stash.\n');
  });

  test('refuses every ref when its list is gone', async () => {
    const run = await prepare([refusal('refs/heads/a', 'No.')]);
    await rm(repositoryPaths(folder).arriving, { recursive: true });
    assert.notEqual(await run('refs/heads/b'), '');
  });
});

function refusal(name: string, reason: string): PushRefusal {
  const command = { name, nameBytes: Buffer.from(name), old: noObject, new: noObject };
  return { command, reason };
}

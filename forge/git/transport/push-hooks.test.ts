import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { repositoryPaths } from '../commands/repository-paths.ts';
import { noObject } from '../names.ts';
import { installPushHooks } from './push-hooks.ts';

describe('the hook that refuses refs', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-hooks-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test('finds one of many at once, since it runs for each of them', { timeout: 5000 }, async () => {
    const paths = repositoryPaths(folder);
    await installPushHooks(paths);
    const list = join(folder, 'refusals');
    const lines = Array.from(
      { length: 200_000 },
      (_, at) => `refs/heads/${at}\talways\tNo ${at}.\n`,
    );
    await writeFile(list, lines.join(''));
    const run = async (ref: string): Promise<string> => {
      const { PATH } = process.env;
      const env = { PATH, LC_ALL: 'C', HOB_REFUSALS: list };
      const hook = join(paths.hooks, 'both', 'update');
      try {
        return (await promisify(execFile)(hook, [ref, noObject, noObject], { env })).stderr;
      } catch (error) {
        return String(Reflect.get(Object(error), 'stderr'));
      }
    };
    assert.equal(await run('refs/heads/199999'), 'No 199999.\n');
    assert.equal(await run('refs/heads/200000'), '');
  });
});

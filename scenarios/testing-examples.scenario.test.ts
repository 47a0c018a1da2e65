/** The examples of docs/testing-with-hob.md in other languages, as their readers run them. That of Node is in package.scenario.test.ts. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';

import { testPostgresUrl } from '#platform/testing/test-database.ts';

import { documentedExample } from './documented-example.ts';
import { rootFolder } from './running-server.ts';

const run = promisify(execFile);

function isMissing(command: string, ...args: readonly string[]): string | false {
  return spawnSync(command, args).status === 0 ? false : `${command} ${args.join(' ')} fails here`;
}

const needsSqlite = testPostgresUrl === undefined ? false : 'a reset needs SQLite';

describe('the examples of tests against Hob', { timeout: 300_000 }, () => {
  let folder: string;
  let environment: Record<string, string | undefined>;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-examples-'));
    const others = Object.entries(process.env).filter(([name]) => !/^(HOB_|NODE_)/.test(name));
    environment = {
      ...Object.fromEntries(others),
      HOB: join(rootFolder, 'hob'),
      GOCACHE: join(folder, 'go-cache'),
      PYTHONDONTWRITEBYTECODE: '1',
    };
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const pytest = isMissing('python3', '-c', 'import pytest');
  it('pass with pytest', { skip: needsSqlite || pytest }, async () => {
    for (const file of ['conftest.py', 'test_bot.py']) {
      await writeFile(join(folder, file), await documentedExample(file));
    }
    const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', '--rootdir', folder, folder];
    await run('python3', args, { cwd: folder, env: environment });
  });

  it('pass with Go', { skip: needsSqlite || isMissing('go', 'version') }, async () => {
    await writeFile(join(folder, 'bot_test.go'), await documentedExample('bot_test.go'));
    await writeFile(join(folder, 'go.mod'), 'module bot\n');
    await run('go', ['test', './...'], { cwd: folder, env: environment });
  });
});

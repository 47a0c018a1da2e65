/** The examples of docs/testing-with-hob.md in Python and Go, as their readers run them. Those of Node are in package.scenario.test.ts. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';

import { faultKinds } from '../commands/serve/test-controls/request-faults.ts';
import { testPostgresUrl } from '#platform/testing/test-postgres.ts';

import { documentedExample, isMissing } from './documented-example.ts';
import { rootFolder } from './running-server.ts';

const run = promisify(execFile);

const examplesFolder = join(rootFolder, 'examples/testing');

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
    for (const file of ['seed.yaml', 'conftest.py', 'test_bot.py']) {
      await writeFile(join(folder, file), await documentedExample(file));
    }
    await copyFile(join(examplesFolder, 'test_controls.py'), join(folder, 'test_controls.py'));
    const pytestOf = (file: string) => {
      const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', '--rootdir', folder, file];
      return run('python3', args, { cwd: folder, env: environment });
    };
    assert.match((await pytestOf('test_bot.py')).stdout, /^7 passed/m);
    assert.match((await pytestOf('test_controls.py')).stdout, /^11 passed/m);
    // A test that fails leaves its record.
    const failing = 'def test_fails(hob):\n    hob.ask("GET", "/api/v3/user")\n    assert False\n';
    await writeFile(join(folder, 'test_fails.py'), failing);
    await assert.rejects(pytestOf('test_fails.py'), { stdout: /^1 failed/m });
    const archives = (await readdir(folder)).filter((name) => name.endsWith('.har'));
    assert.deepEqual(archives, ['test_fails.har']);
    const { log } = JSON.parse(await readFile(join(folder, 'test_fails.har'), 'utf8'));
    assert.equal(log.entries.length, 1);
    assert.equal(new URL(log.entries[0].request.url).pathname, '/api/v3/user');
  });

  it('pass with Go', { skip: needsSqlite || isMissing('go', 'version') }, async () => {
    await writeFile(join(folder, 'bot_test.go'), await documentedExample('bot_test.go'));
    await copyFile(join(examplesFolder, 'controls_test.go'), join(folder, 'controls_test.go'));
    await writeFile(join(folder, 'go.mod'), 'module bot\n\ngo 1.18\n');
    const { stdout } = await run('go', ['test', '-v', './...'], { cwd: folder, env: environment });
    assert.equal(stdout.match(/^--- PASS/gm)?.length, 14);
  });

  /** The files of each language: those of the page, and those in the folder of examples. */
  const languages: Readonly<Record<string, readonly string[]>> = {
    Node: [
      'bot.test.mjs',
      'stale.test.mjs',
      'deploy.test.mjs',
      'notes.test.js',
      'controls.test.mjs',
    ],
    Python: ['conftest.py', 'test_bot.py', 'test_controls.py'],
    Go: ['bot_test.go', 'controls_test.go'],
  };
  for (const [language, files] of Object.entries(languages)) {
    it(`use each control from ${language}`, async () => {
      const beside = await readdir(examplesFolder);
      const texts = files.map((file) =>
        beside.includes(file)
          ? readFile(join(examplesFolder, file), 'utf8')
          : documentedExample(file),
      );
      const text = (await Promise.all(texts)).join('\n');
      const unused = Object.entries(uses).filter(([, use]) => !use.test(text));
      assert.deepEqual(
        unused.map(([control]) => control),
        [],
      );
    });
  }
});

/** How each control looks where it is used, in any of the languages. */
const uses: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(
    ['seed', 'release', 'fail-update', 'clock/advance', 'record/start', 'record/stop'].map(
      (path) => [path, new RegExp(`['"/]${path}['"]`)],
    ),
  ),
  reset: /['"/]reset['"]|\.reset\(\)/,
  snapshot: /['"/]snapshot['"]|\.snapshot\(/,
  restore: /['"/]restore['"]|\.restore\(/,
  snapshots: /['"/]snapshots['"]/,
  record: /['"/]record['"]/,
  'set the clock': /PUT['"], ['"/\w-]*clock['"]/,
  'run the clock': /['"]?running['"]?: (?:true|True)/,
  'release the clock': /DELETE['"], ['"/\w-]*clock['"]/,
  'list failures': /GET['"], ['"/\w-]*faults['"]/,
  'end failures': /DELETE['"], ['"/\w-]*faults['"]/,
  ...Object.fromEntries(
    faultKinds.map((kind) => [kind, new RegExp(`['"]${kind}['"]|\\b${kind}: '`)]),
  ),
  'hold mergeability': /hold[^\n]*mergeability/,
  'hold an update': /hold[^\n]*update/,
  'hold deliveries': /hold[^\n]*deliveries/,
};

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';

import { RefusalError } from '#forge/errors/api-error.ts';
import { OperatorError } from '#platform/operator-error.ts';
import { readSettings } from '#settings/settings.ts';

import { administer } from './administration.ts';
import { type Result, readArgs } from './subcommand.ts';
import { subcommands } from './subcommands.ts';

const program = join(import.meta.dirname, '..', '..', 'hob.ts');

describe('hob admin, for the function service,', () => {
  let parent = '';
  let data = '';

  before(async () => {
    parent = await mkdtemp(join(tmpdir(), 'hob-admin-'));
    data = join(parent, 'data');
    await run('create-user', 'ada');
  });
  after(() => rm(parent, { recursive: true }));

  async function run(name: string, ...args: string[]): Promise<Result> {
    const subcommand = subcommands.find((one) => one.name === name) ?? assert.fail(name);
    const read = readArgs(subcommand, args, []);
    const settings = readSettings(['--data', data], { HOB_REGION: 'eu-west-3' });
    assert.ok(read.kind === 'given' && settings.kind === 'settings');
    return administer(settings.settings, (ports) => subcommand.run(ports, read.args));
  }

  it('refuses keys and users that are not there, and makes no service key for that', async () => {
    await assert.rejects(run('create-access-key', 'unknown'), RefusalError);
    await assert.rejects(run('list-access-keys', 'unknown'), RefusalError);
    for (const name of ['delete-access-key', 'enable-key', 'disable-key', 'delete-key']) {
      await assert.rejects(run(name, 'nothing'), OperatorError);
    }
    assert.ok(!(await readdir(data)).includes('functions'));
  });

  it('makes, lists and deletes access keys, and shows a secret once', async () => {
    const created = await run('create-access-key', 'ADA');
    const [idLine = '', secretLine = ''] = created.lines;
    const accessKeyId = idLine.split(/\s+/).at(-1) ?? '';
    const secret = secretLine.split(/\s+/).at(-1) ?? '';
    assert.deepEqual(created.json, { login: 'ada', accessKeyId, secretAccessKey: secret });
    const listed = await run('list-access-keys', 'ada');
    assert.match(listed.lines[0] ?? '', new RegExp(`^${accessKeyId} {2}\\d{4}-`));
    assert.ok(!JSON.stringify(listed).includes(secret));
    await run('delete-access-key', accessKeyId);
    assert.deepEqual((await run('list-access-keys', 'ada')).lines, []);
  });

  it('makes, lists, stops and destroys keys by ARN and by id', async () => {
    const [arn = ''] = (await run('create-key', '--description', 'for tests')).lines;
    assert.match(arn, /^arn:aws:kms:eu-west-3:123456789012:key\/[0-9a-f-]{36}$/);
    const listed = async () => (await run('list-keys')).lines;
    assert.deepEqual(await listed(), [`${arn}  enabled  for tests`]);
    await run('disable-key', arn.split('/')[1] ?? '');
    assert.deepEqual(await listed(), [`${arn}  disabled  for tests`]);
    await run('delete-key', arn);
    assert.match((await listed())[0] ?? '', /pending deletion on \d{4}-\d\d-\d\dT/);
    await run('enable-key', arn);
    assert.deepEqual(await listed(), [`${arn}  enabled  for tests`]);
    await run('delete-key', arn, '--now');
    assert.deepEqual(await listed(), []);
  });

  it('shows a description that could control the terminal as text', async () => {
    const hob = (...args: string[]) =>
      promisify(execFile)(process.execPath, [program, 'admin', ...args, '--data', data]);
    await hob('create-key', '--description', '\u001b]0;title\u0007 \u009b2J');
    for (const format of [[], ['--json']]) {
      const { stdout } = await hob('list-keys', ...format);
      assert.match(stdout, /\\u001b\]0;title\\u0007 \\u009b2J/);
      assert.ok(!stdout.includes('\u001b') && !stdout.includes('\u009b'), stdout);
    }
  });
});

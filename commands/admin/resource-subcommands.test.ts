import assert from 'node:assert/strict';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { OperatorError } from '#platform/operator-error.ts';
import { readSettings } from '#settings/settings.ts';

import { administer } from './administration.ts';
import { type Result, readArgs } from './subcommand.ts';
import { subcommands } from './subcommands.ts';

const queue = 'arn:aws:sqs:us-east-1:123456789012:failures';

describe('hob admin, for resources that functions use,', () => {
  let parent = '';

  before(async () => {
    parent = await mkdtemp(join(tmpdir(), 'hob-admin-'));
    await writeFile(join(parent, 'resources.json'), '{"subnets":{"subnet-1":{"vpc":"vpc-1"}}}');
  });
  after(() => rm(parent, { recursive: true }));

  async function run(name: string, ...args: string[]): Promise<Result> {
    const subcommand = subcommands.find((one) => one.name === name) ?? assert.fail(name);
    const read = readArgs(subcommand, args, []);
    const environment = { HOB_RESOURCES: join(parent, 'resources.json') };
    const settings = readSettings(['--data', join(parent, 'data')], environment);
    assert.ok(read.kind === 'given' && settings.kind === 'settings');
    return administer(settings.settings, (ports) => subcommand.run(ports, read.args));
  }

  it('refuses other kinds, no declaration, two, and credentials in arguments', async () => {
    const secret =
      '{"http":"http://127.0.0.1/","credentials":{"accessKeyId":"a","secretAccessKey":"b"}}';
    for (const args of [
      ['network', 'subnet-2', '--declaration', '{}'],
      ['constructor', 'subnet-2', '--declaration', '{}'],
      ['subnet', 'subnet-2'],
      ['subnet', 'subnet-2', '--declaration', '{"vpc":"vpc-1"}', '--file', '/dev/null'],
      ['subnet', 'subnet-2', '--file', join(parent, 'missing')],
      ['subnet', 'subnet-1', '--declaration', '{"vpc":"vpc-1"}'],
      ['target', queue, '--declaration', secret],
    ]) {
      await assert.rejects(run('add-resource', ...args), OperatorError, args.join(' '));
    }
    await assert.rejects(run('remove-resource', 'subnet', 'subnet-1'), OperatorError);
    await assert.rejects(run('remove-resource', 'subnet', 'subnet-9'), OperatorError);
  });

  it('adds any folder but those that open the data directory', async () => {
    const link = join(parent, 'link');
    await symlink(join(parent, 'data', 'functions'), link);
    for (const folder of [
      '/',
      parent,
      join(parent, 'data'),
      join(parent, 'data', 'functions', 'new'),
      link,
      `${link}/../repositories`,
    ]) {
      const args = ['target', queue, '--declaration', JSON.stringify({ folder })];
      await assert.rejects(run('add-resource', ...args), /the data directory/, folder);
    }
    const folder = join(parent, 'database', 'new');
    await run('add-resource', 'target', queue, '--declaration', JSON.stringify({ folder }));
    await run('remove-resource', 'target', queue);
  });

  it('adds, replaces, lists and removes', async () => {
    await run('add-resource', 'subnet', 'subnet-2', '--declaration', '{"vpc":"vpc-1"}');
    await run('add-resource', 'subnet', 'subnet-2', '--declaration', '{"vpc":"vpc-2"}');
    const path = join(parent, 'target.json');
    await writeFile(path, '{"folder":"/srv/queue"}\n');
    await run('add-resource', 'target', queue, '--file', path);
    assert.deepEqual((await run('list-resources')).lines, [
      'subnet  subnet-1  file',
      'subnet  subnet-2  added',
      `target  ${queue}  added`,
    ]);
    const rotated = await run('rotate-service-key');
    assert.match(rotated.lines[0] ?? '', /encrypted 2 secrets again/);
    await run('remove-resource', 'subnet', 'subnet-2');
    assert.equal((await run('list-resources')).lines.length, 2);
  });
});

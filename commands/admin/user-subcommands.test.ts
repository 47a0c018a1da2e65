import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';

import { RefusalError } from '#forge/errors/api-error.ts';
import { passwordHash, findAccount } from '#forge/accounts/account-store.ts';
import { OperatorError } from '#platform/operator-error.ts';
import { readSettings } from '#settings/settings.ts';

import { administer } from './administration.ts';
import { type Result, readArgs, type Subcommand } from './subcommand.ts';
import { subcommands } from './subcommands.ts';

type Ports = Parameters<Subcommand['run']>[0];

describe('hob admin, for users,', () => {
  let parent = '';

  before(async () => {
    parent = await mkdtemp(join(tmpdir(), 'hob-admin-users-'));
    await run('create-user', 'root', '--site-admin');
    await run('create-user', 'ada', '--password', 'the first');
  });
  after(() => rm(parent, { recursive: true }));

  function withPorts<T>(work: (ports: Ports) => Promise<T>): Promise<T> {
    const settings = readSettings(['--data', join(parent, 'data')], {});
    assert.ok(settings.kind === 'settings');
    return administer(settings.settings, work);
  }

  function run(name: string, ...args: string[]): Promise<Result> {
    return runWith([], name, ...args);
  }

  async function runWith(
    input: readonly string[],
    name: string,
    ...args: string[]
  ): Promise<Result> {
    const subcommand = subcommands.find((one) => one.name === name) ?? assert.fail(name);
    const read = readArgs(subcommand, args, [], Readable.from(input));
    assert.ok(read.kind === 'given');
    return withPorts((ports) => subcommand.run(ports, read.args));
  }

  const isPassword = (password: string): Promise<boolean> =>
    withPorts(async ({ database, passwords }) => {
      const hash = await database.read(async (sql) => {
        const account = (await findAccount(sql, 'ada')) ?? assert.fail();
        return passwordHash(sql, account.id);
      });
      return passwords.verify(password, hash);
    });

  it('suspends and unsuspends users, but no site administrator', async () => {
    await assert.rejects(run('suspend-user', 'none'), RefusalError);
    await assert.rejects(run('suspend-user', 'root'), RefusalError);
    assert.deepEqual((await run('suspend-user', 'ada')).lines, ['Suspended ada.']);
    const listed = (await run('list-users')).lines;
    assert.match(listed.find((line) => line.startsWith('ada')) ?? '', /suspended$/);
    await run('unsuspend-user', 'ada');
    assert.doesNotMatch((await run('list-users')).lines.join('\n'), /suspended/);
  });

  it('sets passwords, but none that cannot be one', async () => {
    await assert.rejects(run('set-password', 'ada'), OperatorError);
    await assert.rejects(run('set-password', 'ada', '--password', ''), RefusalError);
    await assert.rejects(run('set-password', 'none', '--password', 'x'), RefusalError);
    assert.equal(await isPassword('the first'), true);
    await run('set-password', 'ada', '--password', 'the second');
    assert.deepEqual(
      [await isPassword('the first'), await isPassword('the second')],
      [false, true],
    );
  });

  it('reads passwords from standard input', async () => {
    const flag = '--password-stdin';
    await assert.rejects(
      runWith(['x'], 'set-password', 'ada', flag, '--password', 'y'),
      OperatorError,
    );
    await assert.rejects(runWith([], 'set-password', 'ada', flag), RefusalError);
    await assert.rejects(runWith(['\n'], 'set-password', 'ada', flag), RefusalError);
    await assert.rejects(runWith(['x'.repeat(100_000)], 'set-password', 'ada', flag), RefusalError);
    await runWith(['the ', 'third\r\n', 'no more'], 'set-password', 'ada', flag);
    assert.equal(await isPassword('the third'), true);
    await runWith(['of grace'], 'create-user', 'grace', flag);
    assert.match((await run('list-users')).lines.join(), /grace/);
  });

  it('gives an address to another user', async () => {
    await run('create-user', 'eve', '--email', 'ada@example.org');
    await assert.rejects(run('create-user', 'again', '--email', 'ADA@example.org'), RefusalError);
    await assert.rejects(run('add-email', 'ada', 'ada@example.org'), RefusalError);
    await assert.rejects(run('add-email', 'ada', '1+eve@users.noreply.hob'), RefusalError);
    await assert.rejects(run('remove-email', 'ada', 'ada@example.org'), RefusalError);
    await run('add-email', 'eve', 'eve@example.org');
    await run('remove-email', 'eve', 'Ada@example.org');
    await run('add-email', 'ada', 'ada@example.org');
    await run('remove-email', 'eve', 'eve@example.org');
    const { lines } = await run('list-users');
    assert.match(lines.find((line) => line.startsWith('ada')) ?? '', /ada@example\.org/);
    assert.match(lines.find((line) => line.startsWith('eve')) ?? '', /^eve +-/);
  });
});

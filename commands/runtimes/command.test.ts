import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { findPackageSet, recordName, setsFolder } from '#functions/runtimes/runtime-packages.ts';
import { writeInstallers } from '#functions/runtimes/testing/package-installers.ts';

const program = join(import.meta.dirname, '..', '..', 'hob.ts');

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

describe('hob runtimes', () => {
  let data = '';
  let installers = '';
  before(async () => {
    data = await mkdtemp(join(tmpdir(), 'hob-runtimes-'));
    installers = await mkdtemp(join(tmpdir(), 'hob-installers-'));
    await writeInstallers(installers);
  });
  after(async () => {
    for (const folder of [data, installers]) await rm(folder, { recursive: true, force: true });
  });

  /** By an operator whose files are closed to others. */
  const hob = (...args: readonly string[]): Promise<Ended> =>
    new Promise((resolve) => {
      const env = { ...process.env, PATH: `${installers}:${process.env['PATH']}` };
      const words = ['-c', 'umask 077; exec "$0" "$@"', process.execPath, program, ...args];
      execFile('/bin/sh', words, { timeout: 60_000, env }, (error, out, err) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
        resolve({ code, out, err });
      });
    });

  it('refuses what it does not know', async () => {
    for (const args of [['add'], ['add', 'ruby'], ['remove', 'nodejs'], ['list', 'nodejs']]) {
      const { code, err } = await hob('runtimes', ...args, '--data', data);
      assert.equal(code, 2, args.join(' '));
      assert.match(err, /^hob: invalid arguments: use "list", or "add" with nodejs or python\./);
    }
    assert.equal((await hob('runtimes')).code, 2);
    const { code, err } = await hob('runtimes', 'list', '--nonsense');
    assert.equal(code, 2);
    assert.match(err, /nonsense/);
  });

  it('lists what was added, or how it is', async () => {
    const empty = await hob('runtimes', 'list', '--data', data);
    assert.equal(empty.code, 0);
    assert.match(
      empty.out,
      /^ {2}nodejs +no AWS SDK: hob runtimes add nodejs\n {2}python +no AWS SDK/,
    );
    const set = join(setsFolder(join(data, 'functions'), 'nodejs'), '1');
    await mkdir(set, { recursive: true });
    const versions = { '@aws-sdk/client-s3': '3.1.0', '@aws-sdk/client-sqs': '3.2.0' };
    await writeFile(join(set, recordName), JSON.stringify(versions));
    const { out } = await hob('runtimes', 'list', '--data', data);
    assert.equal(out, 'nodejs:\n  @aws-sdk/client-s3 3.1.0\n  @aws-sdk/client-sqs 3.2.0\n');
    const doctor = await hob('doctor', '--data', data);
    assert.match(
      doctor.out,
      /\nAWS SDK in runtimes:\n {2}nodejs +@aws-sdk\/client-s3 3\.1\.0 and 1 more\n/,
    );
    assert.match(doctor.out, /\n {2}python +no AWS SDK: hob runtimes add python\n/);
  });

  it('adds packages that functions, which are other users, can read', async () => {
    const own = join(data, 'own');
    const refused = await hob('runtimes', 'add', 'nodejs', '--data', own, 'absent');
    assert.equal(refused.code, 2);
    const failed = await hob('runtimes', 'add', 'nodejs', 'absent', '--data', own);
    assert.equal(failed.code, 1);
    assert.match(failed.err, /could not install[^]*npm error 404 absent/);
    const added = await hob('runtimes', 'add', 'nodejs', 'uuid', '--data', own);
    assert.equal(added.code, 0, added.err);
    assert.match(added.out, /\n {2}uuid 1\.0\.0\n[^]*Restart the server/);
    const { folder } = (await findPackageSet(join(own, 'functions'), 'nodejs')) ?? assert.fail();
    const modules = join(folder, 'node_modules');
    for (const [path, rights] of [
      [folder, 0o055],
      [join(modules, 'uuid'), 0o055],
      [join(modules, 'uuid', 'package.json'), 0o044],
    ] as const) {
      assert.equal((await stat(path)).mode & 0o077, rights, path);
    }
    const again = await hob('runtimes', 'add', 'nodejs', 'uuid', '--data', own);
    assert.match(again.out, /Already up to date/);
  });
});

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { OperatorError } from '#platform/operator-error.ts';

import { addPackages, type Added, type AddOptions, usualPackages } from './add-packages.ts';
import { findPackageSet, openPackageSets, setsFolder } from './runtime-packages.ts';
import { writeInstallers } from './testing/package-installers.ts';

describe('packages of runtimes', () => {
  let folder = '';
  let clients = '';
  const printed: string[] = [];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-packages-'));
    await writeInstallers(folder);
    clients = join(folder, 'clients');
    await mkdir(join(clients, 'nodejs'), { recursive: true });
    await writeFile(join(clients, 'nodejs/bootstrap.cjs'), 'ours');
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const add = (options: Partial<AddOptions> = {}): Promise<Added> =>
    addPackages({
      functionsFolder: join(folder, 'functions'),
      runtime: 'nodejs',
      packages: [],
      pythons: [join(folder, 'python3')],
      environment: { PATH: folder },
      print: (line) => printed.push(line),
      ...options,
    });

  it('are refused when their name could be anything else', async () => {
    for (const name of ['--global', '../x', 'https://x', 'a b', 'git+ssh://x', '@x', '']) {
      await assert.rejects(add({ packages: [name] }), OperatorError, name);
    }
    await assert.rejects(add({ runtime: 'python', packages: ['-r'] }), OperatorError);
  });

  it('are not half there when the installer fails', async () => {
    await assert.rejects(
      add({ packages: ['absent'] }),
      /could not install[^]*npm error 404 absent/,
    );
    await assert.rejects(add({ environment: { PATH: '/nowhere' } }), /Install npm first/);
    const python = { runtime: 'python', packages: ['without-pip'] } as const;
    await assert.rejects(add(python), /Install pip first/);
    await assert.rejects(add({ ...python, pythons: [] }), /No Python was found/);
    assert.equal(await findPackageSet(join(folder, 'functions'), 'nodejs'), undefined);
    assert.deepEqual(await readdir(setsFolder(join(folder, 'functions'), 'nodejs')), []);
  });

  it('are added once, and stay when others are added', async () => {
    const first = await add();
    assert.ok(first.isNew);
    assert.deepEqual(
      first.set.versions,
      Object.fromEntries(usualPackages.nodejs.toSorted().map((name) => [name, '3.0.0'])),
    );
    assert.deepEqual(await add(), { isNew: false, set: first.set });
    const extra = { packages: ['@aws-sdk/client-iot', 'uuid'] };
    const second = await add(extra);
    assert.ok(second.isNew);
    assert.deepEqual(second.set.versions, {
      ...first.set.versions,
      '@aws-sdk/client-iot': '3.0.0',
      uuid: '1.0.0',
    });
    assert.equal((await add(extra)).isNew, false);
    assert.equal((await add()).isNew, false);
    const python = await add({ runtime: 'python', packages: ['aws-xray-sdk'] });
    assert.deepEqual(python.set.versions, { 'aws-xray-sdk': '1.2.3', boto3: '1.2.3' });
  });

  it('are mounted with our client next to them, the newest whole set of them', async () => {
    const functionsFolder = join(folder, 'functions');
    const sets = setsFolder(functionsFolder, 'nodejs');
    await mkdir(join(sets, '9'));
    // Python has no client here.
    await assert.rejects(openPackageSets(functionsFolder, clients), /ENOENT/);
    await mkdir(join(clients, 'python'));
    const { nodejs = '' } = await openPackageSets(functionsFolder, clients);
    assert.equal(nodejs, join(sets, '2'));
    assert.equal(await readFile(join(nodejs, 'bootstrap.cjs'), 'utf8'), 'ours');
    assert.ok((await readdir(nodejs)).includes('node_modules'));
    assert.deepEqual((await readdir(sets)).toSorted(), ['2', '9']);
  });
});

import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { OperatorError } from '#platform/operator-error.ts';

import { addPackages, type Added, type AddOptions, usualPackages } from './add-packages.ts';
import { findPackageSet, openPackageSets, setsFolder } from './runtime-packages.ts';

/** Installs every package that is asked for as version 3.0.0, or 1.0.0 where the scope is another. */
const npm = `#!${process.execPath}
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
for (const [name, range] of Object.entries(dependencies)) {
  if (name === 'absent') throw 'npm error 404 absent';
  mkdirSync('node_modules/' + name, { recursive: true });
  writeFileSync('node_modules/' + name + '/package.json', JSON.stringify({ version: range === '3' ? '3.0.0' : '1.0.0' }));
}
`;
const pip = `#!${process.execPath}
const { mkdirSync } = require('node:fs');
const args = process.argv.slice(2);
if (args.includes('without-pip')) throw '/usr/bin/python3: No module named pip';
const target = args[args.indexOf('--target') + 1];
for (const name of args.slice(args.indexOf('--target') + 2)) mkdirSync(target + '/' + name.replaceAll('-', '_') + '-1.2.3.dist-info');
`;

describe('packages of runtimes', () => {
  let folder = '';
  let clients = '';
  const printed: string[] = [];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-packages-'));
    for (const [name, text] of [
      ['npm', npm],
      ['python3', pip],
    ] as const) {
      await writeFile(join(folder, name), text);
      await chmod(join(folder, name), 0o755);
    }
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

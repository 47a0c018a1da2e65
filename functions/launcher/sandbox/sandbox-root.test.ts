import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { rootfsEntries } from './sandbox-root.ts';
import type { RootfsEntry } from './sandbox-root.ts';

describe('the root of a sandbox', () => {
  let image: string;
  const mounts = [{ from: '/data', to: '/mnt/data', writable: true }];
  const others = { mounts, temporary: '/temporary', etc: { hosts: '/own/hosts' } };

  before(async () => {
    image = await mkdtemp(join(tmpdir(), 'hob-root-'));
    await mkdir(join(image, 'usr', 'etc'), { recursive: true });
    await writeFile(join(image, 'usr', 'etc', 'passwd'), '');
    await symlink('/usr/etc', join(image, 'etc'));
    await symlink('/oldroot/home', join(image, 'mnt'));
    await symlink('usr/lib', join(image, 'lib'));
  });
  after(() => rm(image, { recursive: true, force: true }));

  test('has no link of an image on the way to what is mounted', () => {
    const steps = rootfsEntries({ image, ...others });
    const links = steps.filter(({ kind }) => kind === 'link').map(({ to }) => to);
    assert.deepEqual(links, ['/lib']);
    for (const { to } of steps.filter(({ kind }) => kind === 'mount')) {
      assert.deepEqual(
        parents(to).filter((parent) => links.includes(parent)),
        [],
        to,
      );
    }
    assert.deepEqual(steps.filter(({ to }) => /^\/(etc|mnt)/.test(to)).map(described), [
      'folder /etc',
      `mount /etc/passwd ${join(image, 'usr/etc/passwd')}`,
      'folder /mnt',
      'mount /etc/hosts /own/hosts',
      'mount /mnt/data /data',
    ]);
  });

  test('has a folder of an image as a whole, where that has the files that ours are mounted over', async () => {
    const whole = { image, ...others, mountsOverFiles: true };
    const etc = () =>
      rootfsEntries(whole)
        .filter(({ to }) => to.startsWith('/etc'))
        .map(described);
    const each = ['folder /etc', `mount /etc/passwd ${join(image, 'usr/etc/passwd')}`];
    assert.deepEqual(etc(), [...each, 'mount /etc/hosts /own/hosts']);
    const hosts = join(image, 'usr', 'etc', 'hosts');
    await symlink('/oldroot/home', hosts);
    assert.deepEqual(etc(), [...each, 'mount /etc/hosts /own/hosts']);
    await rm(hosts);
    await writeFile(hosts, '');
    const own = [`mount /etc ${join(image, 'usr/etc')}`, 'mount /etc/hosts /own/hosts'];
    assert.deepEqual(etc(), own);
    await rm(hosts);
  });

  test('has a folder where an image has a file in place of one', async () => {
    const odd = join(image, 'odd');
    await mkdir(odd);
    await writeFile(join(odd, 'etc'), '');
    for (const mountsOverFiles of [false, true]) {
      const steps = rootfsEntries({ image: odd, ...others, mountsOverFiles });
      assert.deepEqual(steps.filter(({ to }) => to.startsWith('/etc')).map(described), [
        'folder /etc',
        'mount /etc/hosts /own/hosts',
      ]);
    }
  });

  test('has nothing mounted over it or next to it', () => {
    for (const to of ['/', '/mnt/..', '/mnt/.', '/mnt/../etc', 'mnt', '', '/mnt/']) {
      const bad = [{ from: '/data', to }];
      assert.throws(() => rootfsEntries({ ...others, mounts: bad }), /Cannot mount at/, to);
    }
  });
});

function parents(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...parents(parent)];
}

function described(step: RootfsEntry): string {
  return `${step.kind} ${step.to}${step.kind === 'mount' ? ` ${step.from}` : ''}`;
}

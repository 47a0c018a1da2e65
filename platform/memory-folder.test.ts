import assert from 'node:assert/strict';
import { test } from 'node:test';

import { allowsPrograms } from './memory-folder.ts';

const shm = (options: string, type = 'tmpfs'): string =>
  [
    '22 26 0:5 / /dev rw,nosuid - devtmpfs udev rw',
    `25 22 0:23 / /dev/shm ${options} shared:4 - ${type} tmpfs rw`,
    '30 1 8:1 / / rw,relatime - ext4 /dev/root rw',
  ].join('\n');

for (const [mounts, allowed] of [
  [shm('rw,nosuid,nodev'), true],
  [shm('rw,nosuid,nodev,noexec'), false],
  [shm('rw', 'ext4'), false],
  [`${shm('rw')}\n${shm('rw,noexec')}`, false],
  ['30 1 8:1 / / rw,relatime - ext4 /dev/root rw', false],
] as const) {
  test(`a folder in memory ${allowed ? 'is used' : 'is not used'} with mounts ${mounts.split('\n').at(-2)}`, () => {
    assert.equal(allowsPrograms(mounts, '/dev/shm'), allowed);
  });
}

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { cgroupTrees } from './find-cgroups.ts';

describe('the trees of control groups', () => {
  test('of version 1 are one for each controller', () => {
    const mounts =
      '33 25 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n' +
      '34 25 0:30 / /sys/fs/cgroup/memory rw shared:1 - cgroup cgroup rw,memory\n' +
      '35 25 0:31 / /proc rw - proc proc rw\n';
    assert.deepEqual(cgroupTrees(mounts, '4:memory:/user/one\n2:cpu,cpuacct:/\n0::/\n'), [
      {
        controllers: ['rw', 'cpu', 'cpuacct'],
        mountPoint: '/sys/fs/cgroup/cpu,cpuacct',
        own: '/sys/fs/cgroup/cpu,cpuacct',
      },
      {
        controllers: ['rw', 'memory'],
        mountPoint: '/sys/fs/cgroup/memory',
        own: '/sys/fs/cgroup/memory/user/one',
      },
    ]);
  });

  test('of version 2 are one', () => {
    const mounts = '30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n';
    assert.deepEqual(cgroupTrees(mounts, '0::/user.slice/session-1.scope\n'), [
      {
        controllers: [],
        mountPoint: '/sys/fs/cgroup',
        own: '/sys/fs/cgroup/user.slice/session-1.scope',
      },
    ]);
  });

  test('in a container begin at what it sees', () => {
    const mounts = '40 39 0:30 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n';
    const [tree] = cgroupTrees(mounts, '4:memory:/docker/abc\n');
    assert.equal(tree?.own, '/sys/fs/cgroup/memory');
    const [other] = cgroupTrees(mounts, '4:memory:/elsewhere\n');
    assert.equal(other?.own, '/sys/fs/cgroup/memory');
  });
});

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';

import { ownSeconds, untilNoneRuns } from '../testing/host-processes.ts';
import { childrenOf, killTree } from './process-tree.ts';

describe('killTree', { skip: process.platform === 'linux' ? false : 'needs /proc' }, () => {
  test('ends what a process starts at the same time', async () => {
    const seconds = ownSeconds(33_101);
    for (let round = 0; round < 10; round += 1) {
      const script = `n=0; while [ $n -lt 2000 ]; do sleep ${seconds} & n=$((n+1)); done; wait`;
      const root = spawn('/bin/sh', ['-c', script], { stdio: 'ignore' });
      const pid = await pidWithChildren(root, 100);
      await killTree(pid);
      await once(root, 'exit');
    }
    await untilNoneRuns(seconds);
  });
});

async function pidWithChildren({ pid }: ChildProcess, count: number): Promise<number> {
  assert.ok(pid !== undefined);
  while (childrenOf(pid).length < count) await new Promise((resolve) => setTimeout(resolve, 1));
  return pid;
}

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { ownSeconds, userRunning } from '../testing/host-processes.ts';
import { runTool } from './start-process.ts';

describe('a tool of the host', () => {
  it('fails with what it says', async () => {
    await assert.rejects(runTool(['/bin/sh', '-c', 'echo no >&2; exit 3']), /failed \(3\): no/);
    await runTool(['/bin/sh', '-c', 'true']);
  });

  it('is given up when it has ended and another process holds its output', async () => {
    const seconds = ownSeconds(6);
    const script = `setsid sleep ${seconds} & kill -9 $$`;
    await assert.rejects(runTool(['/bin/sh', '-c', script], 300), /did not end within 0\.3 s/);
  });

  it('is killed with its children when it does not end', async () => {
    const seconds = ownSeconds(600);
    const script = `sleep ${seconds} & exec sleep ${seconds}`;
    await assert.rejects(runTool(['/bin/sh', '-c', script], 300), /sh did not end within 0\.3 s/);
    const deadline = performance.now() + 60_000;
    while ((await userRunning(`sleep\0${seconds}`)) !== -1) {
      assert.ok(performance.now() < deadline, 'a sleeper remains');
    }
  });
});

import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { makeNetworkNamespace } from './network-namespace.ts';

describe('a network namespace with a listener', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-namespace-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('is made without reading files of the program, which an update may have replaced', async () => {
    const recorded = join(folder, 'arguments');
    const unshare = join(folder, 'unshare');
    await writeFile(unshare, `#!/bin/sh\nprintf '%s\\n' "$@" > '${recorded}'\nexit 1\n`);
    await chmod(unshare, 0o755);
    const tools = { unshare, sh: '/bin/sh', nsenter: '', ip: undefined, loopbackUp: 'true' };
    const making = makeNetworkNamespace(tools, { address: '127.0.0.1', port: 80, name: 'a' });
    await assert.rejects(making, /Cannot use 127\.0\.0\.1:80 in a network namespace/);
    const command = await readFile(recorded, 'utf8');
    assert.match(command, /server\.listen\(/);
    assert.doesNotMatch(command, /^\/.*\.c?[jt]s$/m);
  });
});

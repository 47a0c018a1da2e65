import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startTestForge } from './test-forge.ts';
import { untilSomeoneWaits } from './waiting-writes.ts';

test('a test that nobody waits for ends with the reason', async () => {
  const forge = await startTestForge();
  try {
    const wait = untilSomeoneWaits(forge.database, 1);
    if (forge.database.engine === 'postgres') {
      await assert.rejects(wait, /No write came to wait for a lock within 1 ms/);
    } else await wait;
  } finally {
    await forge.close();
  }
});

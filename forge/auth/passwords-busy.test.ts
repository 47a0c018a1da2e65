import assert from 'node:assert/strict';
import { test } from 'node:test';

import { PasswordsBusy } from '#platform/password.ts';

import { startTestForge } from '../testing/test-forge.ts';

test('while too many passwords are being checked, the client is asked to retry', async (t) => {
  const forge = await startTestForge();
  try {
    t.mock.method(forge.ports.passwords, 'verify', () => Promise.reject(new PasswordsBusy()));
    const host = await forge.listen();
    const name = await forge.repository(await forge.user('own'), { init: true });
    const headers = {
      authorization: `Basic ${Buffer.from('own:p').toString('base64')}`,
      'user-agent': 't',
    };
    const paths = ['/api/v3/user', `/${name}.git/info/refs?service=git-upload-pack`, `/${name}`];
    // More often than bad passwords would be let: nothing was found out about these.
    for (const path of [...paths, ...paths, ...paths, ...paths]) {
      const response = await fetch(`http://${host}${path}`, { headers });
      assert.equal(response.status, 503, path);
      assert.equal(response.headers.get('retry-after'), '1', path);
      assert.match(await response.text(), /Too many passwords are being checked/, path);
    }
  } finally {
    await forge.close();
  }
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { startTestApplication } from './testing/test-application.ts';

describe('/readyz', () => {
  it('names git while it is away, and has requests go on', async () => {
    let isGitAvailable = false;
    let names = ['default'];
    const shards = () => names.map((name) => ({ name, isAvailable: isGitAvailable }));
    const application = await startTestApplication({}, { shards });
    try {
      const answer = async (): Promise<unknown> => {
        const { status, text } = await application.ask({ path: '/readyz', headers: {} });
        const { git, shards: each } = JSON.parse(text);
        return { status, git, ...(each && { each }) };
      };
      assert.deepEqual(await answer(), { status: 200, git: 'unavailable' });
      isGitAvailable = true;
      assert.deepEqual(await answer(), { status: 200, git: 'available' });
      names = ['default', 'two'];
      const each = { default: 'available', two: 'available' };
      assert.deepEqual(await answer(), { status: 200, git: 'available', each });
    } finally {
      await application.close();
    }
  });
});

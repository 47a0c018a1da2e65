import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { startTestApplication } from './testing/test-application.ts';

describe('/readyz', () => {
  it('names git while it is away, and has requests go on', async () => {
    let isGitAvailable = false;
    const application = await startTestApplication({}, { isGitAvailable: () => isGitAvailable });
    try {
      const answer = async (): Promise<unknown> => {
        const { status, text } = await application.ask({ path: '/readyz', headers: {} });
        return { status, git: JSON.parse(text).git };
      };
      assert.deepEqual(await answer(), { status: 200, git: 'unavailable' });
      isGitAvailable = true;
      assert.deepEqual(await answer(), { status: 200, git: 'available' });
    } finally {
      await application.close();
    }
  });
});

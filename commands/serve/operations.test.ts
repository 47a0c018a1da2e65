import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { startTestApplication } from './testing/test-application.ts';

describe('/readyz', () => {
  it('names git while it is away, and has requests go on', async () => {
    let isGitAvailable = false;
    let names = ['default'];
    const shards = () => names.map((name) => ({ name, isAvailable: isGitAvailable }));
    const application = await startTestApplication({}, { parts: { shards } });
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
  for (const { name, takes, expected } of [
    {
      name: 'has requests go on at a server that takes them although it cannot run functions',
      takes: true,
      expected: { status: 200, text: 'ready' },
    },
    {
      name: 'sends requests to other nodes than one that takes none',
      takes: false,
      expected: { status: 503, text: 'not ready' },
    },
  ]) {
    it(name, async () => {
      let isAvailable = false;
      let takesRequests = takes;
      const functions = { isAvailable: () => isAvailable };
      const parts = { functions, takesRequests: () => takesRequests };
      const application = await startTestApplication({}, { parts });
      try {
        const answer = async (): Promise<unknown> => {
          const { status, text } = await application.ask({ path: '/readyz', headers: {} });
          const { status: state, functions: named } = JSON.parse(text);
          return { status, text: state, functions: named };
        };
        assert.deepEqual(await answer(), { ...expected, functions: 'unavailable' });
        isAvailable = true;
        takesRequests = true;
        assert.deepEqual(await answer(), { status: 200, text: 'ready', functions: 'available' });
      } finally {
        await application.close();
      }
    });
  }
});

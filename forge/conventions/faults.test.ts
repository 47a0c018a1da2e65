import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('a fault of the server', () => {
  let forge: TestForge;
  let owner: TestUser;
  let name: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    name = await forge.repository(owner, { init: true });
  });
  after(() => forge.close());

  test('is told without a detail but where to look, and ends nothing', async () => {
    const path = `/repos/${name}/commits`;
    const { git } = forge;
    const broken = {
      ...git,
      repository: () => {
        throw new Error('there is no disk behind the door with the brass handle');
      },
    };
    Reflect.set(forge.ports, 'git', broken);
    // Over a socket: a test that asks without one ends at the first fault.
    const headers = { authorization: `token ${owner.token}`, 'user-agent': 'hob-test' };
    const answer = await fetch(`http://${await forge.listen()}${path}`, { headers });
    Reflect.set(forge.ports, 'git', git);
    const id = answer.headers.get('x-github-request-id') ?? assert.fail('It has no id.');
    assert.equal(answer.status, 500);
    assert.deepEqual(await answer.json(), {
      message: `Server Error. The operator finds the cause in the log under ${id}.`,
      documentation_url: 'http://forge.test/docs/rest',
    });
    assert.equal((await owner.get(path)).status, 200);
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { renderRefusal } from '../../errors/error-responses.ts';
import type { Refusal } from '../../errors/api-error.ts';
import { endpoints } from '../../routes.ts';
import { startTestForge, type TestForge } from '../../testing/test-forge.ts';

describe('the reference', () => {
  let forge: TestForge;

  before(async () => {
    forge = await startTestForge();
  });
  after(() => forge.close());

  async function assertResponse(tail: string): Promise<void> {
    const [path = '', anchor] = `/docs/rest${tail === '' ? '' : `/${tail}`}`.split('#');
    const response = await forge.anonymous.get(path);
    assert.equal(response.status, 200, path);
    if (anchor !== undefined) assert.ok(response.text.includes(`id="${anchor}"`), tail);
  }

  test('the reference has every endpoint under the URL its refusals name', async () => {
    for (const endpoint of endpoints) {
      await assertResponse(`reference/${endpoint.declaration.docs}`);
    }
  });

  test('every documentation URL of a refusal is answered', async () => {
    const refusals: Refusal[] = [
      { kind: 'no-such-route' },
      { kind: 'bad-credentials' },
      { kind: 'query-credentials' },
      { kind: 'too-many-logins' },
      { kind: 'moved', repositoryId: 1 },
      { kind: 'unsupported-accept', accept: 'text/plain' },
      { kind: 'rate-limited', who: 'user ID 1', anonymous: false },
    ];
    for (const refusal of refusals)
      await assertResponse(renderRefusal(refusal).documentation ?? '');
  });

  test('a chapter that is not there is 404', async () => {
    assert.equal((await forge.anonymous.get('/docs/rest/reference/none')).status, 404);
    assert.equal((await forge.anonymous.get('/docs/rest/none')).status, 404);
  });

  test('the reference lists the fields of a body', async () => {
    const { text } = await forge.anonymous.get('/docs/rest/reference/pulls');
    assert.match(text, /<code>merge_method<\/code>/);
    assert.match(text, /one of merge, squash, rebase/);
  });
});

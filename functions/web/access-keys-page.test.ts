import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { type Browser, filledForm } from '#web/testing/test-browser.ts';

import { accessKeysOf, createAccessKey } from '../access-keys/administer-access-keys.ts';
import { createTestConsole, type TestConsole } from '../testing/test-console.ts';
import type { TestResponse } from '../testing/test-functions.ts';

const page = '/-/admin/access-keys';

describe('access keys in the console', () => {
  let service: TestConsole;
  let administrator: Browser<TestResponse>;

  before(async () => {
    service = await createTestConsole();
    administrator = await service.signedIn('root', { siteAdmin: true });
  });
  after(() => service.close());

  async function idOf(login: string): Promise<number> {
    const row = await service.ports.database.read((sql) =>
      sql.get<{ id: number }>('select id from accounts where login = $1', login),
    );
    assert.ok(row);
    return row.id;
  }

  async function remove(key: string): Promise<TestResponse> {
    const { text } = await administrator.get(page);
    const form_token = filledForm(text, `${page}/delete`).get('form_token') ?? '';
    return administrator.post(`${page}/delete`, { form_token, key });
  }

  test('those of all users are listed without their secrets, and deleted', async () => {
    const user = await service.signedIn('ada');
    const [key] = await accessKeysOf(service.ports, await idOf('ada'));
    assert.ok(key);
    const { text } = await administrator.get(page);
    assert.match(text, new RegExp(`${key.accessKeyId}<[^]*>ada<`));
    assert.doesNotMatch(text, /sealed/i);
    assert.equal((await user.get('/-/functions')).status, 200);
    assert.equal((await remove(key.accessKeyId)).status, 303);
    assert.equal((await user.get('/-/functions')).status, 403);
    assert.doesNotMatch((await administrator.get(page)).text, />ada</);
    const again = await remove(key.accessKeyId);
    assert.equal(again.status, 400);
    assert.match(again.text, /role="alert"[^]*not found/);
    assert.doesNotMatch((await remove('<b>')).text, /<b>/);
    const audited = (await administrator.get('/-/admin/audit')).text;
    assert.match(audited, /DeleteAccessKey[^]*&lt;b&gt;[^]*InvalidParameterValueException/);
  });

  test('those of the next page follow those of the first', async () => {
    const id = await idOf('root');
    for (let index = 0; index < 50; index += 1) await createAccessKey(service.ports, id);
    const pageOf = async (query: string): Promise<string[]> =>
      [...(await administrator.get(`${page}${query}`)).text.matchAll(/<code>(AKIA\w+)</g)].map(
        ([, key = '']) => key,
      );
    const first = await pageOf('');
    const second = await pageOf('?page=2');
    assert.equal(first.length, 50);
    assert.equal(new Set([...first, ...second]).size, first.length + second.length);
    assert.ok(second.length > 0);
    assert.deepEqual(await pageOf('?page=0'), first);
  });
});

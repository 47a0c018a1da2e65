import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import {
  startTestForge,
  type TestResponse,
  type TestForge,
  type TestUser,
} from '../testing/test-forge.ts';

describe('the codes of errors', () => {
  let forge: TestForge;
  let owner: TestUser;
  let at: string;
  let name: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    name = await forge.repository(owner);
    at = `/repos/${name}`;
    await commitFiles(forge, name, 'main', { a: 'a\n' });
  });
  after(() => forge.close());

  const codes = (response: TestResponse): unknown[] =>
    response.body.errors.map((error: { code: string }) => error.code);

  test('missing_field: a pull without a title', async () => {
    const response = await owner.post(`${at}/pulls`, { head: 'x', base: 'main' });
    assert.deepEqual([response.status, codes(response)], [422, ['missing_field']]);
  });

  test('invalid: a pull of a branch that is not there', async () => {
    const response = await owner.post(`${at}/pulls`, { title: 't', head: 'x', base: 'main' });
    assert.deepEqual([response.status, codes(response)], [422, ['invalid']]);
  });

  test('already_exists: a label of the same name', async () => {
    await owner.post(`${at}/labels`, { name: 'bug' });
    const response = await owner.post(`${at}/labels`, { name: 'BUG' });
    assert.deepEqual([response.status, codes(response)], [422, ['already_exists']]);
  });

  test('custom: a status of an unknown state', async () => {
    const head = (await owner.get(`${at}/commits/main`)).body.sha;
    const response = await owner.post(`${at}/statuses/${head}`, { state: 'fine' });
    assert.deepEqual([response.status, codes(response)], [422, ['custom']]);
  });

  test('too_large: a diff of more lines than are sent', async () => {
    const base = (await owner.get(`${at}/commits/main`)).body.sha;
    const files = { a: 'line\n'.repeat(20_001) };
    await commitFiles(forge, name, 'long', files, { parents: [base] });
    const created = await owner.post(`${at}/pulls`, { title: 't', head: 'long', base: 'main' });
    const accept = 'application/vnd.github.v3.diff';
    const response = await owner.get(`${at}/pulls/${created.body.number}`, { accept });
    assert.deepEqual([response.status, codes(response)], [406, ['too_large']]);
  });

  test('unprocessable: a comment that is too long', async () => {
    const created = await owner.post(`${at}/issues`, { title: 't' });
    const path = `${at}/issues/${created.body.number}/comments`;
    const response = await owner.post(path, { body: 'x'.repeat(65_537) });
    assert.deepEqual([response.status, codes(response)], [422, ['unprocessable']]);
  });

  // `missing`, which takes a caller who may only triage, is in forge/issues/issue-routes.attributes.test.ts.
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { startTestForge, type TestForge } from '../testing/test-forge.ts';

/** The lines of "Trojan Source": what looks like a comment is code. */
const trojan = 'let admin = false;\n/*\u202E } \u2066if (admin)\u2069 \u2066 begin */\n';

describe('text that is shown in another order than programs read it', () => {
  let forge: TestForge;
  let name: string;
  let commit: string;

  before(async () => {
    forge = await startTestForge();
    name = await forge.repository(await forge.user('ada'), { name: 'tools' });
    await commitFiles(forge, name, 'main', { 'plain.ts': 'const שלום = 1;\n' });
    commit = await commitFiles(forge, name, 'main', { 'plain.ts': 'x\n', 'trojan.ts': trojan });
  });
  after(() => forge.close());

  for (const path of ['blob/main/trojan.ts', 'blame/main/trojan.ts', 'commit/main']) {
    test(`has a warning: ${path}`, async () => {
      const { status, text } = await forge.anonymous.get(`/${name}/${path}`);
      assert.equal(status, 200, text);
      const [warning, ...others] =
        text.match(/direction of writing are in\s+lines?\s+[\d, ]+/g) ?? [];
      assert.match(warning ?? '', /line\s+2$/);
      assert.deepEqual(others, []);
    });
  }

  test('has none where it is of a language that is written from right to left', async () => {
    const [parent] = (await forge.anonymous.get(`/repos/${name}/commits/${commit}`)).body.parents;
    const { text } = await forge.anonymous.get(`/${name}/blob/${parent.sha}/plain.ts`);
    assert.match(text, /שלום/);
    assert.doesNotMatch(text, /direction of writing/);
  });
});

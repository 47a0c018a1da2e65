import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { openPull } from '../testing/pull-fixture.ts';

/** Of each text; without time for others between them, a list of a hundred held up the whole server for half a minute. */
const slow = '[[[['.repeat(10_000);
const comments = 8;

describe('long texts of one response', () => {
  let forge: TestForge;
  let owner: TestUser;
  let name: string;
  let pull: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('ada');
    const opened = await openPull(forge, owner);
    name = opened.name;
    pull = `/repos/${name}/pulls/${opened.number}`;
    await owner.patch(pull, { body: slow });
    for (let at = 0; at < comments; at += 1) {
      // Equal texts could be rendered once.
      const body = `${at} ${slow}`;
      const issue = await owner.post(`/repos/${name}/issues/${opened.number}/comments`, { body });
      assert.equal(issue.status, 201, issue.text);
      const where = { commit_id: opened.head, path: 'new.txt', line: 1, side: 'RIGHT' };
      const line = await owner.post(`${pull}/comments`, { body, ...where });
      assert.equal(line.status, 201, line.text);
    }
  });
  after(() => forge.close());

  // The first query makes the schema, which is no text.
  before(() => owner.post('/graphql', { query: '{ viewer { login } }' }));

  const full = { accept: 'application/vnd.github.v3.full+json' };
  const query = `query ($owner: String!, $name: String!) { repository(owner: $owner, name: $name) {
    pullRequest(number: 1) { comments(first: 9) { nodes { bodyHTML } } } } }`;
  const requests: Readonly<Record<string, () => Promise<{ status: number; text: string }>>> = {
    'a list of comments': () => owner.get(`/repos/${name}/issues/1/comments`, full),
    'a list of comments on lines': () => owner.get(`${pull}/comments`, full),
    'a page': () => owner.get(`/${name}/pull/1`, { accept: 'text/html' }),
    'a GraphQL query': () => {
      const [login, repository] = name.split('/');
      return owner.post('/graphql', { query, variables: { owner: login, name: repository } });
    },
  };

  for (const [what, send] of Object.entries(requests)) {
    test(`leave time for everything else between them: ${what}`, async () => {
      let longest = 0;
      let total = 0;
      // Processor time: a busy host makes the process wait at any time.
      let last = process.cpuUsage();
      let looking = true;
      const look = (): void => {
        const { user, system } = process.cpuUsage(last);
        last = process.cpuUsage();
        longest = Math.max(longest, user + system);
        total += user + system;
        if (looking) setImmediate(look);
      };
      look();
      const { status, text } = await send();
      looking = false;
      assert.equal(status, 200, text.slice(0, 200));
      assert.ok(text.split('[[[[[[').length > comments, 'the texts are there');
      // Without turns it would be nearly all of the time.
      assert.ok(longest < total / 2, `${longest} of ${total} us`);
    });
  }
});

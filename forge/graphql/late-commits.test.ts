import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles, repositoryId } from '../testing/commits.ts';
import { startTestForge, type TestForge } from '../testing/test-forge.ts';

describe('commits at the end of the year 9999', () => {
  let forge: TestForge;

  before(async () => {
    forge = await startTestForge();
  });
  after(() => forge.close());

  test('have a year of four digits, also where their zone is in the next one', async () => {
    const owner = await forge.user('owner');
    const name = await forge.repository(owner);
    const tip = await commitFiles(forge, name, 'main', { 'a.txt': '1\n' });
    const git = forge.git.repository(await repositoryId(forge, name));
    const { tree = tip } = (await git.readCommit(tip)) ?? {};
    const someone = { name: 'Ada', email: 'ada@example.test' };
    const author = { ...someone, seconds: 1_700_000_000, offsetMinutes: 840 };
    // git stores any number; this is the last one that is read as it is.
    const committer = { ...someone, seconds: 253_402_300_799, offsetMinutes: 840 };
    const late = await git.writeCommit({ tree, parents: [], author, committer, message: 'Late' });
    const query = `query ($owner: String!, $name: String!, $oid: GitObjectID) {
    repository(owner: $owner, name: $name) { object(oid: $oid) { ... on Commit {
      author { date } committer { date }
    } } } }`;
    const [login, repository] = name.split('/');
    const variables = { owner: login, name: repository, oid: late };
    const { body } = await owner.post('/graphql', { query, variables });
    assert.deepEqual(body.data?.repository.object, {
      author: { date: '2023-11-15T12:13:20+14:00' },
      committer: { date: '9999-12-31T23:59:59Z' },
    });
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { createLog } from '#platform/log.ts';

import { licenseByKey } from '../templates/license-table.ts';
import { licenseText } from '../templates/license-texts.ts';
import { commitFiles } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { describeRepositories } from './describe-code.ts';

const mit = licenseText(licenseByKey('mit') ?? assert.fail());

describe('language and license of a repository', () => {
  const log = createLog('silent');
  let forge: TestForge;
  let owner: TestUser;
  let outsider: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('owner');
    outsider = await forge.user('outsider');
  });
  after(() => forge.close());

  async function described(name: string): Promise<unknown[]> {
    await describeRepositories(forge.ports, log);
    const { body } = await owner.get(`/repos/${name}`);
    return [body.language, body.license?.key ?? null];
  }

  test('are read from the default branch, after pushes and when it changes', async () => {
    const name = await forge.repository(owner);
    assert.deepEqual(await described(name), [null, null]);
    await commitFiles(forge, name, 'main', { 'a.ts': 'let a;\n', 'b.py': 'b', LICENSE: mit });
    assert.deepEqual(await described(name), ['TypeScript', 'mit']);
    await commitFiles(forge, name, 'other', { 'a.py': 'a = 1\nb = 2\n' }, { parents: [] });
    assert.deepEqual(await described(name), ['TypeScript', 'mit']);
    await owner.patch(`/repos/${name}`, { default_branch: 'other' });
    assert.deepEqual(await described(name), ['Python', null]);
    await commitFiles(forge, name, 'other', { COPYING: 'Ask me first.\n' });
    assert.deepEqual(await described(name), ['Python', 'other']);
    const { license } = (await owner.get(`/repos/${name}`)).body;
    assert.deepEqual([license.spdx_id, license.url], ['NOASSERTION', null]);
  });

  test('of a fork are its own, and a repository without its files does not stop the others', async () => {
    const name = await forge.repository(owner);
    await commitFiles(forge, name, 'main', { 'a.go': 'package a\n', LICENSE: mit });
    const { body: fork } = await outsider.post(`/repos/${name}/forks`);
    await forge.git.remove((await owner.get(`/repos/${name}`)).body.id);
    assert.deepEqual(await described(fork.full_name), ['Go', 'mit']);
    assert.deepEqual(await described(name), [null, null]);
  });

  test('the license is a file of its own, for those who may read', async () => {
    const name = await forge.repository(owner, { private: true });
    const path = `/repos/${name}/license`;
    assert.equal((await outsider.get(path)).status, 404);
    assert.equal((await owner.get(path)).status, 404);
    await commitFiles(forge, name, 'main', { 'a.txt': 'a' });
    assert.equal((await owner.get(path)).status, 404);
    await commitFiles(forge, name, 'topic', { 'LICENSE.md': mit });
    const { body } = await owner.get(`${path}?ref=topic`);
    assert.deepEqual(
      [body.path, body.license.spdx_id, Buffer.from(body.content, 'base64').toString()],
      ['LICENSE.md', 'MIT', mit],
    );
    const raw = { accept: 'application/vnd.github.raw+json' };
    assert.equal((await owner.get(`${path}?ref=topic`, raw)).text, mit);
  });

  test('are in GraphQL, with the languages by their bytes', async () => {
    const name = await forge.repository(owner);
    await commitFiles(forge, name, 'main', { 'a.ts': '12345', 'b.py': '12', LICENSE: mit });
    await describeRepositories(forge.ports, log);
    const query = `query ($owner: String!, $name: String!) { repository(owner: $owner, name: $name) {
      primaryLanguage { name } licenseInfo { key spdxId nickname }
      languages(first: 1, orderBy: { field: SIZE, direction: DESC }) {
        totalCount totalSize edges { size node { name } } pageInfo { hasNextPage }
      }
    } }`;
    const [login, repository] = name.split('/');
    const variables = { owner: login, name: repository };
    const { body } = await owner.post('/graphql', { query, variables });
    assert.deepEqual(body, {
      data: {
        repository: {
          primaryLanguage: { name: 'TypeScript' },
          licenseInfo: { key: 'mit', spdxId: 'MIT', nickname: null },
          languages: {
            totalCount: 2,
            totalSize: 7,
            edges: [{ size: 5, node: { name: 'TypeScript' } }],
            pageInfo: { hasNextPage: true },
          },
        },
      },
    });
  });
});

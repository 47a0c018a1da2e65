import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';

import { DatabaseUnavailableError } from '#platform/storage-failure.ts';

import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('a fault of the server', () => {
  let forge: TestForge;
  let owner: TestUser;
  let name: string;
  let serverUrl: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    name = await forge.repository(owner, { init: true });
    // Over a socket: a test that asks without one ends at the first fault.
    serverUrl = `http://${await forge.listen()}`;
  });
  after(() => forge.close());

  /** A push that makes a branch of a commit that is there. */
  function pushRequest(commit: string): Buffer {
    const command = `${'0'.repeat(40)} ${commit} refs/heads/new\0 report-status side-band-64k`;
    const length = (command.length + 4).toString(16).padStart(4, '0');
    const pack = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
    const sum = createHash('sha1').update(pack).digest();
    return Buffer.concat([Buffer.from(`${length}${command}0000`), pack, sum]);
  }

  test('is reported without details except the request id, and ends nothing', async () => {
    const path = `/repos/${name}/commits`;
    const { git } = forge;
    const broken = {
      ...git,
      repository: () => {
        throw new Error('the disk of the host is gone');
      },
    };
    Reflect.set(forge.ports, 'git', broken);
    const headers = { authorization: `token ${owner.token}`, 'user-agent': 'hob-test' };
    const response = await fetch(`${serverUrl}${path}`, { headers });
    Reflect.set(forge.ports, 'git', git);
    const id = response.headers.get('x-github-request-id') ?? assert.fail('It has no id.');
    assert.equal(response.status, 500);
    assert.deepEqual(await response.json(), {
      message: `Internal server error. See the server log for request ${id}.`,
      documentation_url: 'http://forge.test/docs/rest',
    });
    assert.equal((await owner.get(path)).status, 200);
  });

  test('of storage is reported as such, to the API and to git', async () => {
    const { database } = forge;
    const { sha } = (await owner.get(`/repos/${name}/commits/main`)).body;
    const asking = { authorization: `token ${owner.token}`, 'user-agent': 'hob-test' };
    const full = Object.assign(new Error('no'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });
    const gone = new DatabaseUnavailableError(new Error('no'));
    const cases = [
      { cause: full, status: 507, retryAfter: null, words: /disk of the server is full/ },
      { cause: gone, status: 503, retryAfter: '1', words: /database is unavailable/ },
    ];
    for (const { cause, status, retryAfter, words } of cases) {
      const failing = { ...database, write: () => Promise.reject(new Error('undone', { cause })) };
      Reflect.set(forge.ports, 'database', failing);
      try {
        const path = `${serverUrl}/repos/${name}/labels`;
        const body = JSON.stringify({ name: 'x', color: 'ffffff' });
        const response = await fetch(path, { method: 'POST', headers: asking, body });
        assert.equal(response.status, status);
        assert.equal(response.headers.get('retry-after'), retryAfter);
        assert.match(Object(await response.json()).message, words);
        const read = await fetch(`${serverUrl}/repos/${name}`, { headers: asking });
        assert.equal(read.status, 200);
        const push = await fetch(`${serverUrl}/${name}.git/git-receive-pack`, {
          method: 'POST',
          headers: {
            authorization: `Basic ${Buffer.from(`own:${owner.token}`).toString('base64')}`,
            'content-type': 'application/x-git-receive-pack-request',
          },
          body: new Uint8Array(pushRequest(sha)),
        });
        const report = await push.text();
        assert.match(report, words);
        assert.match(report, /ng refs\/heads\/new pre-receive hook declined/);
      } finally {
        Reflect.set(forge.ports, 'database', database);
      }
    }
  });
});

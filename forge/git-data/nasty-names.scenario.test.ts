import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('nasty names', () => {
  let forge: TestForge;
  let owner: TestUser;
  let name: string;
  let address: string;
  let tip: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    name = await forge.repository(owner);
    tip = await commitFiles(forge, name, 'main', { 'a.txt': 'a\n', 'src/b.txt': 'b\n' });
    address = await forge.listen();
  });
  after(() => forge.close());

  /** As they stand in the request line: nothing between here and the server may tidy them up. */
  const nastyNames: readonly string[] = [
    '..',
    '../../../../etc/passwd',
    '%2e%2e',
    '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '..%5c..%5cwindows',
    './main',
    '/',
    '///main',
    'main/',
    '/main',
    '-x',
    '--all',
    '--upload-pack=touch%20x',
    '--output=/tmp/x',
    '%00',
    'main%00',
    '%0a',
    'main%0aabsent',
    '%0d%0aX-Injected:%201',
    '%252e%252e',
    '%2Fmain',
    'a%2F%2Fb',
    '%zz',
    '%c0%ae%c0%ae',
    '%ed%a0%80',
    '%f0%9f%8e%89',
    '%e2%80%ae',
    'refs/',
    'refs/heads/',
    'refs/heads/../tags',
    'heads',
    'heads/main/..',
    'heads/*',
    'HEAD',
    'packed-refs',
    'config',
    '@',
    '@%7B-1%7D',
    'main@%7Bupstream%7D',
    'main%5e',
    'main:a.txt',
    ':(top)a',
    'main..main',
    '...',
    'a...b...c',
    '*',
    '%5c',
    '$(id)',
    '%3Cscript%3E',
    '.git/config',
    'a.lock',
    '0000000000000000000000000000000000000000',
    '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
    'x'.repeat(300),
    'x/'.repeat(600),
    'x'.repeat(6000),
    '%F0%9F%8E%89'.repeat(100),
  ];

  const readPaths: readonly ((nasty: string) => string)[] = [
    (nasty) => `branches/${nasty}`,
    (nasty) => `commits/${nasty}`,
    (nasty) => `commits/${nasty}/check-runs`,
    (nasty) => `commits/${nasty}/pulls`,
    (nasty) => `commits/${nasty}/branches-where-head`,
    (nasty) => `commits?sha=${nasty}`,
    (nasty) => `commits?path=${nasty}`,
    (nasty) => `commits?author=${nasty}`,
    (nasty) => `commits?since=${nasty}`,
    (nasty) => `commits?page=${nasty}&per_page=${nasty}`,
    (nasty) => `compare/main...${nasty}`,
    (nasty) => `compare/${nasty}...main`,
    (nasty) => `compare/${nasty}`,
    (nasty) => `compare/${nasty}:main...main`,
    (nasty) => `contents/${nasty}`,
    (nasty) => `contents/a.txt?ref=${nasty}`,
    (nasty) => `contents/src/${nasty}`,
    (nasty) => `readme?ref=${nasty}`,
    (nasty) => `git/ref/${nasty}`,
    (nasty) => `git/refs/${nasty}`,
    (nasty) => `git/refs/heads/${nasty}`,
    (nasty) => `git/matching-refs/${nasty}`,
    (nasty) => `git/matching-refs/heads/${nasty}`,
    (nasty) => `git/trees/${nasty}`,
    (nasty) => `git/trees/main:${nasty}`,
    (nasty) => `git/trees/main?recursive=${nasty}`,
    (nasty) => `git/blobs/${nasty}`,
    (nasty) => `git/commits/${nasty}`,
    (nasty) => `git/tags/${nasty}`,
  ];

  function send(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ status: number; text: string; injected: boolean }> {
    const [host = '', port] = address.split(':');
    const payload = Buffer.from(body === undefined ? '' : JSON.stringify(body));
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host,
          port: Number(port),
          method,
          path,
          agent: false,
          headers: {
            'user-agent': 'hob-test',
            authorization: `token ${owner.token}`,
            accept: 'application/vnd.github.groot-preview+json',
            'content-length': payload.length,
          },
        },
        (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('error', reject);
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              text: Buffer.concat(parts).toString(),
              injected: response.headers['x-injected'] !== undefined,
            }),
          );
        },
      );
      sent.on('error', reject);
      sent.end(payload);
    });
  }

  test('no name that is asked for makes the server fail, or leads out of the repository', async () => {
    for (const nasty of nastyNames) {
      await Promise.all(
        readPaths.map(async (path) => {
          const requested = `/repos/${name}/${path(nasty)}`;
          const response = await send('GET', requested);
          assert.ok(
            response.status >= 200 && response.status < 500,
            `${requested}: ${response.text}`,
          );
          assert.doesNotMatch(response.text, /root:|repositoryformatversion/, requested);
          assert.ok(!response.injected, requested);
        }),
      );
    }
  });

  test('no name that is written to makes the server fail', async () => {
    const main = `/repos/${name}`;
    for (const nasty of nastyNames) {
      const responses = [
        await send('PUT', `${main}/contents/${nasty}`, { message: 'x', content: 'eA==', sha: tip }),
        await send('DELETE', `${main}/contents/${nasty}`, { message: 'x', sha: tip }),
        await send('PATCH', `${main}/git/refs/${nasty}`, { sha: tip }),
        await send('PATCH', `${main}/git/refs/heads/${nasty}`, { sha: tip }),
        await send('DELETE', `${main}/git/refs/${nasty}`),
      ];
      for (const response of responses) {
        assert.ok(response.status >= 200 && response.status < 500, `${nasty}: ${response.text}`);
      }
    }
    assert.equal((await owner.get(`${main}/git/ref/heads/main`)).body.object.sha, tip);
  });

  test('no name in a body makes the server fail, and only good ones are taken', async () => {
    const main = `/repos/${name}`;
    const words = new Set(nastyNames.map((nasty) => decoded(nasty) ?? nasty));
    for (const word of words) {
      const entry = { path: word, mode: '100644', content: 'x' };
      const responses = [
        await owner.post(`${main}/git/refs`, { ref: `refs/heads/${word}`, sha: tip }),
        await owner.post(`${main}/git/refs`, { ref: `refs/tags/${word}`, sha: tip }),
        await owner.post(`${main}/git/refs`, { ref: word, sha: tip }),
        await owner.post(`${main}/git/refs`, { ref: 'refs/heads/x', sha: word }),
        await owner.post(`${main}/git/trees`, { base_tree: tip, tree: [entry] }),
        await owner.post(`${main}/git/trees`, { base_tree: word, tree: [] }),
        await owner.post(`${main}/merges`, { base: word, head: 'main' }),
        await owner.post(`${main}/merges`, { base: 'main', head: word }),
        await owner.put(`${main}/contents/x`, { message: word, content: 'eA==', branch: word }),
        await owner.put(`${main}/contents/x`, { message: word, content: word, sha: tip }),
        await owner.post(`${main}/git/tags`, {
          tag: word,
          message: word,
          object: tip,
          type: 'commit',
        }),
      ];
      for (const response of responses) assert.ok(response.status < 500);
    }
    const { body: refs } = await owner.get(`${main}/git/refs?per_page=100`);
    assert.ok(refs.length > 2);
    for (const { ref, url } of refs) {
      assert.equal((await owner.get(new URL(url).pathname)).body.ref, ref);
      const read = await owner.get(`${main}/commits/${encodeURIComponent(ref)}`);
      assert.equal(read.status, 200, ref);
    }
  });

  function decoded(text: string): string | undefined {
    try {
      return decodeURIComponent(text);
    } catch {
      // Not every request line is one that can be decoded.
      return undefined;
    }
  }
});

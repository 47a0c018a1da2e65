import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { openPull } from '../testing/pull-fixture.ts';

describe('the URLs in a pull', () => {
  let forge: TestForge;
  let owner: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
  });
  after(() => forge.close());

  /** Every text below a value that is named like a URL, with the path that leads to it. */
  function urlsIn(value: unknown, path = ''): [path: string, url: string][] {
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([name, inner]) => {
      const here = `${path}.${name}`;
      const url = /(^|_)url$|^href$/.test(name) && typeof inner === 'string';
      return url ? [[here, inner]] : urlsIn(inner, here);
    });
  }

  test('are answered by this server, or not found in the documented shape', async () => {
    const { path } = await openPull(forge, owner);
    const { body } = await owner.get(path);
    const seen = new Set<string>();
    for (const [where, url] of urlsIn(body)) {
      if (url.includes('{') || !url.startsWith('http') || seen.has(url)) continue;
      seen.add(url);
      assert.ok(url.startsWith('http://forge.test/'), `${where} ${url}`);
      const response = await owner.get(url.slice('http://forge.test'.length));
      assert.ok([200, 204, 404].includes(response.status), `${where} ${response.status} ${url}`);
    }
    for (const name of [
      'url',
      'html_url',
      'diff_url',
      'patch_url',
      'commits_url',
      'statuses_url',
    ]) {
      const response = await owner.get(body[name].slice('http://forge.test'.length));
      assert.equal(response.status, 200, name);
    }
  });

  test('are templates of RFC 6570 where they have braces, and lead somewhere once filled', async () => {
    const { path, head } = await openPull(forge, owner);
    const values: Record<string, string> = {
      sha: head,
      branch: 'topic',
      base: 'main',
      head: 'topic',
      path: 'README.md',
      number: '1',
      user: 'own',
      collaborator: 'own',
      all: 'true',
      name: 'a b',
      ref: 'main',
    };
    const seen = new Map<string, number>();
    let found = 0;
    for (const [where, template] of urlsIn((await owner.get(path)).body)) {
      if (!template.includes('{')) continue;
      const url = expand(template, values);
      assert.ok(!/[{}]/.test(url), `${where} ${template}`);
      if (!seen.has(url)) {
        const response = await owner.get(url.slice('http://forge.test'.length));
        assert.ok([200, 204, 404].includes(response.status), `${where} ${response.status} ${url}`);
        seen.set(url, response.status);
      }
      const field = where.slice(where.lastIndexOf('.') + 1);
      const expected = /^\.(?:head|base)\.repo\./.test(where) ? there[field] : undefined;
      if (expected === undefined) continue;
      assert.equal(seen.get(url), expected, url);
      found += 1;
    }
    // In the head's repository and in the base's.
    assert.equal(found, 2 * Object.keys(there).length);
  });
});

/** Templates of a repository that are filled with something that is there. */
const there: Readonly<Record<string, number>> = {
  assignees_url: 204,
  branches_url: 200,
  collaborators_url: 204,
  commits_url: 200,
  compare_url: 200,
  contents_url: 200,
  git_commits_url: 200,
  issues_url: 200,
  notifications_url: 200,
  pulls_url: 200,
  statuses_url: 200,
  trees_url: 200,
};

/** As RFC 6570 says it, for the operators that are used here; what has no value is left out. */
function expand(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(
    /\{([+/?&]?)([a-z_,]+)\}/g,
    (_all, operator: string, names: string) => {
      const provided = names.split(',').flatMap((name): [string, string][] => {
        const value = values[name];
        if (value === undefined) return [];
        return [[name, operator === '+' ? encodeURI(value) : encodeURIComponent(value)]];
      });
      const texts = provided.map(([name, value]) =>
        /[?&]/.test(operator) ? `${name}=${value}` : value,
      );
      if (texts.length === 0) return '';
      if (operator === '/') return `/${texts.join('/')}`;
      return /[?&]/.test(operator) ? `${operator}${texts.join('&')}` : texts.join(',');
    },
  );
}

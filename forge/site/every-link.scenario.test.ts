import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { endpoints } from '../routes.ts';
import { pathIn, furnish, type FurnishedRepository } from '../testing/furnished-repository.ts';
import { crawl, type DeadLink } from '../testing/link-crawler.ts';
import { signedInBrowser, type TestBrowser } from '../testing/test-browser.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

const origin = 'http://forge.test';

/** URLs that answer something else than 2xx, and why that is right. */
const exceptions: readonly (readonly [url: RegExp, reason: string])[] = [
  // URLs for other methods, as on GitHub.
  [/\/merges$/, 'POST merges branches'],
  [/\/hooks\/\d+\/(?:tests|pings)$/, 'POST sends a delivery'],
  [/\/releases\/\d+\/assets(?:\?name=y\.txt)?$/, 'POST uploads an asset'],
  [/\/access_tokens$/, 'POST creates a token'],
  [/\/hub$/, 'POST subscribes by PubSubHubbub, which is not built'],
  [/\/user\/repository_invitations\/\d+$/, 'PATCH accepts and DELETE declines an invitation'],
  [/\/issues\/\d+\/labels\/bug$/, 'DELETE removes a label'],
  // Templates whose short form is nothing on GitHub, either.
  [/\/git\/(?:blobs|tags|trees|commits)$/, 'objects of git are not listed'],
  // What is not there, as on GitHub.
  [/\/branches\/main\/protection$/, 'the branch is not protected'],
  [/\/users\/(?:acme|guest)\/following\/guest$/, 'the user does not follow that one'],
  [/\/tree\/(?:main|topic|v0)\/c\.txt$/, 'the choice of revisions keeps the path, which some lack'],
  [/\/settings\/connections\/applications$/, 'one application each has a page'],
  [/\/authorizations$|\/downloads$/, 'GitHub has removed it and still names it'],
  // Not built.
  [/\/users\/[a-z]+\/starred\/acme\/room$/, 'GitHub names it in a template and does not answer it'],
  [/\/orgs\/acme\/public_members\/own$/, 'no membership is public'],
  [/\/teams\/crew\/members\/own$/, 'GitHub has removed it and still names it'],
];

describe('every url that a response names', () => {
  let forge: TestForge;
  let owner: TestUser;
  let browser: TestBrowser;
  let furnished: FurnishedRepository;

  before(async () => {
    forge = await startTestForge({ previews: 'lenient' });
    owner = await forge.user('own', { siteAdmin: true });
    await forge.user('guest');
    await forge.organization(owner, 'acme');
    await owner.post('/orgs/acme/teams', { name: 'crew', privacy: 'closed' });
    furnished = await furnish(forge, owner, { name: 'room' });
    await owner.put('/user/starred/acme/room');
    await owner.put('/repos/acme/room/subscription');
    await owner.put('/user/following/guest');
    await forge.ports.background.idle();
    browser = await signedInBrowser(forge, 'own');
  });
  after(() => forge.close());

  /** The values of the variables of templates, by the end of the url before them. */
  const variables = (): Readonly<Record<string, string | undefined>> => {
    const value = (name: string, path = ''): string | undefined => furnished.parameter(path, name);
    return {
      owner: 'acme',
      repo: 'room',
      '/owner': '/acme',
      '/repo': '/room',
      org: 'acme',
      user: 'own',
      '/user': '/own',
      '/other_user': '/guest',
      '/target': '/guest',
      '/privacy': '/public',
      '/collaborator': '/own',
      '/member': '/own',
      '/branch': '/main',
      '/name': '/bug',
      '/archive_format': '/zipball',
      archive_format: 'zipball',
      '/ref': '/main',
      '+path': 'a.txt',
      base: 'main',
      head: 'topic',
      sha: value('sha'),
      query: 'room',
      repository_id: String(furnished.id),
      '/id': `/${value('release_id')}`,
      '?name,label': '?name=y.txt',
      git_commits_url: `/${value('commit_sha')}`,
    };
  };

  const expand = (template: string): string[] => {
    const known = variables();
    const value = (name: string, path = ''): string | undefined => furnished.parameter(path, name);
    const bySegment: Readonly<Record<string, string | undefined>> = {
      '/git/blobs{/sha}': value('file_sha'),
      '/git/trees{/sha}': value('tree_sha'),
      '/git/tags{/sha}': value('tag_sha'),
      '/git/refs{/sha}': 'heads/main',
      '/git/commits{/sha}': value('commit_sha'),
      '/commits{/sha}': value('commit_sha'),
      '/issues{/number}': value('issue_number'),
      '/pulls{/number}': value('pull_number'),
      '/milestones{/number}': value('milestone_number'),
      '/issues/comments{/number}': value('comment_id'),
      '/pulls/comments{/number}': value('comment_id', '/pulls/'),
      '/room/comments{/number}': value('commit_comment_id'),
      '/issues/events{/number}': value('event_id'),
    };
    const special = Object.entries(bySegment).find(([end]) => template.endsWith(end));
    const base = template.replace(/\{[^}]*\}/g, '');
    if (special) {
      const [end, filled] = special;
      return [base, `${template.slice(0, -end.length)}${end.replace(/\{.*/, '')}/${filled}`];
    }
    const filled = template.replace(/\{([^}]*)\}/g, (_all, name: string) => known[name] ?? '');
    const required = /\{[^/?&]/.test(template);
    return required ? [filled] : [...new Set([base, filled])];
  };

  test('answers', async () => {
    const gets = endpoints
      .map((endpoint) => endpoint.declaration)
      .filter((declaration) => declaration.method === 'GET')
      .map((declaration) => pathIn(furnished, declaration));
    const { dead, followed } = await crawl({
      origin,
      start: ['/api/v3/', ...gets.map((path) => `/api/v3${path}`)],
      get: async (path) => (path.startsWith('/api/') ? owner.get(path) : browser.get(path)),
      expand,
      max: 6000,
    });
    const wrong = dead.filter(
      ({ field, url }) => field !== 'start' && !exceptions.some(([known]) => known.test(url)),
    );
    assert.deepEqual(wrong.map(line), []);
    assert.ok(followed > 400, `followed ${followed} URLs only`);
    const unused = exceptions.filter(([known]) => !dead.some(({ url }) => known.test(url)));
    assert.deepEqual(unused, [], 'exceptions that are none any more');
  });
});

function line({ url, field, from, reason }: DeadLink): string {
  return `${reason} ${field} ${url.slice(origin.length)} in ${from.slice(origin.length)}`;
}

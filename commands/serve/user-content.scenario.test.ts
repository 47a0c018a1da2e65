import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import Fastify, { type FastifyInstance } from 'fastify';

import type { Endpoint } from '#forge/routing/endpoint.ts';
import { forgeServerOptions } from '#forge/forge.ts';
import { endpoints } from '#forge/routes.ts';
import { commitFiles } from '#forge/testing/commits.ts';
import { pathIn, furnish, type FurnishedRepository } from '#forge/testing/furnished-repository.ts';
import { assets, diffScript, linesScript, liveScript, shortcutsScript } from '#web/assets.ts';
import { accountSegment } from '#forge/web/kit/page-paths.ts';
import { createTestBrowser } from '#forge/testing/test-browser.ts';
import { startTestForge, type TestForge, type TestUser } from '#forge/testing/test-forge.ts';
import { createAccessKey } from '#functions/access-keys/administer-access-keys.ts';
import { createConsole, createFunctions } from '#functions/functions.ts';
import { createTestFunctions, type TestFunctions } from '#functions/testing/test-functions.ts';

import { pages as consolePages } from '#functions/web/page-table.ts';
import { addressFor } from '#functions/web/testing/console-paths.ts';

import { registerServices } from './application.ts';

const markup = '<script>hob()</script><img src=x onerror=hob()>';
const hostileFiles = {
  'README.md': `# ${markup}\n\n[x](javascript:hob())\n\n${markup}\n`,
  'page.html': `<!doctype html><html><body>${markup}</body></html>`,
  'picture.svg': `<svg xmlns="http://www.w3.org/2000/svg" onload="hob()"><script>hob()</script></svg>`,
  'feed.xml': `<?xml version="1.0"?><x xmlns:h="http://www.w3.org/1999/xhtml"><h:script>hob()</h:script></x>`,
  'run.js': 'hob()',
  'paper.pdf': '%PDF-1.7\n<< /OpenAction << /S /JavaScript /JS (hob()) >> >>\n',
  'data.bin': Buffer.from([0, 0x3c, 0x73, 0x63, 0x72, 0x69, 0x70, 0x74, 0x3e]),
};

/** Routes that are no endpoint of the interface, with paths that lead somewhere behind them. */
const otherRoutes: Readonly<Record<string, readonly string[]>> = {
  '/healthz': ['/healthz'],
  '/readyz': ['/readyz'],
  '/-/home': ['/-/home'],
  '/-/other-services': [
    '/-/other-services',
    `/-/other-services?Action=${encodeURIComponent(markup)}`,
  ],
  '/docs': ['/docs'],
  '/docs/rest': ['/docs/rest'],
  '/docs/rest/*': ['/docs/rest/reference/pulls', `/docs/rest/${encodeURIComponent(markup)}`],
  '/avatars/u/:id': ['/avatars/u/1'],
  ...Object.fromEntries(assets.map(({ path }) => [path, [path]])),
  '/favicon.ico': ['/favicon.ico'],
  '/session': ['/session'],
  '/login': [`/login?return_to=${encodeURIComponent(markup)}`],
  '/sessions/two-factor': ['/sessions/two-factor'],
  '/login/device': ['/login/device'],
  '/login/oauth/authorize': [`/login/oauth/authorize?client_id=${encodeURIComponent(markup)}`],
  '/settings': ['/settings'],
  '/settings/security': ['/settings/security', '/settings/security?two-factor=set-up'],
  '/settings/security/codes': ['/settings/security/codes'],
  '/settings/tokens': ['/settings/tokens'],
  '/settings/applications': ['/settings/applications'],
  '/settings/apps/new': [`/settings/apps/new?state=${encodeURIComponent(markup)}`],
  '/settings/installations': ['/settings/installations'],
  '/organizations/:org/settings/apps/new': ['/organizations/acme/settings/apps/new'],
  '/apps/:slug': ['/apps/helper'],
  '/apps/:slug/installations/new': ['/apps/helper/installations/new'],
  '/:owner': ['/acme', '/own', '/own?tab=stars', `/${encodeURIComponent(markup)}`],
  '/:owner/:repo': ['/acme/project'],
  '/:owner/:repo/tree/*': ['/acme/project/tree/main'],
  '/:owner/:repo/blob/*': Object.keys(hostileFiles).map(
    (name) => `/acme/project/blob/main/${name}`,
  ),
  '/:owner/:repo/blame/*': Object.keys(hostileFiles).map(
    (name) => `/acme/project/blame/main/${name}`,
  ),
  '/:owner/:repo/edit/*': Object.keys(hostileFiles).map(
    (name) => `/acme/project/edit/main/${name}`,
  ),
  '/:owner/:repo/delete/*': Object.keys(hostileFiles).map(
    (name) => `/acme/project/delete/main/${name}`,
  ),
  '/:owner/:repo/new/*': [`/acme/project/new/main/${encodeURIComponent(markup)}`],
  '/:owner/:repo/upload/*': [`/acme/project/upload/main/${encodeURIComponent(markup)}`],
  '/:owner/:repo/raw/*': Object.keys(hostileFiles).map((name) => `/acme/project/raw/main/${name}`),
  '/:owner/:repo/commits': ['/acme/project/commits'],
  '/:owner/:repo/commits/*': ['/acme/project/commits/main'],
  '/:owner/:repo/commit/:revision': ['', '.diff', '.patch'].map(
    (end) => `/acme/project/commit/main${end}`,
  ),
  '/-/new': ['/-/new'],
  '/-/explore': ['/-/explore', `/-/explore?q=${encodeURIComponent(markup)}`],
  '/-/image/:signature/:encoded': ['/-/image/0/687474703a2f2f782e746573742f'],
  '/-/import': ['/-/import'],
  '/:owner/:repo/import': ['/acme/project/import'],
  '/:owner/:repo/tags': ['/acme/project/tags'],
  '/:owner/:repo/forks': ['/acme/project/forks'],
  '/:owner/:repo/labels': ['/acme/project/labels'],
  '/:owner/:repo/milestones': ['/acme/project/milestones'],
  '/:owner/:repo/settings': ['/acme/project/settings'],
  '/:owner/:repo/settings/branches': ['/acme/project/settings/branches'],
  '/:owner/:repo/settings/branches/*': ['/acme/project/settings/branches/side'],
  '/:owner/:repo/settings/keys': ['/acme/project/settings/keys'],
  '/search': ['repositories', 'issues', 'code', 'commits', 'users'].map(
    (type) => `/search?type=${type}&q=${encodeURIComponent(markup)}`,
  ),
  '/settings/emails': ['/settings/emails'],
  '/settings/keys': ['/settings/keys'],
  '/:owner.keys': ['/ada.keys'],
  '/:owner.atom': ['/ada.atom'],
  '/-/timeline.atom': ['/-/timeline.atom'],
  '/:owner/:repo/commits.atom': ['/acme/project/commits.atom'],
  '/:owner/:repo/releases.atom': ['/acme/project/releases.atom'],
  '/:owner/:repo/tags.atom': ['/acme/project/tags.atom'],
  '/:owner/:repo/settings/hooks': ['/acme/project/settings/hooks'],
  '/:owner/:repo/settings/hooks/:hook': ['/acme/project/settings/hooks/1'],
  '/:owner/:repo/settings/hooks/:hook/deliveries/:delivery': [
    '/acme/project/settings/hooks/1/deliveries/1',
  ],
  '/:owner/:repo/compare': ['/acme/project/compare'],
  '/settings/tokens/created': ['/settings/tokens/created'],
  '/:owner/:repo/compare/*': ['', '.diff', '.patch'].map(
    (end) => `/acme/project/compare/side...main${end}`,
  ),
  '/:owner/:repo/branches': ['/acme/project/branches'],
  '/:owner/:repo/archive/*': ['/acme/project/archive/refs/heads/main.zip'],
  '/:owner/:repo/releases': ['/acme/project/releases'],
  '/:owner/:repo/releases/new': [`/acme/project/releases/new?tag=${encodeURIComponent(markup)}`],
  '/:owner/:repo/releases/edit/*': ['/acme/project/releases/edit/v0'],
  '/:owner/:repo/releases/latest': ['/acme/project/releases/latest'],
  '/:owner/:repo/releases/tag/*': ['/acme/project/releases/tag/v0'],
  '/:owner/:repo/releases/download/*': ['/acme/project/releases/download/v0/x.html'],
  '/:owner/:repo/releases/latest/download/:name': ['/acme/project/releases/latest/download/x.html'],
  '/:owner/:repo/pulls': ['/acme/project/pulls'],
  '/:owner/:repo/pull/:number': ['', '.diff', '.patch'].map((end) => `/acme/project/pull/1${end}`),
  '/:owner/:repo/pull/:number/commits': ['/acme/project/pull/1/commits'],
  '/:owner/:repo/pull/:number/files': ['/acme/project/pull/1/files'],
  '/:owner/:repo/invitations': ['/acme/project/invitations'],
  '/-/invitations': ['/-/invitations'],
  '/-/orgs/:org/teams/:team': ['/-/orgs/acme/teams/crew'],
  '/-/orgs/:org/people': ['/-/orgs/acme/people'],
  '/-/orgs/:org/teams': ['/-/orgs/acme/teams'],
  '/-/orgs/:org/settings': ['/-/orgs/acme/settings'],
  '/-/orgs/new': ['/-/orgs/new'],
  '/-/admin': ['/-/admin'],
  '/-/admin/users': ['/-/admin/users', `/-/admin/users?q=${encodeURIComponent(markup)}`],
  '/-/admin/users/:user': ['/-/admin/users/own'],
  '/-/admin/organizations': ['/-/admin/organizations'],
  '/-/admin/tokens': ['/-/admin/tokens'],
  '/-/admin/keys': ['/-/admin/keys'],
  '/-/admin/applications': ['/-/admin/applications'],
  '/-/admin/webhooks': ['/-/admin/webhooks'],
  '/-/admin/server': ['/-/admin/server'],
  '/-/admin/storage': ['/-/admin/storage'],
  '/settings/profile': ['/settings/profile'],
  '/:owner/:repo/stargazers': ['/acme/project/stargazers'],
  '/:owner/:repo/deployments': ['/acme/project/deployments'],
  '/:owner/:repo/watchers': ['/acme/project/watchers'],
  '/-/notifications': ['/-/notifications', '/-/notifications?all=1'],
  '/:owner/:repo/issues': [
    '/acme/project/issues',
    `/acme/project/issues?q=${encodeURIComponent(markup)}`,
  ],
  '/:owner/:repo/issues/new': ['/acme/project/issues/new'],
  '/:owner/:repo/issues/:number': ['/acme/project/issues/2'],
  '/:owner/:repo/milestone/:number': ['/acme/project/milestone/1'],
  '/:owner/:repo/collaborators': ['/acme/project/collaborators'],
  ...Object.fromEntries(
    consolePages.flatMap(({ path, acts = {}, events }) => [
      ...['', ...Object.keys(acts).map((act) => `/${act}`)].map((act) => [
        `${path}${act}`,
        [addressFor(`${path}${act}`, { name: 'page', alias: 'live' })],
      ]),
      // A stream has no end; functions/web/log-events.test.ts looks at its headers.
      ...(events ? [[`${path}/events`, [addressFor(`${path}/events`, { name: 'none' })]]] : []),
    ]),
  ),
  '/:owner/:repo/info/lfs/*': ['/acme/project.git/info/lfs/locks'],
  '/-/go-import/:owner/:repo': ['/acme/project?go-get=1', '/acme/none?go-get=1'],
  '/:owner/:repo/info/refs': [
    '/acme/project.git/info/refs?service=git-upload-pack',
    '/acme/project/info/refs',
  ],
};

/** Of a browser that follows a link. */
const browserHeaders = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'user-agent': 'Mozilla/5.0',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  'sec-fetch-site': 'cross-site',
  host: 'forge.test',
};

interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | number | string[] | undefined>>;
  readonly payload: string;
}

/** Whatever a user supplied, a browser that is led to it runs nothing of it as a document of the site. */
describe('content of users', () => {
  let forge: TestForge;
  let owner: TestUser;
  let functions: TestFunctions;
  let repository: FurnishedRepository;
  let application: FastifyInstance;
  let cookie: string;
  const routes = new Map<string, Endpoint | undefined>();

  before(async () => {
    forge = await startTestForge({ previews: 'lenient' });
    owner = await forge.user('own', { siteAdmin: true });
    await forge.user('guest');
    await forge.organization(owner, 'acme');
    await owner.post('/orgs/acme/teams', { name: 'crew', privacy: 'closed' });
    repository = await furnish(forge, owner, { name: 'project' });
    await owner.patch('/repos/acme/project', { description: markup, homepage: 'https://x.test/' });
    await owner.patch('/repos/acme/project/pulls/1', { title: markup, body: markup });
    await owner.patch('/repos/acme/project/issues/2', { title: markup, body: markup });
    await owner.patch('/user', { company: markup, blog: markup, bio: markup });
    await owner.patch('/orgs/acme', { company: markup, description: markup });
    const { body: release } = await owner.get('/repos/acme/project/releases/latest');
    await owner.patch(`/repos/acme/project/releases/${release.id}`, { name: markup, body: markup });
    await owner.send('POST', `/repos/acme/project/releases/${release.id}/assets?name=x.html`, {
      body: markup,
      headers: { 'content-type': 'text/html' },
    });
    await commitFiles(forge, 'acme/project', 'main', hostileFiles, {
      message: markup,
      author: { name: 'hob()', email: 'script@example.test' },
    });
    await commitFiles(forge, 'acme/project', 'topic', { 'b.html': markup }, { message: markup });
    functions = await createTestFunctions({ database: forge.database });
    await createAccessKey(functions.ports, owner.account.id);
    await functions.create('page', { Description: markup });
    application = Fastify({ ...forgeServerOptions });
    application.addHook('onRoute', ({ method, url, config }) => {
      const pattern = url.replace(accountSegment, ':owner');
      if ([method].flat().includes('GET')) routes.set(pattern, config?.endpoint);
    });
    await registerServices(
      application,
      forge.ports,
      {
        plugin: createFunctions(functions.ports),
        console: (site) => createConsole(functions.ports, site),
      },
      () => false,
    );
    cookie = await signedIn();
  });
  after(async () => {
    await application.close();
    await functions.close();
    await forge.close();
  });

  async function signedIn(): Promise<string> {
    const hash = await forge.ports.passwords.hash('correct horse');
    await forge.database.write((sql) =>
      sql.run('update accounts set password_hash = $1 where id = $2', hash, owner.account.id),
    );
    const browser = createTestBrowser(forge);
    await browser.signIn('own', 'correct horse');
    return [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  const ask = (url: string, headers: Record<string, string> = {}): Promise<HttpResponse> =>
    application.inject({ method: 'GET', url, headers: { ...browserHeaders, cookie, ...headers } });

  function check(url: string, { statusCode, headers, payload }: HttpResponse): void {
    const said = `${url}: ${statusCode} ${JSON.stringify(headers)}`;
    assert.ok(statusCode < 500 || statusCode === 501, said);
    assert.equal(headers['x-content-type-options'], 'nosniff', said);
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /^default-src 'none'/, said);
    assert.doesNotMatch(policy, /unsafe|allow-/, said);
    assert.match(String(headers['cross-origin-resource-policy']), /^(?:same|cross)-origin$/, said);
    const [type = ''] = String(headers['content-type'] ?? '').split(';');
    if (payload === '') return;
    if (type === 'text/html') {
      // A page of our own, in which the text of users is text.
      const script = ownScripts.find((each) => payload.includes(each));
      const rest = payload
        .replace(script ?? '', '')
        .replace(ownMark, '$1')
        .replaceAll(ownPictures, '');
      assert.doesNotMatch(rest, /<script|<img src=x|<svg|href="javascript:/i, said);
      const scripts = script === undefined ? undefined : "'self'";
      assert.equal(/script-src ([^;]*)/.exec(policy)?.[1], scripts, said);
      assert.match(policy, /frame-ancestors 'none'/, said);
      return;
    }
    assert.doesNotMatch(policy, /script-src/, said);
    if (type === 'application/json') return;
    if (type === 'application/javascript') {
      assert.match(url, /callback=/, said);
      assert.match(payload, /^\/\*\*\/hob\(/, said);
      return;
    }
    assert.match(policy, /; sandbox$/, said);
    if (type === 'application/atom+xml') {
      // XML, in which the text of users is text.
      assert.match(url, /\.atom$/, said);
      assert.doesNotMatch(payload, /<(?:script|img|svg|html)/i, said);
      return;
    }
    const own = /^\/avatars\/|^\/assets\/|^\/favicon\.ico$/.test(url);
    assert.match(type, own ? /^(?:image\/svg\+xml|text\/(?:css|javascript))$/ : inertTypes, said);
  }

  const ownScripts = [diffScript, linesScript, liveScript, shortcutsScript].map(
    ({ path }) => `<script type="module" src="${path}"></script>`,
  );
  const ownMark = /(<a class="brand" href="[^"]*">)<svg [^<]*<[^]*?<\/svg>/;

  /** Colours of labels and languages: shapes alone. */
  const ownPictures =
    /<svg class="(?:swatch|languages)"[^<>]*>(?:\s*<(?:circle|rect)(?:\s+[a-z]+="[#\w.-]*")*\s*\/>)*\s*<\/svg>/g;

  /** Those that no browser shows as a document with scripts, plug-ins or parts in it; SVG because of `sandbox`. */
  const inertTypes =
    /^(?:text\/plain|image\/(?:png|jpeg|gif|webp|svg\+xml)|application\/(?:octet-stream|zip|x-gzip|gzip|x-git-[a-z-]+|vnd\.(?:github\.|git-lfs)[a-z0-9.+-]+))$/;

  it('is behind routes that are all known here', () => {
    const unknown = [...routes].filter(
      ([url, endpoint]) => !endpoint && !Object.hasOwn(otherRoutes, url) && !isOfFunctions(url),
    );
    assert.deepEqual(
      unknown.map(([url]) => url),
      [],
      'give each a path in this test',
    );
  });

  it('runs in no page, and is no page by itself', async () => {
    for (const url of Object.values(otherRoutes).flat()) check(url, await ask(url));
  });

  it('is no document of the interface, in whatever form it is asked for', async () => {
    const authorization = `token ${owner.token}`;
    const vendorForms = ['raw', 'html', 'text', 'full', 'diff', 'patch', 'sha'].map(
      (form) => `application/vnd.github.${form}`,
    );
    const forms = [...vendorForms, 'application/octet-stream'];
    for (const { declaration } of endpoints) {
      if (declaration.method !== 'GET') continue;
      const url = pathIn(repository, declaration);
      check(url, await ask(url, { authorization }));
      const wrapped = `${url}?callback=hob`;
      check(wrapped, await ask(wrapped, { authorization }));
      for (const accept of forms) check(url, await ask(url, { authorization, accept }));
    }
  });

  it('is no document by the path of a file', async () => {
    const authorization = `token ${owner.token}`;
    for (const name of Object.keys(hostileFiles)) {
      const url = `/api/v3/repos/acme/project/contents/${name}`;
      for (const accept of ['application/vnd.github.raw', 'application/vnd.github.html+json']) {
        check(url, await ask(url, { authorization, accept }));
      }
    }
  });

  it('is no document of the function service', async () => {
    functions.environments.answer(() => ({ kind: 'response', payload: Buffer.from(markup) }));
    const invoked = await application.inject({
      method: 'POST',
      url: '/2015-03-31/functions/page/invocations',
      headers: browserHeaders,
      payload: '{}',
    });
    check('invocations', invoked);
    assert.equal(invoked.payload, markup);
    check('functions', await ask('/2015-03-31/functions/'));
    check('nowhere', await ask(`/2015-03-31/${encodeURIComponent(markup)}`));
    const got = await ask('/2015-03-31/functions/page');
    const archive = new URL(JSON.parse(got.payload).Code.Location);
    check('archive', await ask(archive.pathname));
    check('archive', await ask(`${archive.pathname}x`));
  });

  it('is embedded by no other origin, but pictures of accounts are', async () => {
    const policyOf = async (url: string): Promise<unknown> =>
      (await ask(url)).headers['cross-origin-resource-policy'];
    assert.equal(await policyOf('/avatars/u/1'), 'cross-origin');
    assert.equal(await policyOf('/acme/project/raw/main/picture.svg'), 'same-origin');
    assert.equal(await policyOf('/acme/project'), 'same-origin');
    assert.equal(await policyOf('/api/v3/user?callback=hob'), 'cross-origin');
  });
});

/** These are asked by their own test, and function URLs in functions/urls/function-url-origins.test.ts. */
function isOfFunctions(url: string): boolean {
  return /^\/(?:20\d\d-\d\d-\d\d|:version|lambda-url|archives)/.test(url);
}

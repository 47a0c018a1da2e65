import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles, repositoryId } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('pages of repositories', () => {
  let forge: TestForge;
  let owner: TestUser;
  let outsider: TestUser;
  let tip: string;
  let pull: { number: number; html_url: string; diff_url: string; patch_url: string; body: string };

  const page = (pageUrl: string): string => pageUrl.replace('http://forge.test', '');

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    outsider = await forge.user('stranger');
    await forge.repository(owner, { name: 'tools', init: true });
    await owner.patch('/repos/own/tools', {
      description: '<b>Tools</b>',
      homepage: 'javascript:alert(1)',
    });
    tip = await commitFiles(forge, 'own/tools', 'main', {
      'README.md':
        '# Tools\n\nSee [the guide](docs/a%20b.md), ![x](pic.png) and <script>alert(1)</script>\n',
      'docs/a b.md': '[up](../README.md)\n',
      'docs/long.md': '[up](../README.md)\n\n'.repeat(3000),
      'src/100%/main.ts': 'const a = "<i>";\nlet b;\n',
      'page.html': '<script>alert(1)</script>\n',
      'data.bin': Buffer.from([0, 1, 2]),
    });
    await commitFiles(
      forge,
      'own/tools',
      'feature/x',
      { 'src/100%/main.ts': 'const a = 2;\n' },
      {
        parents: [tip],
        message: 'Change a\n\nBecause <of> it.',
      },
    );
    const created = await owner.post('/repos/own/tools/pulls', {
      title: 'A <change>',
      head: 'feature/x',
      base: 'main',
      body: '**bold** <img src=x onerror=alert(1)>',
    });
    assert.equal(created.status, 201, created.text);
    pull = created.body;
    await forge.ports.background.idle();
    await forge.repository(owner, { name: 'hidden', private: true, init: true });
  });
  after(() => forge.close());

  async function read(
    path: string,
    client: Pick<TestUser, 'get'> = forge.anonymous,
  ): Promise<string> {
    const response = await client.get(path, { 'user-agent': 'Mozilla/5.0' });
    assert.equal(response.status, 200, `${path}: ${response.text}`);
    assert.match(response.headers['content-type'] ?? '', /^text\/html/);
    assert.doesNotMatch(
      response.text.replace(
        /<script type="module" src="\/assets\/(?:lines|diff)-\w+\.mjs"><\/script>/,
        '',
      ),
      /<script|onerror=alert\(1\)>|<b>Tools|href="javascript/i,
      path,
    );
    return response.text;
  }

  test('a private repository is there only for requests with credentials that may read it', async () => {
    for (const path of ['/own/hidden', '/own/hidden/raw/main/README.md', '/own/hidden/pulls']) {
      for (const client of [forge.anonymous, outsider]) {
        const response = await client.get(path);
        assert.equal(response.status, 404, path);
        assert.match(response.headers['content-type'] ?? '', /^text\/html/);
      }
    }
    assert.match(await read('/own/hidden', owner), /private/);
    const basic = Buffer.from(`own:${owner.token}`).toString('base64');
    const response = await forge.anonymous.get('/own/hidden', { authorization: `Basic ${basic}` });
    assert.equal(response.status, 200);
  });

  test('wrong credentials are refused', async () => {
    const response = await forge.anonymous.get('/own/tools', { authorization: 'token wrong' });
    assert.equal(response.status, 401);
    assert.match(response.text, /Bad credentials/);
  });

  test('what is nowhere is 404, as a page; paths of the server itself stay with the interface', async () => {
    const paths = ['/nobody', '/own/none', '/own/tools/tree/none', '/own/tools/blob/main/none'];
    for (const path of [
      ...paths,
      '/own/tools/pull/99',
      '/own/tools/pull/x',
      '/own/tools/commit/x',
    ]) {
      const response = await forge.anonymous.get(path);
      assert.equal(response.status, 404, path);
      assert.match(response.text, /Not found/);
    }
    for (const path of [
      '/user/none',
      '/repos/own',
      '/orgs/own/none',
      '/rate_limit/x',
      '/2015-03-31/functions',
    ]) {
      const response = await forge.anonymous.get(path);
      assert.equal(response.status, 404, path);
      assert.equal(response.body.message, 'Not Found');
    }
  });

  test('pages need no User-Agent, are not counted, and let nothing run', async () => {
    const response = await forge.anonymous.get('/own/tools', { 'user-agent': '' });
    assert.equal(response.status, 200);
    assert.equal(response.headers['x-ratelimit-remaining'], undefined);
    assert.match(
      response.headers['content-security-policy'] ?? '',
      /^default-src 'none'; style-src 'self';/,
    );
    assert.equal(response.headers['x-content-type-options'], 'nosniff');
    const head = await forge.anonymous.send('HEAD', '/own/tools');
    assert.deepEqual([head.status, head.text], [200, '']);
    const [stylePath = ''] = /\/assets\/site-\w+\.css/.exec(response.text) ?? [];
    const style = await forge.anonymous.get(stylePath);
    assert.match(style.headers['content-type'] ?? '', /^text\/css/);
  });

  test('a browser gets the home page at the root, a client the map', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const home = await forge.anonymous.get('/', { accept });
    assert.match(home.text, /own\/tools/);
    assert.doesNotMatch(home.text, /own\/hidden/);
    assert.match((await forge.anonymous.get('/', { accept: 'text/html' })).text, /<!doctype html>/);
    const java = 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2';
    for (const other of [java, '*/*', 'application/json']) {
      const response = await forge.anonymous.get('/', { accept: other });
      assert.ok(response.body.current_user_url, other);
    }
  });

  test('a browser gets pages at /notifications and /issues, a client what it asked for', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const leads = await forge.anonymous.get('/notifications?all=1', { accept });
    assert.equal(leads.headers['location'], '/login?return_to=%2F-%2Fnotifications%3Fall%3D1');
    assert.match((await forge.anonymous.get('/issues', { accept })).text, /<title>Search/);
    const own = await forge.anonymous.get('/issues?q=is%3Aissue+mine', { accept });
    assert.match(own.text, /value="is:issue mine"/);
    for (const path of ['/notifications', '/issues']) {
      assert.equal((await forge.anonymous.get(path)).status, 401, path);
      assert.deepEqual((await owner.get(path)).body, [], path);
    }
  });

  test('an account shows the repositories that the caller may read', async () => {
    const text = await read('/OWN');
    assert.match(text, /own\/tools/);
    assert.doesNotMatch(text, /own\/hidden/);
    assert.match(await read('/own', owner), /own\/hidden/);
  });

  test('a repository shows how to clone it, its files, branches and readme', async () => {
    for (const path of ['/own/tools', '/own/tools.git', '/own/tools/']) {
      const text = await read(path);
      assert.match(text, /git clone http:\/\/forge\.test\/own\/tools\.git/);
      assert.match(text, /&lt;b&gt;Tools&lt;\/b&gt;/);
      assert.match(text, /href="http:\/\/forge\.test\/own\/tools\/tree\/feature\/x"/);
      assert.match(text, /<h1 id="user-content-tools">Tools<\/h1>/);
      assert.match(text, /href="http:\/\/forge\.test\/own\/tools\/blob\/main\/docs\/a%20b\.md"/);
      assert.match(text, /<img src="\/own\/tools\/raw\/main\/pic\.png"/);
    }
  });

  test('an empty repository says so', async () => {
    await forge.repository(owner, { name: 'empty' });
    const visited = await read('/own/empty');
    assert.match(visited, /Nothing has been pushed to <code>main<\/code> yet/);
    assert.doesNotMatch(visited, /git remote add/);
    assert.match(await read('/own/empty', owner), /git push -u origin main/);
  });

  test('folders and files are found on branches with slashes, and under names that need encoding', async () => {
    assert.match(await read('/own/tools/tree/feature/x/src'), /100%\//);
    const file = '/own/tools/blob/feature/x/src/100%25/main.ts';
    assert.match(
      (await read(file)).replaceAll(/<\/?span(?: class="[^"]*")?>/g, ''),
      /<span id="L1"><a href="#L1" tabindex="-1">1<\/a>const a = 2;/,
    );
    assert.match(await read(`/own/tools/blob/${tip}/src/100%25/main.ts`), /&quot;&lt;i&gt;&quot;/);
    const markdown = await read('/own/tools/blob/main/docs/a%20b.md');
    assert.match(markdown, /href="http:\/\/forge\.test\/own\/tools\/blob\/main\/README\.md"/);
    const long = await read('/own/tools/blob/main/docs/long.md');
    assert.equal(long.split('blob/main/README.md">up</a></p>').length, 3001);
    assert.match(await read('/own/tools/blob/main/data.bin'), /Binary content/);
    const folder = await forge.anonymous.get('/own/tools/blob/main/src');
    assert.equal(folder.headers['location'], 'http://forge.test/own/tools/tree/main/src');
    const other = await forge.anonymous.get('/own/tools/tree/main/page.html');
    assert.equal(other.headers['location'], 'http://forge.test/own/tools/blob/main/page.html');
  });

  test('raw bytes come as text or as nothing that runs', async () => {
    const text = await forge.anonymous.get('/own/tools/raw/main/page.html');
    assert.equal(text.text, '<script>alert(1)</script>\n');
    assert.equal(text.headers['content-type'], 'text/plain; charset=utf-8');
    assert.equal(text.headers['x-content-type-options'], 'nosniff');
    assert.match(text.headers['content-security-policy'] ?? '', /^default-src 'none';.* sandbox$/);
    const binary = await forge.anonymous.get('/own/tools/raw/HEAD/data.bin');
    assert.deepEqual([...binary.bytes], [0, 1, 2]);
    assert.equal(binary.headers['content-type'], 'application/octet-stream');
  });

  test('every URL that the interface gives for files, commits and branches is answered', async () => {
    const files = (await owner.get(`/repos/own/tools/pulls/${pull.number}/files`)).body;
    const commits = (await owner.get(`/repos/own/tools/pulls/${pull.number}/commits`)).body;
    const repository = (await owner.get('/repos/own/tools')).body;
    const raw = await forge.anonymous.get(page(files[0].raw_url));
    assert.equal(raw.text, 'const a = 2;\n');
    const pages = [
      files[0].blob_url,
      commits[0].html_url,
      commits[0].parents[0].html_url,
      repository.html_url,
      repository.owner.html_url,
      pull.html_url,
      `${pull.html_url}/files`,
      `${pull.html_url}/commits`,
      `${repository.html_url}/branches`,
      `${repository.html_url}/pulls`,
      `${repository.html_url}/commits/feature/x`,
      `${repository.html_url}/commits/main/docs`,
    ];
    for (const pageUrl of pages) await read(page(pageUrl));
  });

  test('a commit shows its message and what it changed', async () => {
    const sha = await forge.git
      .repository(await repositoryId(forge, 'own/tools'))
      .resolveCommit('feature/x');
    const coloured = await read(`/own/tools/commit/${sha}`);
    // A page has the highlighter's elements when they come in time.
    const text = coloured.replaceAll(/<\/?span\b[^>]*>/g, '');
    assert.match(text, /Because &lt;of&gt; it\./);
    assert.match(
      text,
      /<tr class="removed">.*-const a = <mark>&quot;&lt;i&gt;&quot;<\/mark>;<\/td>/s,
    );
    assert.match(text, /<tr class="added">.*\+const a = <mark>2<\/mark>;<\/td>/s);
    const diff = await forge.anonymous.get(`/own/tools/commit/${sha}.diff`);
    assert.match(diff.text, /^diff --git /);
    assert.equal(diff.headers['content-type'], 'text/plain; charset=utf-8');
  });

  test('a pull shows its text, commits and files; its diff and patch are those of the API', async () => {
    const text = await read(page(pull.html_url));
    assert.match(text, /A &lt;change&gt;/);
    assert.match(text, /<strong>bold<\/strong> <img src="x" alt="">/);
    assert.match(text, /Change a/);
    assert.match(text, /class="added"/);
    for (const format of ['diff', 'patch'] as const) {
      const byPage = await forge.anonymous.get(page(pull[`${format}_url`]));
      const byInterface = await owner.get(`/repos/own/tools/pulls/${pull.number}`, {
        accept: `application/vnd.github.v3.${format}`,
      });
      assert.equal(byPage.status, 200);
      assert.deepEqual(byPage.bytes, byInterface.bytes);
    }
  });

  test('a comparison is shown, and its diff and patch are those of the interface', async () => {
    const { body } = await owner.get('/repos/own/tools/compare/main...feature/x');
    assert.match(await read(page(body.html_url)), /ahead: 1 commit ahead,\s*0\s+behind/);
    await read(page(body.permalink_url));
    const diff = await forge.anonymous.get(page(body.diff_url));
    assert.match(diff.text, /^diff --git a\/src\/100%\/main\.ts/);
    assert.match((await forge.anonymous.get(page(body.patch_url))).text, /^From [0-9a-f]{40} /);
    assert.equal((await forge.anonymous.get('/own/tools/compare/main..feature/x')).status, 404);
  });

  test('a renamed repository leads to where it is now', async () => {
    await forge.repository(owner, { name: 'before', init: true });
    await owner.patch('/repos/own/before', { name: 'after' });
    const response = await forge.anonymous.get('/own/before/commits/main?page=2');
    assert.equal(response.status, 302);
    assert.equal(response.headers['location'], 'http://forge.test/own/after/commits/main?page=2');
  });

  test('invitations lead to the same page for every name', async () => {
    for (const name of ['hidden', 'none']) {
      const response = await forge.anonymous.get(`/own/${name}/invitations`);
      assert.equal(response.headers['location'], '/-/invitations');
    }
  });

  test('every account has a picture of its own', async () => {
    const { avatar_url: pageUrl } = (await owner.get('/users/own')).body;
    const picture = await forge.anonymous.get(page(pageUrl));
    assert.equal(picture.status, 200);
    assert.match(picture.headers['content-type'] ?? '', /^image\/svg\+xml/);
    const other = await forge.anonymous.get('/avatars/u/999');
    assert.notEqual(other.text, picture.text);
    assert.equal((await forge.anonymous.get('/avatars/u/x')).status, 404);
  });
});

describe('go get', () => {
  let forge: TestForge;
  let owner: TestUser;
  let guest: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    guest = await forge.user('guest');
    await forge.repository(owner, { name: 'tools', init: true });
    await forge.repository(owner, { name: 'hidden', private: true, init: true });
  });
  after(() => forge.close());

  // Without a User-Agent of a browser, as the program asks.
  const ask = (path: string, client: Pick<TestUser, 'get'> = forge.anonymous) =>
    client.get(path, { 'user-agent': 'Go-http-client/1.1' });

  test('gets the repository of a package, also for paths below it', async () => {
    for (const path of ['/own/tools', '/own/tools/', '/own/tools/sub/pkg', '/own/tools/api/v3/x']) {
      const response = await ask(`${path}?go-get=1`);
      assert.equal(response.status, 200, path);
      assert.match(response.headers['content-type'] ?? '', /^text\/html/);
      assert.match(
        response.text,
        /<meta\s+name="go-import"\s+content="forge\.test\/own\/tools git http:\/\/forge\.test\/own\/tools\.git"/,
      );
    }
    assert.doesNotMatch((await ask('/own/tools')).text, /go-import/);
  });

  test('keeps the letters it asked with, which are those of the import path', async () => {
    const response = await ask('/OWN/Tools/sub?go-get=1');
    assert.match(
      response.text,
      /content="forge\.test\/OWN\/Tools git http:\/\/forge\.test\/own\/tools\.git"/,
    );
    assert.equal((await owner.patch('/repos/own/tools', { name: 'gear' })).status, 200);
    const moved = await ask('/own/tools?go-get=1');
    assert.equal(moved.status, 200);
    assert.match(
      moved.text,
      /content="forge\.test\/own\/tools git http:\/\/forge\.test\/own\/gear\.git"/,
    );
    assert.equal((await owner.patch('/repos/own/gear', { name: 'tools' })).status, 200);
  });

  test('learns of a private repository only with credentials that may read it', async () => {
    for (const client of [forge.anonymous, guest]) {
      const hidden = await ask('/own/hidden/sub?go-get=1', client);
      const absent = await ask('/own/absent/sub?go-get=1', client);
      assert.equal(hidden.status, 404);
      assert.equal(hidden.text.replaceAll('hidden', 'absent'), absent.text);
      assert.doesNotMatch(hidden.text, /name="go-import"/);
    }
    assert.match((await ask('/own/hidden/sub?go-get=1', owner)).text, /name="go-import"/);
  });

  test('changes no other path', async () => {
    const api = await ask('/api/v3/repos/own/tools?go-get=1');
    assert.equal(api.body.full_name, 'own/tools');
    assert.equal((await ask('/repos/own/tools?go-get=1')).body.full_name, 'own/tools');
    assert.doesNotMatch((await ask('/own/tools?go-get=10')).text, /go-import/);
    assert.equal((await ask('/own?go-get=1')).status, 200);
    assert.equal((await ask('/-/go-import/api/v3')).status, 404);
    assert.equal((await ask('/own/%00?go-get=1')).status, 404);
  });
});

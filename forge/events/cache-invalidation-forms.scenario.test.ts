import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import Fastify from 'fastify';
import Type from 'typebox';

import { createApplication } from '../auth/create-application.ts';
import { findApplication } from '../auth/credential-store.ts';
import { oneTimePassword, stepAt } from '../auth/one-time-password.ts';
import { createPasswordSignIn } from '../auth/password-sign-in.ts';
import { createToken } from '../auth/create-token.ts';
import { TokenUses } from '../auth/token-use.ts';
import { notFound } from '../errors/api-error.ts';
import { createAuthenticate } from '../http/authentication.ts';
import { createTransferLimiter, slowPageLimits } from '../http/transfer-limiter.ts';
import { endpoints } from '../routes.ts';
import { authenticatorKey } from '../testing/authenticator-key.ts';
import { suggestionDigest } from '../review-comments/suggestion.ts';
import { ResponseSweep, type Write } from '../testing/response-sweep.ts';
import { makeSshKey } from '../testing/ssh-keys.ts';
import { createTestApp, type TestApp } from '../testing/test-app.ts';
import { createTestBrowser, signedInBrowser, type TestBrowser } from '../testing/test-browser.ts';
import type { TestForge, TestResponse } from '../testing/test-forge.ts';
import { accountSegment } from '../web/kit/page-paths.ts';
import { webPages } from '../web/web.ts';

type Fields = Readonly<Record<string, string>>;

describe('a response from the cache is the one that would be made after a form', () => {
  let sweep: ResponseSweep;
  let forge: TestForge;
  /** Of a site administrator, who owns the repository. */
  let own: TestBrowser;
  /** Of a member, whose sign-in is what changes. */
  let mate: TestBrowser;
  let app: TestApp;
  const application = { id: 0, clientId: '' };
  /** Without a callback, for the device flow. */
  let programId = '';
  let releaseId = 0;
  const formTokens = new Map<TestBrowser, string>();

  before(async () => {
    sweep = await ResponseSweep.open();
    ({ forge } = sweep);
    own = await signedInBrowser(forge, 'own');
    mate = await signedInBrowser(forge, 'mate');
    app = await createTestApp(forge, sweep.owner.account.id);
    const callbackUrl = 'https://tool.test/back';
    application.clientId = (
      await createApplication(forge.ports, { name: 'Site', callbackUrl })
    ).clientId;
    programId = (await createApplication(forge.ports, { name: 'Program' })).clientId;
    const stored = await forge.database.read((sql) => findApplication(sql, application.clientId));
    application.id = stored?.id ?? assert.fail('there is no application');
    await sweep.owner.post(sweep.at('/pulls/1/reviews'), { body: 'Pending' });
    const release = { tag_name: 'with-files', draft: true };
    releaseId = (await sweep.owner.post(sweep.at('/releases'), release)).body.id;
  });
  after(() => sweep.close());

  /** Sends a form as a page of the session would. */
  async function send(browser: TestBrowser, path: string, fields: Fields): Promise<TestResponse> {
    return browser.post(path, { form_token: await formTokenOf(browser), ...fields });
  }

  async function formTokenOf(browser: TestBrowser): Promise<string> {
    const known = formTokens.get(browser);
    if (known !== undefined) return known;
    const { text } = await browser.get('/settings/tokens');
    const [, token = assert.fail(text)] = /name="form_token" value="([^"]+)"/.exec(text) ?? [];
    formTokens.set(browser, token);
    return token;
  }

  /** Signs in anew, which a change of the session takes. */
  async function signIn(): Promise<TestResponse> {
    mate = createTestBrowser(forge);
    await mate.get('/login');
    return mate.submit('/session', { login: 'mate', password: 'p w' });
  }

  async function newestOf(
    table: 'tokens' | 'ssh_keys' | 'webhooks' | 'webhook_deliveries',
  ): Promise<string> {
    const row = await forge.database.read((sql) =>
      sql.get<{ id: number }>(`select max(id) as id from ${table}`),
    );
    return String(row?.id);
  }

  /** Forms that change something without an operation of the API; that of an operation is played as the operation. */
  function* writes(): Generator<Write> {
    const write = (path: string, play: Write['play']): Write => ({ name: path, play });
    const unseen = (path: string, play: Write['play']): Write => ({
      ...write(path, play),
      unseen: 'rows',
    });
    const here = (path: string, fields: Fields | (() => Fields) = {}): Write['play'] => {
      return () => send(own, path, typeof fields === 'function' ? fields() : fields);
    };
    yield* pullWrites(write, unseen, here);
    yield* accountWrites(write, unseen);
    // An edit is an operation, unless it moves the file.
    yield write('/:owner/:repo/files/update', async () => {
      const file = { message: 'Add', content: 'eA==', branch: 'main' };
      const { body } = await sweep.owner.put(sweep.at('/contents/moves.txt'), file);
      await sweep.warm();
      const moved = { from: 'moves.txt', path: 'moved.txt', sha: body.content.sha, content: 'x' };
      return send(own, '/acme/room/files/update', { ...moved, branch: 'main', target: 'present' });
    });
    yield write('/:owner/:repo/files/upload', async () => {
      const form = new FormData();
      const form_token = await formTokenOf(own);
      const fields = { form_token, branch: 'main', folder: '', target: 'present' };
      for (const [field, value] of Object.entries(fields)) form.append(field, value);
      form.append('files', new File(['up'], 'up.txt'));
      return own.upload('/acme/room/files/upload', form);
    });
    // Releases are not cached.
    yield unseen('/:owner/:repo/releases/upload', async () => {
      const form = new FormData();
      form.append('form_token', await formTokenOf(own));
      form.append('id', String(releaseId));
      form.append('files', new File(['up'], 'up.txt'));
      return own.upload('/acme/room/releases/upload', form);
    });
    yield* applicationWrites(unseen);
    yield* administrationWrites(write, unseen);
    yield* importWrites(unseen);
    const organization = { login: 'others', name: 'Others' };
    yield write('/-/orgs/new/create', here('/-/orgs/new/create', organization));
  }

  /** The discard port of this machine, where nothing answers. */
  function* importWrites(unseen: (path: string, play: Write['play']) => Write): Generator<Write> {
    const url = 'http://127.0.0.1:9/nothing';
    // Nothing is cached of a new repository.
    yield unseen('/-/import', () => send(own, '/-/import', { url, name: 'imported' }));
    // How far an import is, only its page shows; its push is one.
    yield unseen('/:owner/:repo/import/retry', async () => {
      for (;;) {
        const { text } = await own.get('/own/imported/import');
        if (text.includes('✗ Failed')) break;
        await new Promise((resolve) => setImmediate(resolve));
      }
      return send(own, '/own/imported/import/retry', {});
    });
  }

  function* pullWrites(
    write: (path: string, play: Write['play']) => Write,
    unseen: (path: string, play: Write['play']) => Write,
    here: (path: string, fields?: Fields | (() => Fields)) => Write['play'],
  ): Generator<Write> {
    const at = '/:owner/:repo/pull/:number';
    const pull = '/acme/room/pull/1';
    const thread = (): Fields => ({ thread: sweep.value('comment_id', '/pulls/') });
    yield write(`${at}/draft`, here(`${pull}/draft`));
    yield write(`${at}/ready`, here(`${pull}/ready`));
    yield write(`${at}/resolve`, here(`${pull}/resolve`, thread));
    yield write(`${at}/unresolve`, here(`${pull}/unresolve`, thread));
    const line = { path: 'a.txt', line: '1', side: 'RIGHT', body: 'L' };
    yield write(`${at}/line-comment`, here(`${pull}/line-comment`, line));
    // What someone has viewed is shown on pages and by GraphQL, which are not cached.
    yield unseen(`${at}/viewed`, async () => {
      const files = (await sweep.owner.get(sweep.at('/pulls/1/files'))).body;
      return send(own, `${pull}/viewed`, { view: `${files[0].sha}:${files[0].filename}` });
    });
    // Notifications are not cached, nor is what a user gets of them.
    for (const act of ['unsubscribe', 'subscribe']) {
      yield unseen(`${at}/${act}`, here(`${pull}/${act}`));
      yield unseen(`/:owner/:repo/issues/:number/${act}`, here(`/acme/room/issues/2/${act}`));
    }
    yield write(`${at}/enable-auto-merge`, async () => {
      await sweep.owner.patch(sweep.at(''), { allow_auto_merge: true });
      await sweep.owner.put(sweep.at('/branches/main/protection'), {
        required_status_checks: { strict: false, contexts: ['ci'] },
        enforce_admins: false,
        required_pull_request_reviews: null,
        restrictions: null,
      });
      await sweep.warm();
      return send(own, `${pull}/enable-auto-merge`, { merge_method: 'merge' });
    });
    yield write(`${at}/disable-auto-merge`, here(`${pull}/disable-auto-merge`));
    yield write(`${at}/apply-suggestions`, async () => {
      const { sha } = (await sweep.owner.get(sweep.at('/pulls/1'))).body.head;
      const { body } = await sweep.owner.post(sweep.at('/pulls/1/comments'), {
        ...line,
        line: 1,
        body: '```suggestion\nsuggested\n```',
        commit_id: sha,
      });
      await sweep.warm();
      return send(own, `${pull}/apply-suggestions`, {
        only: `${body.id}:0:${suggestionDigest(['suggested'])}`,
      });
    });
  }

  /** Sessions, second factors and tokens authenticate; no response shows them. */
  function* accountWrites(
    write: (path: string, play: Write['play']) => Write,
    unseen: (path: string, play: Write['play']) => Write,
  ): Generator<Write> {
    const security = '/settings/security';
    const password = 'p w';
    let key: Uint8Array = new Uint8Array();
    /** Each code is good once. */
    const nextCode = (): string => {
      forge.clock.advance(30_000);
      return oneTimePassword(key, stepAt(forge.clock.now()));
    };
    yield unseen('/session', signIn);
    // A password is in the row of the account, and accounts are in every response.
    yield write(`${security}/password`, () =>
      send(mate, `${security}/password`, {
        password,
        new_password: password,
        repeated_password: password,
      }),
    );
    yield write('/settings/emails/primary', async () => {
      const email = 'second@own.test';
      await sweep.owner.post('/user/emails', { emails: [email] });
      await sweep.warm();
      return send(own, '/settings/emails/primary', { email });
    });
    yield unseen('/settings/profile/preferences', () =>
      send(own, '/settings/profile/preferences', { theme: 'dark', time_zone: 'Asia/Tokyo' }),
    );
    yield unseen(`${security}/enable`, async () => {
      await signIn();
      const { text } = await mate.get(`${security}?two-factor=set-up`);
      key = authenticatorKey(text);
      return mate.submit(`${security}/enable`, { password, code: nextCode() });
    });
    yield unseen('/sessions/two-factor', async () => {
      const awaiting = await signIn();
      await mate.get(awaiting.headers['location'] ?? '');
      return mate.submit('/sessions/two-factor', { code: nextCode() });
    });
    yield unseen(`${security}/disable`, () =>
      send(mate, `${security}/disable`, { password, code: nextCode() }),
    );
    yield unseen(`${security}/end-session`, () =>
      send(mate, `${security}/end-session`, { session: '0'.repeat(64) }),
    );
    yield unseen(`${security}/end-others`, () => send(mate, `${security}/end-others`, {}));
    yield unseen('/logout', () => send(mate, '/logout', {}));
    yield unseen('/settings/tokens', () =>
      send(own, '/settings/tokens', { note: 'Ci', scopes: 'repo' }),
    );
    yield unseen('/settings/tokens/:id/delete', async () =>
      send(own, `/settings/tokens/${await newestOf('tokens')}/delete`, {}),
    );
  }

  /** What users grant to applications and Apps decides about access, before the cache is asked. */
  function* applicationWrites(
    unseen: (path: string, play: Write['play']) => Write,
  ): Generator<Write> {
    const program = async (path: string, fields: Fields): Promise<TestResponse> =>
      forge.anonymous.send('POST', path, {
        body: new URLSearchParams({ client_id: programId, ...fields }).toString(),
        headers: {
          accept: 'application/json',
          'content-type': 'application/x-www-form-urlencoded',
        },
      });
    const device = '/login/device';
    const codes = { device_code: '', user_code: '' };
    yield unseen('/login/oauth/authorize', () => {
      const asked = { client_id: application.clientId, scope: 'repo', authorize: '1' };
      return send(own, '/login/oauth/authorize', asked);
    });
    yield unseen(`${device}/code`, async () => {
      const response = await program(`${device}/code`, { scope: 'repo' });
      Object.assign(codes, response.body);
      return response;
    });
    yield unseen(device, () => send(own, device, { user_code: codes.user_code }));
    yield unseen(`${device}/authorize`, () =>
      send(own, `${device}/authorize`, { user_code: codes.user_code, authorize: '1' }),
    );
    yield unseen('/login/oauth/access_token', async () => {
      const response = await program('/login/oauth/access_token', {
        device_code: codes.device_code,
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      });
      assert.match(response.body.access_token ?? response.text, /^hob_/);
      return response;
    });
    yield unseen('/settings/applications/:id/revoke', () =>
      send(own, `/settings/applications/${application.id}/revoke`, {}),
    );
    const manifest = JSON.stringify({
      name: 'Made',
      url: 'https://app.test/',
      redirect_url: 'https://app.test/back',
    });
    for (const path of ['/settings/apps/new', '/organizations/:org/settings/apps/new']) {
      yield unseen(path, async () => {
        const response = await send(own, path.replace(':org', 'acme'), { manifest });
        assert.equal(response.status, 303, 'a code, not a question');
        return response;
      });
    }
    yield unseen('/apps/:slug/installations/new', () =>
      send(own, `/apps/${app.app.slug}/installations/new`, { account: 'acme', selection: 'all' }),
    );
    yield unseen('/settings/installations/:id/delete', async () => {
      const { id } = await app.install('acme');
      return send(own, `/settings/installations/${id}/delete`, {});
    });
  }

  function* administrationWrites(
    write: (path: string, play: Write['play']) => Write,
    unseen: (path: string, play: Write['play']) => Write,
  ): Generator<Write> {
    const at = '/-/admin/users/:user';
    const administer = (act: string, fields: Fields = {}): Promise<TestResponse> =>
      send(own, `/-/admin/users/mate/${act}`, fields);
    yield write(`${at}/promote`, () => administer('promote'));
    yield write(`${at}/demote`, () => administer('demote'));
    yield write(`${at}/suspend`, () => administer('suspend'));
    yield write(`${at}/unsuspend`, () => administer('unsuspend'));
    yield write(`${at}/set-password`, () =>
      administer('set-password', { password: 'another one' }),
    );
    yield unseen(`${at}/end-sessions`, () => administer('end-sessions'));
    yield unseen(`${at}/revoke-token`, async () => {
      await createToken(forge.ports, { login: 'mate', scopes: [], note: 'Ci' });
      return administer('revoke-token', { id: await newestOf('tokens') });
    });
    yield unseen(`${at}/revoke-key`, async () => {
      await sweep.mate.post('/user/keys', { key: makeSshKey().publicKey });
      return administer('revoke-key', { id: await newestOf('ssh_keys') });
    });
    yield unseen('/-/admin/tokens/revoke', async () => {
      await createToken(forge.ports, { login: 'mate', scopes: [], note: 'Ci' });
      return send(own, '/-/admin/tokens/revoke', { id: await newestOf('tokens') });
    });
    for (const act of ['retry', 'give-up']) {
      yield unseen(`/-/admin/queues/${act}`, () =>
        send(own, `/-/admin/queues/${act}`, { queue: 'webhook_deliveries' }),
      );
    }
    yield unseen('/-/admin/webhooks/redeliver', async () => {
      const webhook = await newestOf('webhooks');
      await forge.database.write(async (sql) => {
        await sql.run('update webhooks set active = 1 where id = $1', Number(webhook));
        await sql.run(
          `insert into webhook_deliveries (webhook_id, event, facts, guid, status_code, status, delivered_at, created_at)
           values ($1, 'ping', '{}', 'guid', 500, 'failed', 1, 1)`,
          Number(webhook),
        );
      });
      const delivery = await newestOf('webhook_deliveries');
      return send(own, '/-/admin/webhooks/redeliver', { webhook, delivery });
    });
    yield unseen('/-/admin/keys/revoke', async () => {
      await sweep.mate.post('/user/keys', { key: makeSshKey().publicKey });
      return send(own, '/-/admin/keys/revoke', { id: await newestOf('ssh_keys') });
    });
  }

  test('every form that does not perform an operation is played', async () => {
    const played = new Set([...writes()].map(({ name }) => name));
    const forms: string[] = [];
    let performed = false;
    const observed = endpoints.map((endpoint) => ({
      ...endpoint,
      access: { kind: 'user', scopes: [] } as const,
      bodySchema: Type.Object({}),
      run: async () => {
        performed = true;
        return notFound();
      },
    }));
    const { ports } = forge;
    const passwords = createPasswordSignIn(ports);
    const authenticate = createAuthenticate(ports, passwords, new TokenUses(ports));
    const transfers = createTransferLimiter();
    const server = Fastify();
    server.addHook('onRoute', ({ method, url }) => {
      if (method === 'POST') forms.push(url.replace(accountSegment, ':owner'));
    });
    const slow = createTransferLimiter(slowPageLimits);
    const parts = {
      authenticate,
      passwords,
      endpoints: observed,
      transfers,
      slow,
      limits: undefined,
    };
    await server.register(webPages(ports, parts).register);
    await server.ready();
    try {
      const form_token = await formTokenOf(own);
      const cookie = `hob_session=${own.cookies.get('hob_session')}`;
      const missing: string[] = [];
      for (const path of forms.filter((each) => !played.has(each))) {
        performed = false;
        await server.inject({
          method: 'POST',
          url: filled(path),
          headers: {
            host: 'forge.test',
            cookie,
            'content-type': 'application/x-www-form-urlencoded',
          },
          body: new URLSearchParams({ form_token, ...anyField }).toString(),
        });
        if (!performed) missing.push(path);
      }
      assert.deepEqual(missing, [], 'give each a row');
      assert.deepEqual(
        [...played].filter((path) => !forms.includes(path)),
        [],
        'not a form',
      );
    } finally {
      await server.close();
    }
  });

  test('whatever a form writes', () => sweep.play(writes()));
});

function filled(path: string): string {
  const values: Fields = { owner: 'acme', repo: 'room', org: 'acme', team: 'crew', user: 'mate' };
  return path.replace(/:(\w+)/g, (_, name: string) => values[name] ?? '1');
}

/** What forms need before they perform their operation. */
const anyField: Fields = {
  branch: 'side',
  confirm: 'acme/room',
  delivery: '1',
  asset: '1',
  id: '1',
  from: 'main',
  invitation: '1',
  key_id: '1',
  line: '1',
  milestone: '1',
  reviewers: 'mate',
  target: 'issuecomment-1',
  thread: '1',
  until: '2020-01-01T00:00:00Z',
};

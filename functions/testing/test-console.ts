import { registerAssets } from '#web/asset-routes.ts';
import { readCookie } from '#web/cookies.ts';
import { html } from '#web/html.ts';
import type { SignedInUser, Site, Visit } from '#web/site.ts';
import { type Browser, openBrowser } from '#web/testing/test-browser.ts';

import { administrationPages } from '../web/kit/paths.ts';
import { createConsole } from '../functions.ts';
import { createAccessKey } from '../access-keys/administer-access-keys.ts';
import {
  createTestFunctions,
  type TestResponse,
  type TestFunctions,
  type TestOptions,
} from './test-functions.ts';

/** The function service with its pages, on a site where a test says who is signed in. */
export interface TestConsole extends TestFunctions {
  /** A browser in which nobody is signed in. */
  anonymous(): Browser<TestResponse>;
  /** A browser with the session of a new user; they have an access key unless the test says otherwise. */
  signedIn(
    login: string,
    options?: { accessKey?: boolean; siteAdmin?: boolean },
  ): Promise<Browser<TestResponse>>;
  /** Ends every session of this browser. */
  signOut(browser: Browser<TestResponse>): void;
  /** From now on the server is stopping. */
  beginStop(): void;
}

export async function createTestConsole(options: TestOptions = {}): Promise<TestConsole> {
  const users = new Map<string, SignedInUser>();
  const stopping = { value: false };
  const functions = await createTestFunctions({
    ...options,
    pages: (ports) => async (server) => {
      registerAssets(server);
      await server.register(createConsole(ports, siteOf(users, stopping)));
    },
  });
  const { database } = functions.ports;
  const anonymous = (): Browser<TestResponse> =>
    openBrowser((method, target, request) => functions.send({ method, target, ...request }));
  return {
    ...functions,
    anonymous,
    signOut(browser) {
      users.delete(browser.cookies.get('hob_session') ?? '');
    },
    beginStop() {
      stopping.value = true;
    },
    async signedIn(login, { accessKey = true, siteAdmin = false } = {}) {
      const row = await database.write(async (sql) => {
        await sql.run(
          `insert into accounts (kind, login, login_key, site_admin, created_at, updated_at)
           values ('user', $1, $1, $2, 0, 0)`,
          login,
          siteAdmin ? 1 : 0,
        );
        return sql.get<{ id: number }>('select id from accounts where login = $1', login);
      });
      if (!row) throw new Error(`${login} was not inserted.`);
      if (accessKey) await createAccessKey(functions.ports, row.id);
      const secret = Buffer.from(functions.ports.random.bytes(32)).toString('base64url');
      users.set(secret, { id: row.id, login, siteAdmin, secret });
      const browser = anonymous();
      browser.cookies.set('hob_session', secret);
      return browser;
    },
  };
}

export const consoleHost = 'functions.test';
const baseUrl = `http://${consoleHost}`;

function siteOf(
  users: ReadonlyMap<string, SignedInUser>,
  stopping: { readonly value: boolean },
): Site {
  const visitOf = (pageUrl: string, user?: SignedInUser): Visit => ({
    baseUrl,
    user,
    frame: {
      links: [{ href: '/', label: 'Home' }],
      pageUrl,
      account: html`${user?.login}`,
      forms: user !== undefined,
    },
    signInPath: `/login?return_to=${encodeURIComponent(pageUrl)}`,
    administration: administrationPages,
  });
  return {
    async visit({ url, headers }) {
      return visitOf(url, users.get(readCookie(headers.cookie, 'session', baseUrl) ?? ''));
    },
    visitUnknown: ({ url }) => visitOf(url),
    isStopping: () => stopping.value,
  };
}

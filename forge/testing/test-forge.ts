import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { FastifyInstance } from 'fastify';

import { createBackgroundWork } from '#platform/background.ts';
import type { Database } from '#platform/database/database.ts';
import { createSerialQueues } from '#platform/serial-queues.ts';
import { currentLineage, setRequestLineage } from '#platform/invocation-lineage.ts';
import { createLog } from '#platform/log.ts';
import { PendingWork } from '#platform/pending-work.ts';
import { present } from '#platform/present.ts';
import { systemRandom } from '#platform/random.ts';
import { openTestDatabase } from '#platform/testing/test-database.ts';

import { insertToken } from '../auth/credential-store.ts';
import type { Scope } from '../model/scopes.ts';
import { makeToken, sha256 } from '../auth/token.ts';
import { insertAccount, putMember } from '../accounts/account-store.ts';
import type { Account } from '../model/account.ts';
import { createForgeServer } from '../forge.ts';
import type { Git } from '../git/git.ts';
import { openAssetFiles } from '../releases/asset-files.ts';
import type { Ports, ForgeSettings } from '../ports/ports.ts';
import { writeAccounts } from '../events/invalidate.ts';
import type { Declaration } from '../routing/endpoint.ts';
import { checkResponse } from './check-response.ts';
import { movableClock, type MovableClock } from './movable-clock.ts';
import { readResponse } from './read-answer.ts';
import { openSharedGit } from './shared-git.ts';
import { createSecretWatch } from './secret-watch.ts';
import { testPasswords, testSealing, testSettings } from './test-ports.ts';

/** What a test sees of a response. `body` is the parsed JSON of JSON responses, else undefined. */
export interface TestResponse {
  readonly status: number;
  readonly headers: Record<string, string | undefined>;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests reach into answers of every shape
  readonly body: any;
  readonly text: string;
  /** As they were sent, compressed or not. */
  readonly bytes: Buffer;
}

export interface TestRequest {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** A user who sends requests. */
export interface TestClient {
  send(method: string, path: string, request?: TestRequest): Promise<TestResponse>;
  get(path: string, headers?: Record<string, string>): Promise<TestResponse>;
  post(path: string, body?: unknown): Promise<TestResponse>;
  put(path: string, body?: unknown): Promise<TestResponse>;
  patch(path: string, body?: unknown): Promise<TestResponse>;
  delete(path: string, body?: unknown): Promise<TestResponse>;
}

export interface TestUser extends TestClient {
  readonly account: Account;
  readonly login: string;
  readonly token: string;
}

export interface TestForge {
  readonly ports: Ports;
  readonly database: Database;
  readonly git: Git;
  /** Moves on by what a test says; stands still otherwise. */
  readonly clock: MovableClock;
  readonly anonymous: TestClient;
  /** A new user with a token of all scopes, or of those named. */
  user(
    login?: string,
    options?: { scopes?: readonly Scope[]; siteAdmin?: boolean },
  ): Promise<TestUser>;
  /** Another credential of the same account. */
  withScopes(user: TestUser, scopes: readonly Scope[]): Promise<TestUser>;
  organization(owner: TestUser, login?: string): Promise<Account>;
  /** A repository made over the interface; `owner/name`. */
  repository(
    owner: TestUser,
    options?: { name?: string; private?: boolean; init?: boolean },
  ): Promise<string>;
  /** Opens a loopback port for real clients; gives `host:port`. */
  listen(): Promise<string>;
  close(): Promise<void>;
}

const allScopes: readonly Scope[] = [
  'repo',
  'admin:org',
  'admin:public_key',
  'user',
  'delete_repo',
  'notifications',
  'site_admin',
];

type ReplaceablePort =
  | 'assetFiles'
  | 'counters'
  | 'functionTargets'
  | 'ownsShardOf'
  | 'pushListener'
  | 'reconciliation'
  | 'recordSiteAct'
  | 'ssh';
/**
 * A whole forge on a fresh database and real git, asked without a socket. Every 2xx JSON response is held against the
 * published descriptions of its operation, and a mismatch fails the test that sent the request. So does a response that contains a
 * secret, a hash, a stack or a folder of the host; the log is searched at the end.
 */
export async function startTestForge(
  overrides: Partial<ForgeSettings> = {},
  parts: Partial<Pick<Ports, ReplaceablePort>> = {},
): Promise<TestForge> {
  const folder = await mkdtemp(join(tmpdir(), 'hob-test-'));
  const database = await openTestDatabase();
  const git = await openSharedGit();
  const clock = movableClock();
  const background = createBackgroundWork({
    onError: (error) => {
      throw error;
    },
  });
  const logged: string[] = [];
  const log = createLog('debug', (line) => logged.push(line));
  const ports: Ports = {
    database,
    git,
    assetFiles: await openAssetFiles(join(folder, 'assets')),
    clock,
    serverId: 'test-server',
    background,
    serialQueues: createSerialQueues(),
    log,
    reconciliation: new PendingWork(),
    ...parts,
    settings: { ...testSettings, ...overrides },
    passwords: testPasswords,
    randomBytes: (count) => systemRandom.bytes(count),
    sealing: testSealing(),
  };
  const watch = createSecretWatch();
  // Which operation answered which request, by the request's id.
  const operations = new Map<string, Declaration>();
  let open: FastifyInstance | undefined = await createForgeServer(ports, {
    // Stands for the listener inside of a sandbox: what a test sends in a chain of requests, a function has sent.
    received: (request) => setRequestLineage(request, currentLineage()),
    observe: (requestId, endpoint) => {
      if (endpoint) operations.set(requestId, endpoint.declaration);
    },
    log,
  });
  const running = (): FastifyInstance => {
    if (!open) throw new Error('The forge is closed.');
    return open;
  };
  const send = async (
    authorization: string | undefined,
    method: string,
    path: string,
    request: TestRequest = {},
  ): Promise<TestResponse> => {
    const response = await running().inject({
      method: method as 'GET',
      url: path,
      headers: {
        'user-agent': 'hob-test',
        host: 'forge.test',
        ...present({ authorization }),
        ...request.headers,
      },
      ...(request.body === undefined ? {} : { payload: payloadOf(request.body) }),
    });
    const parsed = readResponse(response);
    checkResponse(parsed, method, path, operations);
    watch.checkResponse(method, path, request, parsed);
    return parsed;
  };
  let serial = 0;
  const client = (authorization: string | undefined): TestClient =>
    clientOf((...rest) => send(authorization, ...rest));
  const withToken = async (account: Account, scopes: readonly Scope[]): Promise<TestUser> => {
    const token = makeToken(systemRandom.bytes(32));
    await database.write((sql) =>
      insertToken(sql, {
        accountId: account.id,
        sha256: sha256(token),
        lastEight: token.slice(-8),
        note: null,
        scopes,
        now: clock.now(),
      }),
    );
    watch.know(token);
    return { ...client(`token ${token}`), account, login: account.login, token };
  };
  return {
    ports,
    database,
    git,
    clock,
    anonymous: client(undefined),
    async user(login, options = {}) {
      serial += 1;
      const name = login ?? `user-${serial}`;
      const account = await writeAccounts(database, (sql) =>
        insertAccount(sql, {
          kind: 'user',
          login: name,
          name: `The ${name}`,
          email: `${name}@example.test`,
          siteAdmin: options.siteAdmin ?? false,
          now: clock.now(),
        }),
      );
      return withToken(account, options.scopes ?? allScopes);
    },
    withScopes: (user, scopes) => withToken(user.account, scopes),
    async organization(owner, login) {
      serial += 1;
      return writeAccounts(database, async (sql) => {
        const account = await insertAccount(sql, {
          kind: 'organization',
          login: login ?? `org-${serial}`,
          now: clock.now(),
        });
        await putMember(sql, account.id, owner.account.id, 'admin');
        return account;
      });
    },
    async repository(owner, options = {}) {
      serial += 1;
      const response = await owner.post('/user/repos', {
        name: options.name ?? `repo-${serial}`,
        private: options.private ?? false,
        auto_init: options.init ?? false,
      });
      assert.equal(response.status, 201, response.text);
      return response.body.full_name;
    },
    async listen() {
      const url = await running().listen({ host: '127.0.0.1', port: 0 });
      return new URL(url).host;
    },
    async close() {
      await background.idle();
      // What waits to be tried again must not run once the database is closed: its error would end the test process.
      await background.close();
      const server = running();
      // Node retains what the functions of a suite refer to until the process ends, and the routes of a forge are megabytes.
      open = undefined;
      const closed = server.close();
      // A connection that sent no request is not idle to Node, and stays for the 72 s of Fastify's keep-alive timeout.
      server.server.closeAllConnections();
      await closed;
      await git.close();
      await database.close();
      await rm(folder, { recursive: true, force: true });
      for (const line of logged.splice(0)) watch.checkLogLine(line);
      operations.clear();
    },
  };
}

export function clientOf(send: TestClient['send']): TestClient {
  const withBody =
    (method: string) =>
    (path: string, body?: unknown): Promise<TestResponse> =>
      send(method, path, body === undefined ? {} : { body });
  return {
    send,
    get: (path, headers) => send('GET', path, headers === undefined ? {} : { headers }),
    post: withBody('POST'),
    put: withBody('PUT'),
    patch: withBody('PATCH'),
    delete: withBody('DELETE'),
  };
}

function payloadOf(body: unknown): string | Buffer {
  return typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
}

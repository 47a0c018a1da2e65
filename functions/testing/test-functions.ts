import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import Fastify, { type FastifyPluginAsync } from 'fastify';

import { systemClock, type Clock } from '#platform/clock.ts';
import type { Database } from '#platform/database/database.ts';
import { systemRandom } from '#platform/random.ts';
import { openTestDatabase } from '#platform/testing/test-database.ts';

import { codeBytesOfAccountMax } from '#functions-contract/limits.ts';

import { createCredentials } from '../access-keys/find-credential.ts';
import { createSessionTokens } from '../access-keys/session-tokens.ts';
import { openAuditLog } from '../audit/audit-log.ts';
import { openCodeFiles } from '../code/code-files.ts';
import { createCodeStorageQuota } from '../code/code-storage-quota.ts';
import { measureCode } from '../code/code-store.ts';
import { openImages } from '../code/images/images.ts';
import { createFolderObjects } from '../code/objects/object-store.ts';
import { zipOf } from '../code/testing/zip-of.ts';
import {
  noConfiguredResources,
  type ConfiguredResources,
} from '../configured-resources/configured-resources.ts';
import { openTestDurable } from '../durable-executions/testing/open-test-durable.ts';
import { createFunctions } from '../functions.ts';
import { createKeyRing } from '../keys/key-ring.ts';
import { openServiceKey } from '../keys/service-key.ts';
import { createLayerLookup } from '../layers/find-layer.ts';
import type { FunctionPorts } from '../http/call.ts';
import { openInvocations } from '../open-function-runs.ts';
import { createInactivityReaper, type InactivityReaper } from '../provisioning/deactivate.ts';
import { operationHandlers } from '../routes.ts';
import { functionServicePath } from '../other-services/function-service-path.ts';
import { onlyNode } from '../ports/home-nodes.ts';
import type { FunctionSettings } from '../ports/system-ports.ts';
import { createSignatureVerifier } from '../signing/signature-verifier.ts';
import { createFakeEnvironments, type FakeEnvironments } from './fake-environments.ts';
import { requestOf } from './request-of.ts';
import { createTestBackground } from './test-background.ts';
import { createTestCredentials } from './test-credentials.ts';

/** What a test sees of an answer. */
export interface TestResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The parsed JSON of JSON answers, else undefined. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests reach into answers of every shape
  readonly body: any;
  readonly text: string;
  readonly bytes: Buffer;
}

export interface TestRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS' | 'PATCH';
  /** As it goes over the wire. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface TestFunctions {
  readonly ports: FunctionPorts;
  readonly environments: FakeEnvironments;
  /** Looks for unused functions when a test calls it. */
  readonly inactivity: InactivityReaper;
  readonly clock: Clock & { advance(milliseconds: number): void };
  readonly folder: string; // In it: `buckets` and, in OCI layouts, `layouts`.
  /** Calls an operation the way the clients do. */
  call(operation: string, input?: Readonly<Record<string, unknown>>): Promise<TestResponse>;
  send(request: TestRequest): Promise<TestResponse>;
  /** A function that is ready; the answer to its creation. */
  create(name: string, given?: Readonly<Record<string, unknown>>): Promise<TestResponse>;
  untilProvisioned(): Promise<void>;
  /** Opens a loopback port for real clients; gives `http://host:port`. */
  listen(): Promise<string>;
  close(): Promise<void>;
}

export interface TestOptions {
  /** Receives failures of background work; by default they fail the test. */
  readonly onFault?: (error: unknown) => void;
  readonly settings?: Partial<FunctionSettings>;
  readonly configured?: Partial<ConfiguredResources>;
  readonly fileResources?: Partial<ConfiguredResources>;
  readonly repositories?: FunctionPorts['repositories'];
  readonly branches?: FunctionPorts['branches'];
  readonly homes?: FunctionPorts['homes'];
  readonly pages?: (ports: FunctionPorts) => FastifyPluginAsync;
  readonly isShared?: boolean; // Whether other servers add code to the database.
  readonly database?: Database; // that the test closes itself; by default a fresh one
}

export const testRole = 'arn:aws:iam::123456789012:role/worker';
export const testAccount = '123456789012';
export const testServerId = 'test-server';
export const testRegion = 'us-east-1';
/** ARN of a function of the test's account. */
export function arnOf(name: string): string {
  return `arn:aws:lambda:${testRegion}:${testAccount}:function:${name}`;
}

/** Code that nothing here runs. */
export const testZip: Buffer = zipOf({ 'index.mjs': 'export const handler = async () => ({})' });

/** The whole function service on a fresh database, asked without a socket; only the environments are no real ones. */
export async function createTestFunctions(options: TestOptions = {}): Promise<TestFunctions> {
  const folder = await mkdtemp(join(tmpdir(), 'hob-functions-'));
  const database = options.database ?? (await openTestDatabase());
  const clock = movableClock();
  const environments = createFakeEnvironments();
  const { homes = onlyNode, onFault } = options;
  const background = createTestBackground(onFault);
  const common = { database, clock, environments, background, homes, random: systemRandom };
  const inactivity = createInactivityReaper(common, inactiveSeconds * 1000);
  const parts = { ...common, folder, inactivity };
  const ports = await portsOf(options, parts);
  const server = Fastify({
    rewriteUrl: (request) => functionServicePath(request) ?? request.url ?? '/',
    routerOptions: { maxParamLength: 4096, ignoreTrailingSlash: true },
  });
  await server.register(createFunctions(ports));
  if (options.pages) await server.register(options.pages(ports));
  const operations = new Map(
    operationHandlers(ports).map(({ operation }) => [operation.name, operation]),
  );

  async function send({ method, target, headers, body }: TestRequest): Promise<TestResponse> {
    const response = await server.inject({
      method,
      url: target,
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : { payload: body }),
    });
    return answerOf(response.statusCode, response.headers, response.rawPayload);
  }

  async function call(name: string, input = {}): Promise<TestResponse> {
    const operation = operations.get(name);
    if (!operation) throw new Error(`No operation ${name} is served.`);
    return send(requestOf(operation, input));
  }

  return {
    ports,
    environments,
    inactivity,
    clock,
    folder,
    call,
    send,
    async create(name, given = {}) {
      const created = await call('CreateFunction', {
        FunctionName: name,
        Role: testRole,
        Runtime: 'nodejs24.x',
        Handler: 'index.handler',
        Code: { ZipFile: testZip },
        ...given,
      });
      if (created.status !== 201) throw new Error(`CreateFunction: ${created.text}`);
      await ports.background.idle();
      return created;
    },
    untilProvisioned: () => ports.background.idle(),
    listen: () => server.listen({ host: '127.0.0.1', port: 0 }),
    async close() {
      await server.close();
      await ports.events.close();
      await ports.durable.close();
      await ports.background.close();
      await environments.close();
      await ports.audit.close();
      if (!options.database) await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const inactiveSeconds = 86_400;

interface Parts extends Pick<FunctionPorts, 'database' | 'clock' | 'background' | 'homes'> {
  readonly folder: string;
  readonly environments: FakeEnvironments;
  readonly inactivity: InactivityReaper;
}

async function portsOf(
  { settings: wanted, configured, fileResources, repositories, branches, isShared }: TestOptions,
  { folder, database, clock, environments, background, homes, inactivity }: Parts,
): Promise<FunctionPorts> {
  const settings: FunctionSettings = {
    region: testRegion,
    accountId: testAccount,
    allowUnsigned: true,
    baseUrl: 'http://functions.test:3000',
    loopbackBaseUrls: new Map(),
    urlDomain: 'localhost',
    minimumInProgressMilliseconds: 0,
    idleEnvironmentSeconds: 60,
    inactiveSeconds,
    environmentsMax: 100,
    codeBytesMax: codeBytesOfAccountMax,
    sharedFolders: [],
    sharedHosts: [],
    ...wanted,
  };
  const random = systemRandom;
  const basics = { database, clock, random, homes, settings, serverId: testServerId };
  const invocations = openInvocations({
    ...basics,
    environments,
    inactivity,
    configured: { ...noConfiguredResources, ...configured },
    // Failed work is due again immediately; nothing runs unless a test starts it.
    timings: { retryMilliseconds: [0, 0], delayMilliseconds: 1000 },
    onError: (error) => {
      throw error;
    },
  });
  const serviceKey = await openServiceKey({ database, clock, random, folder });
  const server = { id: testServerId, host: 'machine' };
  const measure = (): Promise<number> => database.read(measureCode);
  return {
    ...invocations.run,
    events: invocations.events,
    durable: openTestDurable({ ...invocations.run, ...basics }),
    ...basics,
    background,
    configured: { ...noConfiguredResources, ...configured },
    fileResources: { ...noConfiguredResources, ...fileResources },
    dataDirectory: folder,
    serviceKey,
    keys: createKeyRing({ database, clock, random, serviceKey, accountRegion: settings }),
    signatures: createSignatureVerifier({
      credentials: createTestCredentials(
        testAccount,
        createCredentials({
          database,
          serviceKey,
          sessionTokens: createSessionTokens({ clock, random, serviceKey }),
          accountId: testAccount,
        }),
      ),
      clock: systemClock,
      region: settings.region,
      accountId: settings.accountId,
      allowUnsigned: settings.allowUnsigned,
      unsignedPayloads: 'refused',
    }),
    audit: await openAuditLog({ path: join(folder, 'audit.log'), clock, server, onLost: () => {} }),
    objects: createFolderObjects(join(folder, 'buckets')),
    repositories,
    branches,
    images: await openImages(join(folder, 'images'), join(folder, 'layouts')),
    code: await openCodeFiles(join(folder, 'code')),
    codeStorage: createCodeStorageQuota(settings.codeBytesMax, measure, isShared),
    layers: createLayerLookup(database, settings),
    logFolder: join(folder, 'logs'),
  };
}

function movableClock(): Clock & { advance(milliseconds: number): void } {
  let now = Date.parse('2026-01-02T03:04:05.678Z');
  return {
    now: () => now,
    advance(milliseconds) {
      now += milliseconds;
    },
  };
}

function answerOf(
  status: number,
  headers: Readonly<Record<string, number | string | string[] | undefined>>,
  bytes: Buffer,
): TestResponse {
  const text = bytes.toString();
  const json = String(headers['content-type'] ?? '').startsWith('application/json');
  return {
    status,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value?.toString()]),
    ),
    body: json && text !== '' ? parsed(text) : undefined,
    text,
    bytes,
  };
}

/** Functions may answer anything under that type. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

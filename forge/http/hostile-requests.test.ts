import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';

import { present } from '#platform/present.ts';

import { endpoints } from '../routes.ts';
import { pathIn, furnish, type FurnishedRepository } from '../testing/furnished-repository.ts';
import {
  hostileAuthorization,
  hostileBody,
  hostileHeaders,
  hostileQuery,
  hostileSegment,
} from '../testing/hostile-values.ts';
import { databaseFingerprint } from '../testing/database-fingerprint.ts';
import {
  startTestForge,
  type TestResponse,
  type TestForge,
  type TestUser,
} from '../testing/test-forge.ts';
import type { Endpoint } from '../routing/endpoint.ts';

/** The same requests at every run; a failure names the seed and the path to it. */
const seed = 20_200_101;
const runsPerEndpoint = 5;
const slowestMilliseconds = 5000;

const codes: ReadonlySet<string> = new Set([
  'missing',
  'missing_field',
  'invalid',
  'already_exists',
  'unprocessable',
  'custom',
  'too_large',
]);

type Fingerprint = Awaited<ReturnType<typeof databaseFingerprint>>;

interface HostileRequest {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly authorization: string | undefined;
  readonly who: 'owner' | 'stranger' | 'nobody';
  readonly body: Buffer | undefined;
}

describe('hostile requests', () => {
  let forge: TestForge;
  let owner: TestUser;
  let outsider: TestUser;
  let repository: FurnishedRepository;
  /** Of the database since the last request, where that was refused. */
  let known: Fingerprint | undefined;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own', { siteAdmin: true });
    outsider = await forge.user('stranger');
    await forge.user('guest');
    await forge.organization(owner, 'acme');
    await owner.post('/orgs/acme/teams', { name: 'crew', privacy: 'closed' });
    repository = await furnish(forge, owner, { name: 'room' });
  });
  after(() => forge.close());

  for (const [index, endpoint] of inOrderOfHarm(endpoints).entries()) {
    const { method, path } = endpoint.declaration;
    test(`${method} ${path}`, async () => {
      await fc.assert(
        fc.asyncProperty(requestTo(endpoint), async (request) => {
          await ask(endpoint, request);
        }),
        { seed: seed + index, numRuns: runsPerEndpoint, endOnFailure: true },
      );
    });
  }

  function requestTo(endpoint: Endpoint): Arbitrary<HostileRequest> {
    return fc
      .record({
        path: pathOf(endpoint),
        query: hostileQuery,
        headers: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, hostileHeaders),
        authorization: hostileAuthorization,
        who: fc.constantFrom('owner', 'owner', 'owner', 'owner', 'stranger', 'nobody'),
        body:
          endpoint.declaration.method === 'GET'
            ? fc.constant(undefined)
            : hostileBody(endpoint.bodySchema),
      })
      .map(({ path, query, ...rest }) => ({
        ...rest,
        path: query === '' ? path : `${path}?${query}`,
      }));
  }

  /** Mostly a path that leads somewhere; else one of its segments is anything. */
  function pathOf(endpoint: Endpoint): Arbitrary<string> {
    // Evaluated for each run: the repository is furnished once the tests run.
    const good = fc.constant(0).map(() => pathIn(repository, endpoint.declaration));
    const bad = fc.tuple(hostileSegment, fc.nat(9)).map(([segment, at]) => {
      const segments = pathIn(repository, endpoint.declaration).split('/');
      segments[1 + (at % (segments.length - 1))] = segment;
      return segments.join('/');
    });
    const byId = good.map((path) =>
      path.replace(/^\/repos\/[^/]+\/[^/]+/, `/repositories/${repository.id}`),
    );
    return fc.oneof({ weight: 3, arbitrary: good }, { weight: 3, arbitrary: byId }, bad);
  }

  async function ask(endpoint: Endpoint, request: HostileRequest): Promise<void> {
    const { method } = endpoint.declaration;
    const client = { owner, stranger: outsider, nobody: forge.anonymous }[request.who];
    await forge.ports.background.idle();
    const unchanged = known ?? (await databaseFingerprint(forge.database));
    known = undefined;
    const { authorization, body } = request;
    const started = performance.now();
    const response = await client.send(method, request.path, {
      headers: {
        ...request.headers,
        ...present({ authorization }),
      },
      ...present({ body }),
    });
    const took = performance.now() - started;
    const said = `${response.status} ${response.text.slice(0, 500)}`;
    assert.ok(took < slowestMilliseconds, `took ${took} ms: ${said}`);
    checkShape(response, said);
    if (response.status < 400) return;
    await forge.ports.background.idle();
    const found = await databaseFingerprint(forge.database);
    assert.deepEqual(found, unchanged, `was refused: ${said}`);
    known = found;
  }
});

/** Every response of the interface has its rate limit and its id, and a refusal the documented shape. */
function checkShape(response: TestResponse, said: string): void {
  // Some paths come out as those of pages and of git, whose responses are not of the interface.
  if (/^text\/(?:html|plain|css)/.test(response.headers['content-type'] ?? '')) return;
  const { headers, status, body } = wrapped(response) ?? response;
  assert.match(response.headers['x-github-request-id'] ?? '', /./, said);
  assert.match(String(headers['x-ratelimit-remaining']), /^\d+$/, said);
  if (status < 400) return;
  assert.equal(typeof body?.message, 'string', said);
  assert.match(String(body.documentation_url), /^http:\/\/forge\.test\/docs\/rest/, said);
  const known = ['message', 'documentation_url', 'errors', 'url'];
  assert.deepEqual(
    Object.keys(body).filter((name) => !known.includes(name)),
    [],
    said,
  );
  for (const error of body.errors ?? []) {
    assert.ok(codes.has(error.code), said);
    assert.equal(typeof error.resource, 'string', said);
    assert.ok(error.code !== 'custom' || typeof error.message === 'string', said);
  }
}

/** What is inside the callback that a query may ask for. */
function wrapped(
  response: TestResponse,
): Pick<TestResponse, 'headers' | 'status' | 'body'> | undefined {
  const match = /^\/\*\*\/[\w.$[\]]+\((.*)\)$/s.exec(response.text.trim());
  if (!match?.[1]) return undefined;
  const { meta, data } = JSON.parse(match[1]);
  return { status: meta.status, body: data, headers: response.headers };
}

/** What ends or closes most comes last, so that what is asked before still leads somewhere. */
function inOrderOfHarm(all: readonly Endpoint[]): readonly Endpoint[] {
  const harm = ({ declaration: { operation, method } }: Endpoint): number => {
    if (['repos/delete', 'repos/transfer', 'repos/update'].includes(operation)) return 3;
    return { GET: 0, POST: 1, PATCH: 1, PUT: 1, DELETE: 2 }[method];
  };
  return all.toSorted((one, other) => harm(one) - harm(other));
}

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import fastify from 'fastify';

import { noInvocations } from '#functions/environments/pool/invocation-recorder.ts';
import { isForwarded, setForwarded } from '#platform/forwarded-request.ts';
import { setFunctionCaller } from '#platform/function-caller.ts';
import { createLog } from '#platform/log.ts';

import {
  type ReceivedResponse,
  startTestApplication,
  type TestApplication,
} from '../testing/test-application.ts';
import { createMetrics, metricsRoute, type MetricsSources } from './metrics.ts';
import { openObservation } from './observation.ts';
import { observeRequests, type RequestObserver } from './observe-requests.ts';

const sources: MetricsSources = {
  now: () => 10_000,
  cache: { hits: 7, misses: 3 },
  git: () => ({ callsInProgress: 2, restarts: 1, isAvailable: true }),
  database: { retries: () => 8 },
  functions: {
    invocations: { ...noInvocations(), inProgress: 4 },
    environments: () => ({ now: { starting: 1, idle: 2, busy: 3, draining: 0 }, started: 9 }),
    queues: async () => [],
  },
  queues: async () => [
    { queue: 'function_events', items: 5, retrying: 1, oldestAt: 4000 },
    { queue: 'ref_intents', items: 0, retrying: 0, oldestAt: undefined },
  ],
};

describe('the metrics of an application', () => {
  let application: TestApplication;
  let isAllowed = true;
  let onEnded: () => void = () => {};
  before(async () => {
    const metrics = createMetrics(sources);
    // Comes after the metrics: what it is notified of has been counted.
    const notified: RequestObserver = { ofRoute: () => ({ ended: () => onEnded() }) };
    application = await startTestApplication(
      {},
      {
        observers: [metrics, notified],
        metrics: metricsRoute(metrics, () => isAllowed),
        middleware: (next) => (request, response) => {
          if (request.headers['x-from-function'] !== undefined) {
            setFunctionCaller(request, { functionArn: 'arn', reach: 'service' });
          }
          next(request, response);
        },
      },
    );
    await application.forge.user('somebody');
  });
  after(() => application.close());

  /** Resolves when the request has been counted as well: its client may be faster. */
  async function ask(
    path: string,
    headers: Record<string, string> = {},
    method = 'GET',
  ): Promise<ReceivedResponse> {
    const ended = new Promise<void>((resolve) => {
      onEnded = resolve;
    });
    const host = 'forge.test';
    const answer = await application.ask({
      method,
      path,
      headers: { host, 'user-agent': 't', ...headers },
    });
    await ended;
    return answer;
  }

  const read = async (): Promise<string> => (await ask('/metrics')).text;

  it('are nothing to who may not read them', async () => {
    isAllowed = false;
    const refused = await ask('/metrics');
    isAllowed = true;
    assert.equal(refused.status, 404);
    assert.deepEqual(JSON.parse(refused.text), { message: 'Not Found' });
  });

  it('are closed to functions', async () => {
    const refused = await ask('/metrics', { 'x-from-function': 'yes' });
    assert.equal(refused.status, 403);
    assert.ok(!refused.text.includes('hob_'), refused.text);
  });

  it('are not at the host of a function URL', async () => {
    const host = `${'a'.repeat(32)}.lambda-url.us-east-1.localhost`;
    const refused = await ask('/metrics', { host });
    assert.equal(refused.status, 404);
    assert.ok(!refused.text.includes('hob_'), refused.text);
  });

  it('are text that Prometheus reads', async () => {
    const { status, headers, text } = await ask('/metrics');
    assert.equal(status, 200);
    assert.match(String(headers['content-type']), /^text\/plain; version=0\.0\.4/);
    assert.equal(headers['cache-control'], 'no-store');
    for (const line of [
      'hob_response_cache_total{result="hit"} 7',
      'hob_response_cache_total{result="miss"} 3',
      'hob_git_calls_in_progress 2',
      'hob_git_process_restarts_total 1',
      'hob_database_retries_total 8',
      'hob_environments{state="busy"} 3',
      'hob_environments_started_total 9',
      'hob_invocations_in_progress 4',
      'hob_invocations_total{result="throttled"} 0',
      'hob_queue_items{queue="function_events"} 5',
      'hob_queue_retrying_items{queue="function_events"} 1',
      'hob_queue_oldest_age_seconds{queue="function_events"} 6',
      'hob_queue_oldest_age_seconds{queue="ref_intents"} 0',
      'hob_database_up 1',
    ]) {
      assert.ok(text.split('\n').includes(line), `${line} is missing in\n${text}`);
    }
    assert.match(text, /^process_resident_memory_bytes \d/m);
    assert.match(text, /^nodejs_eventloop_lag_seconds /m);
  });

  it('count requests by operation and class of status, once each', async () => {
    const series =
      'hob_http_requests_total{service="forge",operation="users/get-by-username",status="2xx"}';
    const counted = (text: string): number =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(series))
          ?.slice(series.length) ?? 0,
      );
    const earlier = counted(await read());
    for (let time = 0; time < 3; time += 1) await ask('/api/v3/users/somebody');
    const text = await read();
    assert.equal(counted(text) - earlier, 3);
    assert.match(text, /^hob_http_request_duration_seconds_count\{service="forge"\} \d/m);
    assert.match(text, /^hob_http_requests_in_progress\{service="forge"\} 0$/m);
  });

  it('know which service a request is for, and name nothing that a client chose', async () => {
    const secret = 'zzz-chosen-by-a-client';
    await ask(`/api/v3/users/${secret}`);
    await ask(`/${secret}/${secret}.git/info/refs?service=git-upload-pack`);
    await ask(`/2015-03-31/functions/${secret}`);
    await ask(`/${secret}/${secret}/no/page/at/all`);
    await ask(`/lambda-url/${secret}/x`);
    await ask(`/api/v3/${secret}`, {}, 'DELETE');
    const text = await read();
    assert.ok(!text.includes(secret), text);
    for (const [service, operation] of [
      ['forge', 'users/get-by-username'],
      ['git', '/:owner/:repo/info/refs'],
      ['functions', 'GetFunction'],
      ['site', 'none'],
      ['site', '/metrics'],
    ]) {
      const series = `hob_http_requests_total{service="${service}",operation="${operation}",status="`;
      assert.ok(text.includes(series), `${series} is missing in\n${text}`);
    }
  });
});

describe('the metrics of a function URL', () => {
  it('count a status that only functions answer with', async () => {
    const metrics = createMetrics(sources);
    const server = fastify();
    observeRequests(server, [metrics]);
    server.get('/lambda-url/*', (_request, reply) => {
      reply.hijack();
      reply.raw.writeHead(742).end();
    });
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    assert.equal((await fetch(`${url}/lambda-url/x/`)).status, 742);
    await server.close();
    const series =
      'hob_http_requests_total{service="function-urls",operation="/lambda-url/*",status="7xx"} 1';
    assert.ok((await metrics.text()).split('\n').includes(series));
  });
});

describe('what operators see', () => {
  const warned: string[] = [];
  const log = createLog('warn', (line) => warned.push(line));
  const token = { kind: 'token', file: import.meta.filename } as const;

  it('is nothing unless they ask for it', async () => {
    const settings = {
      accessLog: false,
      metrics: { kind: 'off' },
      functionsShareNetwork: async () => false,
    } as const;
    const { observers, metrics } = await openObservation(settings, log, sources);
    assert.deepEqual([observers, metrics], [[], undefined]);
    assert.deepEqual(warned, []);
  });

  it('is no metrics for loopback where programs of functions are on it', async () => {
    const settings = {
      accessLog: false,
      metrics: { kind: 'loopback' },
      functionsShareNetwork: async () => true,
    } as const;
    const { observers, metrics } = await openObservation(settings, log, sources);
    assert.deepEqual([observers, metrics], [[], undefined]);
    assert.match(warned.join(), /HOB_METRICS=loopback has no effect here/);
    const elsewhere = { ...settings, functionsShareNetwork: async () => false };
    assert.ok((await openObservation(elsewhere, log, sources)).metrics);
  });

  it('is refused with a file that is no token', async () => {
    const settings = { accessLog: false, metrics: token, functionsShareNetwork: async () => true };
    await assert.rejects(openObservation(settings, log, sources), /must contain one token/);
  });
});

describe('the metrics of a node', () => {
  const shards = [
    ['default', true],
    ['two', false],
  ] as const;
  const nodes = {
    live: () => ['one', 'other'],
    owns: () => true,
    shards: () => shards,
    lease: () => ({ remainingSeconds: 7.5, failures: 2 }),
  };

  it('count a request at the node that the client reached, not where it was forwarded to', async () => {
    const metrics = createMetrics({ ...sources, nodes });
    const ended = Promise.withResolvers<void>();
    const notified: RequestObserver = {
      ofRoute: () => ({ ended: ({ request }) => isForwarded(request.raw) && ended.resolve() }),
    };
    const application = await startTestApplication(
      {},
      {
        observers: [metrics, notified],
        middleware: (next) => (request, response) => {
          if (request.headers['x-from-node'] !== undefined) setForwarded(request);
          next(request, response);
        },
      },
    );
    try {
      const headers = { host: 'forge.test', 'user-agent': 't' };
      const request = { method: 'GET', path: '/api/v3/meta', headers };
      await application.ask(request);
      await application.ask({ ...request, headers: { ...headers, 'x-from-node': 'yes' } });
      await ended.promise;
      const text = await metrics.text();
      assert.match(text, /^hob_http_requests_total\{service="forge",.*status="2xx"\} 1$/m);
      assert.match(text, /^hob_http_requests_in_progress\{service="forge"\} 0$/m);
    } finally {
      await application.close();
    }
  });

  it('count the nodes, and show which has the repositories', async () => {
    const text = await createMetrics({ ...sources, nodes }).text();
    assert.match(text, /^hob_nodes 2$/m);
    assert.match(text, /^hob_node_has_shard\{shard="default"\} 1$/m);
    assert.match(text, /^hob_node_has_shard\{shard="two"\} 0$/m);
    assert.match(text, /^hob_node_has_repositories 1$/m);
    assert.match(text, /^hob_lease_remaining_seconds 7.5$/m);
    assert.match(text, /^hob_lease_failures_total 2$/m);
    assert.doesNotMatch(await createMetrics(sources).text(), /hob_node/);
  });
});

describe('the metrics of a server without its database', () => {
  it('say so, and show the rest', async () => {
    const queues = (): Promise<never> => Promise.reject(new Error('no database'));
    const text = await createMetrics({ ...sources, queues }).text();
    assert.match(text, /^hob_database_up 0$/m);
    assert.doesNotMatch(text, /^hob_queue_items\{/m);
    assert.match(text, /^hob_git_calls_in_progress 2$/m);
  });
});

/** What Prometheus reads. Labels have values of the program only: names that clients choose would make series without end, and show them. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';

import type { GitStatistics } from '#forge/git/process/start-git-process.ts';
import type { CacheCounts } from '#forge/ports/ports.ts';
import type { FunctionStatistics } from '#functions/statistics.ts';
import { isForwarded } from '#platform/forwarded-request.ts';
import { passiveContentHeaders } from '#platform/passive-content.ts';
import type { Database } from '#platform/database/database.ts';
import type { QueueSize } from '#platform/queue-size.ts';

import { DurationHistogram } from './duration-histogram.ts';
import type { MetricsAccess } from './metrics-access.ts';
import { type NodeStatistics, readNodes } from './node-metrics.ts';
import type { RequestObserver, Route } from './observe-requests.ts';
import { counter, gauge } from './read-metric.ts';

/** What the metrics are read from, when they are asked for. */
export interface MetricsSources {
  readonly now: () => number;
  readonly cache: Readonly<CacheCounts>;
  readonly git: () => GitStatistics;
  readonly database: Pick<Database, 'retries'>;
  readonly functions: FunctionStatistics;
  /** Undefined: the server is alone. */
  readonly nodes?: NodeStatistics | undefined;
  /** The work of both services that is stored in the database. */
  readonly queues: () => Promise<readonly QueueSize[]>;
}

export interface Metrics extends RequestObserver {
  readonly contentType: string;
  text(): Promise<string>;
}

/** Seconds. */
const durationBounds = [0.001, 0.0025, 0.01, 0.025, 0.1, 0.25, 1, 5, 30, 120];

export function createMetrics(sources: MetricsSources): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // The node that the client reached counts a request: it has the time that the client waited.
  const isCounted = sources.nodes ? ({ raw }: FastifyRequest) => !isForwarded(raw) : () => true;
  const requests = observedRequests(registry, isCounted);
  readServices(registry, sources);
  if (sources.nodes) readNodes(registry, sources.nodes);
  const updateQueues = readsQueues(registry, sources);
  return {
    ...requests,
    contentType: registry.contentType,
    async text() {
      await updateQueues();
      return registry.metrics();
    },
  };
}

/** Answers who may read it; for all others nothing is at this path. */
export function metricsRoute(
  metrics: Metrics,
  mayRead: MetricsAccess,
): (server: FastifyInstance) => Promise<void> {
  return async (server) => {
    server.get('/metrics', async (request, reply) => {
      if (!mayRead(request.raw)) {
        return reply.code(404).headers(passiveContentHeaders).send({ message: 'Not Found' });
      }
      reply.headers(passiveContentHeaders).header('cache-control', 'no-store');
      return reply.type(metrics.contentType).send(await metrics.text());
    });
  };
}

/** Counts in plain objects, because it is done for every request; the registry reads them when it is asked. */
function observedRequests(
  registry: Registry,
  isCounted: (request: FastifyRequest) => boolean,
): RequestObserver {
  const ended = new Map<Route, number[]>();
  const inProgress = new Map<string, { count: number }>();
  const total = new Counter({
    name: 'hob_http_requests_total',
    help: 'Responses that have ended, by operation and class of status; aborted: the client left first',
    labelNames: ['service', 'operation', 'status'],
    registers: [],
    collect() {
      this.reset();
      for (const [{ service, operation }, counts] of ended) {
        for (const [index, count] of counts.entries()) {
          const status = statusClasses[index];
          if (count > 0 && status !== undefined) this.inc({ service, operation, status }, count);
        }
      }
    },
  });
  registry.registerMetric(total);
  gauge(registry, {
    name: 'hob_http_requests_in_progress',
    help: 'Requests whose response has not ended; of the service git: transfers and pushes',
    label: 'service',
    read: () => [...inProgress].map(([service, { count }]) => [service, count] as const),
  });
  const durations = new DurationHistogram(
    'hob_http_request_duration_seconds',
    'Time from the head of a request to the end of its response',
    durationBounds,
    registry,
  );
  return {
    ofRoute(route) {
      const { service } = route;
      const counts = statusClasses.map(() => 0);
      ended.set(route, counts);
      const ofService = inProgress.get(service) ?? { count: 0 };
      inProgress.set(service, ofService);
      const duration = durations.ofService(service);
      return {
        began(request) {
          if (isCounted(request)) ofService.count += 1;
        },
        ended({ request, status, milliseconds }) {
          if (!isCounted(request)) return;
          ofService.count -= 1;
          const index = status === undefined ? 0 : Math.floor(status / 100);
          counts[index] = (counts[index] ?? 0) + 1;
          duration.add(milliseconds / 1000);
        },
      };
    },
  };
}

/** By the first digit of a status; functions answer with those above 599 as well. */
const statusClasses = ['aborted', ...Array.from('123456789', (digit) => `${digit}xx`)];

function readServices(
  registry: Registry,
  { cache, git, database, functions }: MetricsSources,
): void {
  counter(registry, {
    name: 'hob_response_cache_total',
    help: 'Cacheable responses of the REST API: served from the cache (hit), or computed and stored (miss)',
    label: 'result',
    read: () => [
      ['hit', cache.hits],
      ['miss', cache.misses],
    ],
  });
  gauge(registry, {
    name: 'hob_git_calls_in_progress',
    help: 'Calls and transfers that the git process works on',
    read: () => git().callsInProgress,
  });
  counter(registry, {
    name: 'hob_git_process_restarts_total',
    help: 'How often the git process had to be started again',
    read: () => git().restarts,
  });
  counter(registry, {
    name: 'hob_database_retries_total',
    help: 'Writes that were tried again because of others at the same time',
    read: () => database.retries(),
  });
  gauge(registry, {
    name: 'hob_environments',
    help: 'Execution environments by state',
    label: 'state',
    read: () => Object.entries(functions.environments().now),
  });
  counter(registry, {
    name: 'hob_environments_started_total',
    help: 'Execution environments that were started, for an event or ahead of any',
    read: () => functions.environments().started,
  });
  gauge(registry, {
    name: 'hob_invocations_in_progress',
    help: 'Invocations that run, or wait for an environment',
    read: () => functions.invocations.inProgress,
  });
  counter(registry, {
    name: 'hob_invocations_total',
    help: 'Invocations by result; failed: by an error of the function; lost: with its environment',
    label: 'result',
    read: () => Object.entries(functions.invocations.ended),
  });
}

/** From the database, so that all servers with the same one report the same. Returns what reads it. */
function readsQueues(registry: Registry, { now, queues }: MetricsSources): () => Promise<void> {
  const items = queueGauge('hob_queue_items', 'Work stored for later, or under way', registry);
  const retrying = queueGauge(
    'hob_queue_retrying_items',
    'Of it, what has failed before',
    registry,
  );
  const age = queueGauge('hob_queue_oldest_age_seconds', 'Age of the oldest of it', registry);
  const up = new Gauge({
    name: 'hob_database_up',
    help: '1 if the database answered when the queues were read, otherwise 0',
    registers: [registry],
  });
  return async () => {
    const sizes = await queues().catch(() => undefined);
    up.set(sizes ? 1 : 0);
    // The requests that fail with the database log its error.
    for (const each of [items, retrying, age]) each.reset();
    for (const { queue, oldestAt, ...size } of sizes ?? []) {
      items.set({ queue }, size.items);
      retrying.set({ queue }, size.retrying);
      age.set({ queue }, oldestAt === undefined ? 0 : Math.max(0, now() - oldestAt) / 1000);
    }
  };
}

function queueGauge(name: string, help: string, registry: Registry): Gauge<'queue'> {
  return new Gauge({ name, help, labelNames: ['queue'], registers: [registry] });
}

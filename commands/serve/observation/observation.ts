import type { FastifyInstance } from 'fastify';

import type { SshCommandRecord } from '#forge/ports/ssh-port.ts';
import { isListed } from '#platform/client-address.ts';
import { functionCallerOf } from '#platform/function-caller.ts';
import type { Log } from '#platform/log.ts';
import type { Settings } from '#settings/setting-values.ts';

import { readVersion } from '../../../program-files.ts';
import { sharedAddressesOf } from '../connections.ts';
import { openAccessLog } from './access-log.ts';
import type { MetricsSources } from './metrics.ts';
import { metricsAccess } from './metrics-access.ts';
import type { RequestObserver } from './observe-requests.ts';
import type { Tracing } from './tracing.ts';

/** What operators see of the requests, as far as they want to. */
export interface Observation {
  readonly observers: readonly RequestObserver[];
  readonly metrics: ((server: FastifyInstance) => Promise<void>) | undefined;
  readonly sshCommandEnded: (command: SshCommandRecord) => void;
  close(): Promise<void>;
}

/**
 * Traces where the variables of the OpenTelemetry specification ask for it; undefined, and nothing of the SDK is loaded,
 * everywhere else.
 */
export async function openTracingIfAsked(
  log: Log,
  trustedProxies: readonly string[],
): Promise<Tracing | undefined> {
  const { env } = process;
  const collector =
    env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] ?? env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '';
  const isOff =
    env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none';
  if (collector === '' || isOff) return undefined;
  const { openTracing } = await import('./tracing.ts');
  const trusted = sharedAddressesOf(trustedProxies);
  return openTracing(
    log,
    readVersion(),
    (request) =>
      functionCallerOf(request) === undefined &&
      isListed(trusted, request.socket.remoteAddress ?? ''),
    env,
  );
}

/** Loads only what is asked for: a server without metrics does not load their library. */
export async function openObservation(
  settings: Pick<Settings, 'accessLog' | 'metrics'> & {
    /** Whether programs of functions reach loopback addresses of the host, which is known once the host is tested. */
    readonly functionsShareNetwork: () => Promise<boolean>;
  },
  log: Log,
  sources: MetricsSources,
): Promise<Observation> {
  const accessLog = settings.accessLog ? openAccessLog() : undefined;
  const observers: RequestObserver[] = accessLog ? [accessLog] : [];
  const close = async (): Promise<void> => accessLog?.close();
  const sshCommandEnded = (command: SshCommandRecord): void => accessLog?.sshCommandEnded(command);
  const common = { observers, sshCommandEnded, close };
  if (settings.metrics.kind === 'loopback' && (await settings.functionsShareNetwork())) {
    log.warn(
      {},
      'HOB_METRICS=loopback has no effect here: functions share the network of this host. Set the file of a token instead.',
    );
    return { ...common, metrics: undefined };
  }
  const mayRead = await metricsAccess(settings.metrics);
  if (!mayRead) return { ...common, metrics: undefined };
  const { createMetrics, metricsRoute } = await import('./metrics.ts');
  const metrics = createMetrics(sources);
  return {
    ...common,
    observers: [...observers, metrics],
    metrics: metricsRoute(metrics, mayRead),
  };
}

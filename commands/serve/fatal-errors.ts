import type { Logger } from 'pino';

/**
 * An unhandled exception or rejection is an unexpected fault: the state it left is unknown. It is logged
 * with its stack, and the process exits with status 1, as is Node's default, for its supervisor to restart it.
 */
export function logFatalErrors(log: Pick<Logger, 'fatal'>): void {
  process.on('uncaughtExceptionMonitor', (err, origin) => {
    log.fatal({ err, origin }, 'unhandled error: the server stops');
  });
}

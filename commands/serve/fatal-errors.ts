import type { Logger } from 'pino';

/**
 * An unhandled exception or rejection is an unexpected fault: the state it left is unknown. The log
 * has it with its stack, and the process ends with status 1, as is Node's default, for whoever supervises it to start it again.
 */
export function logFatalErrors(log: Pick<Logger, 'fatal'>): void {
  process.on('uncaughtExceptionMonitor', (err, origin) => {
    log.fatal({ err, origin }, 'unhandled error: the server stops');
  });
}

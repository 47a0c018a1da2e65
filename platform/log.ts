import { pino } from 'pino';
import type { Logger } from 'pino';

import type { LogLevel } from './log-levels.ts';
import { visibleControlsInJson } from './visible-controls.ts';

/** What the platform and the services ask of a log: fields first, then a fixed sentence. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** JSON lines without secrets, safe to show on a terminal. Fastify takes it as its `loggerInstance`. */
export function createLog(
  level: LogLevel,
  write: (line: string) => unknown = (line) => process.stderr.write(line),
): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: withoutSecrets },
    },
    { write: (line: string) => write(printable(line)) },
  );
}

/** Replaces values whose field is named like a secret, at any depth that logs have. */
function withoutSecrets(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, withoutSecret(key, value, 4)]),
  );
}

function withoutSecret(key: string, value: unknown, depth: number): unknown {
  if (secretName.test(key)) return '[redacted]';
  // Errors, requests and the like have serializers of their own; only plain objects are searched.
  if (depth === 0 || value === null || typeof value !== 'object') return value;
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withoutSecret(name, inner, depth - 1)]),
  );
}

export const secretName =
  /password|passphrase|secret|token|authorization|cookie|otp|^environment$/i;

/** A line of JSON, safe to show on a terminal and without the passwords of URLs. */
export function printable(line: string): string {
  return visibleControlsInJson(line).replaceAll(/(:\/\/[^\s/:@"]*):[^\s/@"]+@/g, '$1:[redacted]@');
}

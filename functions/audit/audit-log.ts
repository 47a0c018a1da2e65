import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

import type { Shape } from '#functions-contract/shape.ts';
import type { Clock } from '#platform/clock.ts';

import type { SignedPrincipal } from '../signing/principal.ts';
import { type AuditEntry, recentLines } from './recent-lines.ts';
import { openRotatedFile, type RotatedFile } from './rotated-file.ts';
import { withoutSecrets } from './without-secrets.ts';

/** A record of who changed what, for later investigation. */
export interface AuditLog {
  /**
   * Resolves when the operating system has the line, so that it survives the death of the process. Resolves also when it cannot be
   * written, since the event has already occurred: `onLost` then gets the line.
   */
  record(event: AuditEvent): Promise<void>;
  /** The last lines, newest first. */
  recent(max: number): Promise<readonly AuditEntry[]>;
  close(): Promise<void>;
}

interface AuditLogOptions {
  /** `audit.log` in the functions' folder. */
  readonly path: string;
  readonly clock: Clock;
  readonly server: AuditingServer;
  /** Gets lines that could not be written, and why. */
  readonly onLost: (error: unknown, lines: string) => void;
  /** The size at which a file is rotated; tests choose less. */
  readonly fileBytes?: number;
}

/** Who writes the lines: where there are several servers, each has a log of its own. */
export interface AuditingServer {
  /** The identity in its data directory. */
  readonly id: string;
  /** The name of the machine. */
  readonly host: string;
}

/** File of the audit log; a full one is rotated. With the rotated files the log takes up to 128 MiB. */
const fileBytesMax = 16 * 1024 * 1024;

/** Files of the audit log, full ones included; the oldest is removed. */
const filesMax = 8;

export async function openAuditLog(options: AuditLogOptions): Promise<AuditLog> {
  await mkdir(dirname(options.path), { recursive: true, mode: 0o700 });
  const file = await openRotatedFile(options.path, options.fileBytes ?? fileBytesMax, filesMax);
  return batched(file, options);
}

/** Lines that come while others are being written go together with the next write. */
function batched(file: RotatedFile, { path, clock, server, onLost }: AuditLogOptions): AuditLog {
  let waiting: string[] = [];
  let writing: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;

  async function writeAll(before: Promise<void>): Promise<void> {
    await before;
    const lines = waiting.join('');
    waiting = [];
    next = undefined;
    await file.append(lines).catch((error: unknown) => onLost(error, lines));
  }

  return {
    record(event) {
      waiting.push(`${auditLine(event, server, clock.now())}\n`);
      next ??= writing = writeAll(writing);
      return next;
    },
    recent: (max) => recentLines(path, max),
    async close() {
      await writing;
      await file.close();
    },
  };
}

/** A call that changes something, or tried to. */
export interface AuditEvent {
  readonly operation: { readonly name: string; readonly input: Shape };
  /** Undefined: refused before the caller was known. */
  readonly principal: Pick<SignedPrincipal, 'arn' | 'accessKeyId'> | undefined;
  readonly requestId: string;
  readonly sourceAddress: string | undefined;
  /** The operation's input; undefined: it could not be read. */
  readonly input: unknown;
  /** The error's code; undefined: it was done. */
  readonly errorCode: string | undefined;
  /** Which state of the function the call led to. */
  readonly revisionId: string | undefined;
  /** Warnings about what was allowed. */
  readonly warnings: readonly string[];
}

/**
 * Line of the audit log; of longer ones the parameters are left out: a request of a megabyte is not worth a megabyte in the
 * log.
 */
const lineCharactersMax = 65_536;

/** One event as a line of JSON, without secrets and without control characters. */
export function auditLine(event: AuditEvent, server: AuditingServer, now: number): string {
  const { operation, principal, requestId, sourceAddress, errorCode, revisionId, warnings } = event;
  const parameters = withoutSecrets(operation.input, event.input);
  const line = (shown: unknown): string =>
    JSON.stringify({
      time: new Date(now).toISOString(),
      event: operation.name,
      principal: principal?.arn,
      accessKeyId: principal?.accessKeyId,
      sourceAddress,
      requestId,
      parameters: shown,
      errorCode,
      revisionId,
      serverId: server.id,
      host: server.host,
      warnings: warnings.length === 0 ? undefined : warnings,
    });
  const whole = line(parameters);
  return whole.length <= lineCharactersMax ? whole : line('left out: too long');
}

import { createHash, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';

import { functionCallerOf } from '#platform/function-caller.ts';
import { OperatorError } from '#platform/operator-error.ts';
import type { Settings } from '#settings/setting-values.ts';

/** Whether a request may read the metrics. */
export type MetricsAccess = (request: IncomingMessage) => boolean;

/**
 * Length of the token for metrics; a server with a shorter one does not start. A token that can be guessed protects nothing.
 */
const tokenLengthMin = 16;

/** undefined: no one may. Reads the file of the token, if there is one. */
export async function metricsAccess(
  reader: Settings['metrics'],
): Promise<MetricsAccess | undefined> {
  if (reader.kind === 'off') return undefined;
  const mayRead = reader.kind === 'loopback' ? isLocal : hasToken(await readToken(reader.file));
  return (request) => functionCallerOf(request) === undefined && mayRead(request);
}

/**
 * Of a client on this machine that asks for this server. Not of a proxy on this machine, which adds headers or asks for its own
 * host, nor of a page in a browser whose host name an attacker resolves to loopback (DNS rebinding).
 */
function isLocal({ socket, headers }: IncomingMessage): boolean {
  const isForwarded = Object.keys(headers).some(
    (name) => forwardingHeaders.has(name) || name.startsWith('x-forwarded-'),
  );
  return (
    !isForwarded &&
    /^(?:::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '') &&
    /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i.test(headers.host ?? '')
  );
}

const forwardingHeaders = new Set(['forwarded', 'via', 'x-real-ip']);

function hasToken(token: string): MetricsAccess {
  const expected = digest(token);
  return ({ headers }) => {
    const [, given] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
    return given !== undefined && timingSafeEqual(digest(given), expected);
  };
}

/** Of the same length for every token, so that it can be compared in constant time. */
function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

async function readToken(file: string): Promise<string> {
  let token: string;
  try {
    token = (await readFile(file, 'utf8')).trim();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OperatorError(`Cannot read the token of HOB_METRICS: ${reason}.`, { cause });
  }
  if (token.length < tokenLengthMin || /\s/.test(token)) {
    throw new OperatorError(
      `The file ${file} of HOB_METRICS must contain one token of at least ${tokenLengthMin} characters, for example from: openssl rand -hex 32`,
    );
  }
  return token;
}

import { destination } from 'pino';

import type { SshCommandRecord } from '#forge/ports/ssh-port.ts';
import { systemClock } from '#platform/clock.ts';
import { errorCode } from '#platform/error-code.ts';
import { printable } from '#platform/log.ts';

import type { RequestObserver } from './observe-requests.ts';

export interface AccessLog extends AccessObserver {
  /** Writes what is left. */
  close(): Promise<void>;
}

interface AccessObserver extends RequestObserver {
  /** A command of git over SSH. */
  readonly sshCommandEnded: (command: SshCommandRecord) => void;
}

/** Lines are written together: when this much has come, or when the time is up. A write for each line costs more than the line. */
const gatheredBytes = 64 * 1024;
/** Bytes that a UTF-16 code unit takes in UTF-8, at most. */
const bytesPerCodeUnitMax = 3;
/** Time that a line of the access log may wait before it is written. */
const flushMilliseconds = 1000;
/** Time that a server which stops waits for its last lines of the access log to be written. */
const closeMilliseconds = 2000;
/**
 * Lines of the access log that wait in memory because no process reads them; later ones are dropped: a log must not fill the
 * memory, nor hold requests up.
 */
const heldBytesMax = 4 * 2 ** 20;

/** With `contentMode: 'buffer'`, which the types of its library pass over. */
interface BytesDestination extends Pick<NodeJS.EventEmitter, 'on' | 'once'> {
  write(bytes: string | Buffer): boolean;
  end(): void;
  destroy(): void;
}

/**
 * One line of JSON for each request, on standard output. It has no query, no header but the user agent, and no parameter of a path that
 * is a secret. Of a path where nothing is, it has the beginning.
 */
export function openAccessLog(fileDescriptor = 1): AccessLog {
  let isGivenUp = false;
  const out: BytesDestination = destination({
    fd: fileDescriptor,
    contentMode: 'buffer',
    maxLength: heldBytesMax,
    sync: false,
    // A full pipe is tried again and again, which would keep the process from ending.
    retryEAGAIN: () => !isGivenUp,
  });
  // The reader of a pipe has gone: requests are served all the same. pino then neither writes nor ends.
  let hasReader = true;
  out.on('error', (error: unknown) => {
    if (errorCode(error) === 'EPIPE') hasReader = false;
  });
  // As bytes: a long string of pieces takes as much time again when it is written, in the thread that serves requests.
  let gathered = Buffer.allocUnsafe(gatheredBytes);
  let length = 0;
  const flush = (): void => {
    if (length === 0) return;
    const lines = gathered.subarray(0, length);
    length = 0;
    // Those that wait to be written take what is counted of them, or twice as much.
    if (lines.length < gatheredBytes / 2) {
      out.write(Buffer.from(lines));
      return;
    }
    out.write(lines);
    gathered = Buffer.allocUnsafe(gatheredBytes);
  };
  const timer = setInterval(flush, flushMilliseconds).unref();
  return {
    ...accessLogTo((line) => {
      const lengthMax = line.length * bytesPerCodeUnitMax;
      if (length + lengthMax > gatheredBytes) flush();
      if (lengthMax > gatheredBytes) out.write(Buffer.from(line));
      else length += gathered.write(line, length);
    }),
    close() {
      clearInterval(timer);
      flush();
      return new Promise((resolve) => {
        if (!hasReader) {
          resolve();
          return;
        }
        out.once('close', resolve);
        out.once('error', () => resolve());
        setTimeout(() => {
          isGivenUp = true;
          out.destroy();
          resolve();
        }, closeMilliseconds).unref();
        out.end();
      });
    },
  };
}

export function accessLogTo(write: (line: string) => unknown): AccessObserver {
  const clientField = repeatedField('client');
  const userAgentField = repeatedField('userAgent');
  return {
    sshCommandEnded({ milliseconds, ...command }) {
      const time = isoTime(systemClock.now());
      const line = JSON.stringify({
        time,
        service: 'ssh',
        ...command,
        milliseconds: tenths(milliseconds),
      });
      write(`${printable(line)}\n`);
    },
    ofRoute(route) {
      const hasOwnId = route.service !== 'forge' && route.service !== 'git';
      const secretPath = route.pattern !== undefined && secretParameter.test(route.pattern);
      const path = secretPath ? escaped(route.pattern) : undefined;
      const shown = route.pattern === undefined ? beginningOf : withoutQuery;
      const ofRoute = `","service":"${route.service}","operation":"${escaped(route.operation)}","status":`;
      return {
        ended({ request, reply, status, milliseconds }) {
          // A client that left before its connection was accepted has no address, whatever the type says.
          const client: string | undefined = request.ip;
          const ownId = hasOwnId ? ownRequestId(reply.getHeader('x-amzn-requestid')) : undefined;
          // An id of this server's own needs no escapes.
          const requestId = ownId === undefined ? request.id : escaped(ownId);
          const userAgent = request.headers['user-agent'];
          // By hand: JSON.stringify and a logger take several times as long, a tenth of what a cached response takes.
          write(
            `${lineStart(systemClock.now())}${requestId}"${clientField(client)},"method":"${request.method}",` +
              `"path":"${path ?? escaped(shown(request.originalUrl))}${ofRoute}${status ?? clientLeft},"milliseconds":${tenths(milliseconds)}${userAgentField(userAgent)}}\n`,
          );
        },
      };
    },
  };
}

/** A field whose value is often the one of the line before, which is escaped once. */
function repeatedField(name: string): (value: string | undefined) => string {
  let last: string | undefined;
  let field = '';
  return (value) => {
    if (value !== last) {
      last = value;
      field = value === undefined ? '' : `,"${name}":"${escaped(value)}"`;
    }
    return field;
  };
}

/** A text between the quotes of JSON, safe to show on a terminal and without the password of a URL. */
function escaped(text: string): string {
  return plainText.test(text) ? text : printable(JSON.stringify(text)).slice(1, -1);
}

/** What JSON escapes nothing of, and no URL. */
const plainText = /^[ !#-9;-[\]-~]*$/;

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}

let second = { at: Number.NaN, text: '' };

function isoTime(at: number): string {
  const milliseconds = at % 1000;
  if (at - milliseconds !== second.at) {
    second = { at: at - milliseconds, text: new Date(at).toISOString().slice(0, -4) };
  }
  return `${second.text}${String(milliseconds).padStart(3, '0')}Z`;
}

let start = { at: Number.NaN, text: '' };

/** Many requests end in one millisecond. */
function lineStart(at: number): string {
  if (at !== start.at) start = { at, text: `{"time":"${isoTime(at)}","requestId":"` };
  return start.text;
}

/** As proxies write it when the client left first. */
const clientLeft = 499;

/** Responses of the function service have an id of their own (AWS's `x-amzn-RequestId`). */
function ownRequestId(header: number | string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

function withoutQuery(url: string): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

/** Of a path where nothing is: what follows may be a secret of an operation that has another method, or that this server does not have. */
function beginningOf(url: string): string {
  const path = withoutQuery(url);
  const [beginning = ''] = /^(?:\/api\/\w+|\/\d{4}-\d\d-\d\d)?\/[^/]*/.exec(path) ?? [];
  return beginning === path ? path : `${beginning}/*`;
}

/** Where a parameter of a path is a secret, the log has the pattern of the route. */
const secretParameter = /:(?:code|\w*(?:token|secret|password)\w*)(?:[/(]|$)/i;

import { createSocket } from 'node:dgram';

import { postJson } from '../configured-resources/post.ts';

/** Receives the segments of traced invocations; it may lose some, but callers never wait for it. */
export interface TraceCollector {
  post(segment: object): void;
  close(): Promise<void>;
}

/** The most segments queued for a slow collector; further ones are dropped. */
const waitingMax = 1000;
/** The most segments of one request. */
const batchMax = 50;

/** `url` is `udp://host:port` of an X-Ray daemon, or the endpoint of the service; undefined: no segments are sent. */
export function createTraceCollector(
  url: string | undefined,
  onError: (error: unknown) => void,
): TraceCollector {
  if (url === undefined) return { post() {}, close: async () => {} };
  return url.startsWith('udp:')
    ? datagrams(new URL(url), quieted(onError))
    : requests(url, quieted(onError));
}

/** The header that a daemon expects before each segment. */
const preamble = '{"format": "json", "version": 1}\n';

function datagrams({ hostname, port }: URL, heard: Heard): TraceCollector {
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4').unref();
  socket.on('error', heard);
  return {
    post(segment) {
      socket.send(preamble + JSON.stringify(segment), Number(port || 2000), host, heard);
    },
    close: () =>
      new Promise((resolve) => {
        socket.close(() => resolve());
      }),
  };
}

function requests(url: string, heard: Heard): TraceCollector {
  const address = `${url.replace(/\/+$/, '')}/TraceSegments`;
  const stop = new AbortController();
  const waiting: string[] = [];
  let sending: Promise<void> | undefined;

  async function sendAll(): Promise<void> {
    // Segments of the same turn are sent together.
    await Promise.resolve();
    while (waiting.length > 0) {
      const body = JSON.stringify({ TraceSegmentDocuments: waiting.splice(0, batchMax) });
      await postJson(address, body, stop.signal).then(() => heard(null), heard);
    }
    sending = undefined;
  }

  return {
    post(segment) {
      if (stop.signal.aborted || waiting.length >= waitingMax) return;
      waiting.push(JSON.stringify(segment));
      sending ??= sendAll();
    },
    async close() {
      waiting.length = 0;
      stop.abort();
      await sending;
    },
  };
}

type Heard = (error: unknown) => void;

/** An unavailable collector is reported once, not with every invocation. */
function quieted(onError: (error: unknown) => void): Heard {
  let away = false;
  return (error) => {
    const failed = error !== null && error !== undefined;
    if (failed && !away) onError(error);
    away = failed;
  };
}

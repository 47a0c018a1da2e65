import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';

/** One request, ready to be written to a socket again and again. */
export interface Shot {
  readonly host: string;
  readonly port: number;
  /** Made anew for each request where requests differ. */
  readonly bytes: (serial: number) => Buffer;
}

export interface Measured {
  /** Requests under way at a time: each connection waits for its response before it sends the next. */
  readonly inFlight: number;
  readonly requestsPerSecond: number;
  /** Microseconds of the server's processor time a request. */
  readonly cpuMicroseconds: number;
  readonly p50Milliseconds: number;
  readonly p99Milliseconds: number;
  readonly status: number;
}

/** Writes a request over and over on a few connections, each waiting for its response, for a while. */
export async function measure(
  shot: Shot,
  pid: number,
  options: { connections: number; milliseconds: number },
): Promise<Measured> {
  const sockets = await Promise.all(
    Array.from({ length: options.connections }, () => open(shot.host, shot.port)),
  );
  let serial = 0;
  const times: number[] = [];
  let status = 0;
  const cpuBefore = cpuMicroseconds(pid);
  const started = performance.now();
  const deadline = started + options.milliseconds;
  await Promise.all(
    sockets.map(async (socket) => {
      while (performance.now() < deadline) {
        serial += 1;
        const before = performance.now();
        socket.socket.write(shot.bytes(serial));
        status = await socket.response();
        times.push(performance.now() - before);
      }
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  const cpu = cpuMicroseconds(pid) - cpuBefore;
  for (const { socket } of sockets) socket.destroy();
  times.sort((one, other) => one - other);
  return {
    inFlight: options.connections,
    requestsPerSecond: times.length / seconds,
    cpuMicroseconds: cpu / times.length,
    p50Milliseconds: times[Math.floor(times.length * 0.5)] ?? 0,
    p99Milliseconds: times[Math.floor(times.length * 0.99)] ?? 0,
    status,
  };
}

export function request(
  method: string,
  url: URL,
  headers: Record<string, string>,
  body?: string,
): Buffer {
  const lines = [
    `${method} ${url.pathname}${url.search} HTTP/1.1`,
    `host: ${url.host}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : [`content-length: ${Buffer.byteLength(body)}`]),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
}

/** Processor time of a process and its threads so far. The kernel counts it in nanoseconds here, in /proc/PID/stat in hundredths of a second. */
function cpuMicroseconds(pid: number): number {
  const threads = `/proc/${pid}/task`;
  const nanoseconds = readdirSync(threads).map((thread) =>
    Number(readFileSync(`${threads}/${thread}/schedstat`, 'utf8').split(' ', 1)[0]),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1000;
}

interface Connection {
  readonly socket: Socket;
  /** Resolves with the status once a whole response has come. */
  response(): Promise<number>;
}

async function open(host: string, port: number): Promise<Connection> {
  const socket = connect({ host, port, noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  let waiting: ((status: number) => void) | undefined;
  let head = '';
  let left = -1;
  let status = 0;
  socket.on('data', (chunk: Buffer) => {
    let at = 0;
    if (left < 0) {
      head += chunk.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) return;
      const length = /\r\ncontent-length: (\d+)/i.exec(head.slice(0, end + 2))?.[1];
      status = Number(head.slice(9, 12));
      left = Number(length ?? 0);
      at = chunk.length - (head.length - end - 4);
      head = '';
    }
    left -= chunk.length - at;
    if (left > 0) return;
    left = -1;
    waiting?.(status);
  });
  return {
    socket,
    response: () =>
      new Promise((resolve) => {
        waiting = resolve;
      }),
  };
}

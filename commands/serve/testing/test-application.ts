import { request } from 'node:http';
import { connect } from 'node:net';

import type { ForgeSettings } from '#forge/ports/ports.ts';
import { startTestForge, type TestForge } from '#forge/testing/test-forge.ts';
import { createConsole, createFunctions } from '#functions/functions.ts';
import { createTestFunctions, type TestFunctions } from '#functions/testing/test-functions.ts';
import { createLog } from '#platform/log.ts';

import { type ApplicationOptions, buildApplication } from '../application.ts';
import { listen, type Listener } from '../listener.ts';

/** Both services behind one port, as `hob serve` puts them together. */
export interface TestApplication {
  readonly forge: TestForge;
  readonly functions: TestFunctions;
  readonly listener: Listener;
  /** What was logged, a line of JSON each. */
  readonly logged: readonly string[];
  ask(request: AskedRequest): Promise<ReceivedResponse>;
  /** Sends bytes as they are, and waits until the server ends the connection. */
  sendRaw(bytes: string | Buffer): Promise<RawResponse>;
  close(): Promise<void>;
}

export interface AskedRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface RawResponse {
  /** Of all answers on the connection. */
  readonly statuses: readonly number[];
  readonly text: string;
  /** Whether the server has ended the connection. */
  readonly closed: boolean;
}

export async function startTestApplication(
  settings: Partial<ForgeSettings> = {},
  options: ApplicationOptions = {},
): Promise<TestApplication> {
  const logged: string[] = [];
  const forge = await startTestForge(settings);
  const functions = await createTestFunctions();
  const listener = await listen('127.0.0.1', 0);
  const { serve } = await buildApplication(
    listener,
    forge.ports,
    {
      plugin: createFunctions(functions.ports),
      console: (site) => createConsole(functions.ports, site),
    },
    createLog('info', (line) => logged.push(line)),
    options,
  );
  serve();
  return {
    forge,
    functions,
    listener,
    logged,
    ask: (sent) => askAt(listener.port, sent),
    sendRaw: (bytes) => sendRaw(listener.port, bytes),
    async close() {
      await listener.close({ delayMilliseconds: 0, drainMilliseconds: 0 });
      await functions.close();
      await forge.close();
    },
  };
}

/** Asks on a connection of its own. */
export function askAt(
  port: number,
  { method = 'GET', path, headers, body = '' }: AskedRequest,
): Promise<ReceivedResponse> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, method, path, headers, agent: false };
    const sent = request(options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** A connection that the server does not end by then stays open. */
const openMilliseconds = 5000;

function sendRaw(port: number, bytes: string | Buffer): Promise<RawResponse> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    const done = (closed: boolean): void => {
      clearTimeout(deadline);
      socket.destroy();
      const statuses = [...text.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) =>
        Number(status),
      );
      resolve({ statuses, text, closed });
    };
    const deadline = setTimeout(() => done(false), openMilliseconds);
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('error', () => done(true));
    socket.on('close', () => done(true));
  });
}

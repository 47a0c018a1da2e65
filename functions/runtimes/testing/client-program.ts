import { once } from 'node:events';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { createRuntimeChannel } from '#functions/runtime-api/create-runtime-channel.ts';
import type { RuntimeChannelOptions } from '#functions/runtime-api/create-runtime-channel.ts';
import type { RuntimeResponse, RuntimeChannel } from '#functions/runtime-api/runtime-channel.ts';
import type { DeliveredEvent } from '#functions/runtime-api/runtime-channel.ts';
import { startChild } from '#platform/child-process.ts';
import type { ChildEnd } from '#platform/child-process.ts';

export interface ClientOptions {
  readonly command: readonly [string, ...string[]];
  /** The function's code, by file name. */
  readonly files: Readonly<Record<string, string>>;
  readonly handler: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly channel?: RuntimeChannelOptions;
  /** Speak to the Runtime API over TCP. */
  readonly overTcp?: boolean;
}

export interface ClientProgram {
  readonly channel: RuntimeChannel;
  /** Where the function's code is. */
  readonly folder: string;
  readonly ended: Promise<ChildEnd>;
  /** What it has printed, all of what it printed before the last answer included. */
  readonly output: () => Promise<string>;
  readonly invoke: (payload: unknown, more?: Partial<DeliveredEvent>) => Promise<RuntimeResponse>;
  readonly close: () => Promise<void>;
}

/** A bundled runtime interface client as a plain child process, against a real channel. */
export async function startClient(options: ClientOptions): Promise<ClientProgram> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'hob-client-')));
  const folder = join(root, 'task');
  for (const [name, content] of Object.entries(options.files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  const channel = createRuntimeChannel(options.channel);
  const server = createServer((socket) => channel.accept(socket));
  server.listen(options.overTcp === true ? { port: 0, host: '127.0.0.1' } : join(root, 'socket'));
  await once(server, 'listening');
  const address = server.address();
  const [command, ...parameters] = options.command;
  const child = startChild({
    command,
    arguments: parameters,
    directory: folder,
    environment: {
      PATH: '/usr/bin:/bin',
      PYTHONDONTWRITEBYTECODE: '1',
      LC_CTYPE: 'C.UTF-8',
      TZ: ':UTC',
      LAMBDA_TASK_ROOT: folder,
      _HANDLER: options.handler,
      AWS_LAMBDA_FUNCTION_NAME: 'f',
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '128',
      AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/f',
      AWS_LAMBDA_LOG_STREAM_NAME: 'stream',
      ...(typeof address === 'string'
        ? { HOB_RUNTIME_SOCKET: address }
        : { AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${address?.port}` }),
      ...options.environment,
    },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  let count = 0;
  return {
    channel,
    folder,
    ended: child.ended,
    async output() {
      // What was written before the answer is in the pipe by now: one turn reads it.
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      return printed;
    },
    invoke(payload, more = {}) {
      count += 1;
      return channel.exchange({
        requestId: `request-${count}`,
        deadline: Date.now() + 10_000,
        functionArn: 'arn:aws:lambda:us-east-1:123456789012:function:f:live',
        traceHeader: `Root=1-${count}`,
        payload: Buffer.from(JSON.stringify(payload)),
        ...more,
      });
    },
    async close() {
      child.kill();
      await child.ended;
      channel.close();
      server.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** The response as text, or the kind of answer that it is instead. */
export function responseOf(answer: RuntimeResponse): string {
  return answer.kind === 'response'
    ? Buffer.from(answer.payload).toString()
    : `${answer.kind}: ${answer.kind === 'error' ? Buffer.from(answer.error.payload).toString() : ''}`;
}

export function errorOf(answer: RuntimeResponse): Record<string, unknown> {
  if (answer.kind !== 'error') throw new Error(`No error but ${responseOf(answer)}`);
  return JSON.parse(Buffer.from(answer.error.payload).toString());
}

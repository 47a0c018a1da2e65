/**
 * A thread that makes network namespaces, and listens and connects in them: every thread has a namespace of its own (setns(2)), and all threads
 * have the same open files. A process for each namespace would cost the start of Node.
 */
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { createServer, type Server, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

import { toolMilliseconds } from '../process/start-process.ts';

export type NamespaceRequest =
  | { readonly do: 'make' }
  | {
      readonly do: 'listen';
      readonly namespace: number;
      readonly address: string;
      readonly port: number;
    }
  /** Begins to connect; the socket is the result. */
  | {
      readonly do: 'connect';
      readonly namespace: number;
      readonly address: string;
      readonly port: number;
    }
  /** 1 when the socket is connected, 0 while it is not. */
  | { readonly do: 'is-connected'; readonly socket: number }
  | { readonly do: 'close'; readonly namespace: number };

export type NamespaceResponse = { readonly result: number } | { readonly error: Error };

/**
 * Longest pause between two looks whether a connection to a program is made: pauses double from 1 ms, so it is given up after 511 ms.
 * Its environment is not closed meanwhile.
 */
const pauseMillisecondsMax = 256;

/** Requests are answered in their order, so a namespace that is closed is not used afterwards. */
export class NamespaceThread {
  readonly #worker: Worker;
  readonly #waiting: ((answer: NamespaceResponse) => void)[] = [];

  private constructor(worker: Worker) {
    this.#worker = worker;
    worker.on('message', (answer: NamespaceResponse) => this.#waiting.shift()?.(answer));
  }

  /** Undefined where Node cannot call functions of C: `node:ffi` is experimental, and exists since Node 26.1. */
  static async start(): Promise<NamespaceThread | undefined> {
    if (!isBuiltin('node:ffi')) return undefined;
    const worker = new Worker(new URL('namespace-worker.ts', import.meta.url), {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      // Its descriptors are of use to the whole process.
      trackUnmanagedFds: false,
    });
    // Rejects when the thread fails to start. An error afterwards has no listener and ends this process, which is restarted.
    await once(worker, 'message');
    return new NamespaceThread(worker);
  }

  /** A namespace with nothing but a loopback interface that is up. Closed by `closeNamespace`. */
  make(): Promise<number> {
    return this.#ask({ do: 'make' });
  }

  async listen(namespace: number, address: string, port: number): Promise<Server> {
    const fd = await this.#ask({ do: 'listen', namespace, address, port });
    const server = createServer();
    server.listen({ fd, backlog: 128 });
    await once(server, 'listening');
    return server;
  }

  async connect(namespace: number, address: string, port: number): Promise<Socket> {
    const fd = await this.#ask({ do: 'connect', namespace, address, port });
    try {
      for (let pause = 1; (await this.#ask({ do: 'is-connected', socket: fd })) === 0; pause *= 2) {
        if (pause > pauseMillisecondsMax) throw new Error(`${address}:${port} does not answer.`);
        await delay(pause);
      }
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    // It is passed on to another process, which reads.
    return new Socket({ fd, readable: false, writable: true });
  }

  async closeNamespace(namespace: number): Promise<void> {
    await this.#ask({ do: 'close', namespace });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  async #ask(request: NamespaceRequest): Promise<number> {
    const answered = new Promise<NamespaceResponse>((resolve) => {
      this.#waiting.push(resolve);
    });
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.#worker.postMessage(request);
    // Everything waits for it: ends this process, which is restarted.
    const timer = setTimeout(() => {
      throw new Error('The thread of network namespaces does not answer.');
    }, toolMilliseconds);
    const answer = await answered;
    clearTimeout(timer);
    if ('error' in answer) throw answer.error;
    return answer.result;
  }
}

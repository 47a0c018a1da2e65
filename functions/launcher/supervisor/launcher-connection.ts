/** The API process's end of the channel to one launcher process. */
import { Server, Socket } from 'node:net';

import { startTalkingChild, type ChildEnd, type TalkingChild } from '#platform/child-process.ts';
import { compileCacheEnvironment } from '#platform/compile-cache.ts';
import { startHeartbeat, type HeartbeatTimes } from '#platform/heartbeat.ts';
import { inBackground } from '#platform/in-background.ts';

import type { Isolation, LauncherStart } from '../isolation.ts';
import { LauncherLostError, type PeerOwner, type ProgramEnd } from '../launcher.ts';
import { reportFrom, type LauncherRequest, type LauncherResponse } from './launcher-messages.ts';

export interface LauncherReply {
  readonly value: number | undefined;
  readonly owners: readonly PeerOwner[] | undefined;
  readonly listener: Server | undefined;
  readonly connection: Socket | undefined;
}

/** How a program ended, and what is known of it then. */
export interface EndedProgram {
  readonly end: ProgramEnd;
  /** In bytes; undefined when it is not known any more. */
  readonly peakMemory: number | undefined;
}

interface Waiting {
  resolve(answer: LauncherReply): void;
  reject(error: Error): void;
}

/** Time for the launcher process to start, self-test included. */
const readyMilliseconds = 60_000;
/** Time for the launcher process to end when the server stops; then it is killed. */
const closeMilliseconds = 20_000;

export class LauncherConnection {
  readonly #child: TalkingChild;
  readonly #waiting = new Map<number, Waiting>();
  readonly #programs = new Map<number, (ended: EndedProgram) => void>();
  readonly #onDeath = new Set<(reason: string) => void>();
  #isolation: Isolation | undefined;
  #death: string | undefined;
  #calls = 0;
  #stderrTail = '';
  #endHeartbeat: () => void = () => {};

  private constructor(child: TalkingChild, log: (line: string) => void) {
    this.#child = child;
    child.stdout.resume();
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderrTail = (this.#stderrTail + text).slice(-2000);
      for (const line of text.split('\n').filter(Boolean)) log(line);
    });
    child.onMessage((message, handle) => this.#onMessage(reportFrom(message), handle));
    inBackground(
      child.ended.then((end) => this.#onEnd(end)),
      (error) => log(String(error)),
    );
  }

  /**
   * Starts a launcher process and waits until it has tested the host; one that hangs later is killed. `signal` kills one that is
   * still being started.
   */
  static async open(
    command: readonly [string, ...string[]],
    start: LauncherStart,
    log: (line: string) => void,
    heartbeat?: HeartbeatTimes,
    signal?: AbortSignal,
  ): Promise<LauncherConnection> {
    signal?.throwIfAborted();
    const [file, ...args] = command;
    const child = startTalkingChild({
      command: file,
      arguments: args,
      environment: compileCacheEnvironment(),
      directory: '/',
    });
    const connection = new LauncherConnection(child, log);
    const kill = (): unknown => child.kill();
    const timeout = setTimeout(kill, readyMilliseconds);
    signal?.addEventListener('abort', kill);
    try {
      await connection.ask({ do: 'begin', start });
    } catch (error) {
      // It may go on after a failed start, and nothing else would end it.
      await connection.close();
      throw error;
    } finally {
      clearTimeout(timeout);
      signal?.removeEventListener('abort', kill);
    }
    connection.#endHeartbeat = startHeartbeat(
      () => connection.ask({ do: 'ping' }),
      () => {
        log('The launcher process does not answer any more, and is killed.');
        child.kill();
      },
      heartbeat,
    );
    return connection;
  }

  get alive(): boolean {
    return this.#death === undefined;
  }

  get isolation(): Isolation {
    if (!this.#isolation) throw new Error('The launcher is not initialized.');
    return this.#isolation;
  }

  ask(request: LauncherRequest): Promise<LauncherReply> {
    if (!this.alive) return Promise.reject(this.#gone());
    this.#calls += 1;
    const call = this.#calls;
    return new Promise((resolve, reject) => {
      this.#waiting.set(call, { resolve, reject });
      this.#child.send({ call, request });
    });
  }

  /** A number for a program to be started, and a promise of its end: when the launcher ends at the latest. */
  expectProgram(): { readonly program: number; readonly ended: Promise<EndedProgram> } {
    this.#calls += 1;
    const program = this.#calls;
    const ended = new Promise<EndedProgram>((resolve) => {
      if (this.alive) this.#programs.set(program, resolve);
      else resolve(lost);
    });
    return { program, ended };
  }

  /** A program that was expected does not start. */
  forgetProgram(program: number): void {
    this.#programs.delete(program);
  }

  /** Calls back with the reason when the process ends, immediately if it has; returns a function that removes the listener. */
  onDeath(listener: (reason: string) => void): () => void {
    if (this.#death === undefined) this.#onDeath.add(listener);
    else listener(this.#death);
    return () => this.#onDeath.delete(listener);
  }

  async close(): Promise<void> {
    this.#endHeartbeat();
    // It exits when its standard input ends.
    this.#child.stdin.end();
    const timeout = setTimeout(() => this.#child.kill(), closeMilliseconds);
    await this.#child.ended;
    clearTimeout(timeout);
  }

  #onMessage(report: LauncherResponse, handle: unknown): void {
    switch (report.kind) {
      case 'ready':
        this.#isolation = report.isolation;
        break;
      case 'done': {
        const { value, owners } = report;
        const listener = handle instanceof Server ? handle : undefined;
        const connection = handle instanceof Socket ? handle : undefined;
        this.#take(report.call)?.resolve({ value, owners, listener, connection });
        break;
      }
      case 'failed':
        this.#take(report.call)?.reject(failureOf(report));
        break;
      case 'ended':
        this.#end(report.program, { end: report.end, peakMemory: report.peakMemory });
        break;
    }
  }

  #take(call: number): Waiting | undefined {
    const waiting = this.#waiting.get(call);
    this.#waiting.delete(call);
    return waiting;
  }

  #end(program: number, ended: EndedProgram): void {
    this.#programs.get(program)?.(ended);
    this.#programs.delete(program);
  }

  #onEnd({ status, signal, startError }: ChildEnd): void {
    this.#endHeartbeat();
    this.#death = startError?.message ?? signal ?? `exit status ${status ?? 'unknown'}`;
    for (const call of this.#waiting.keys()) this.#take(call)?.reject(this.#gone());
    for (const program of this.#programs.keys()) this.#end(program, lost);
    for (const listener of this.#onDeath) listener(this.#death);
    this.#onDeath.clear();
  }

  #gone(): Error {
    return new LauncherLostError(`${this.#death}; ${this.#stderrTail}`.replace(/;\s*$/, ''));
  }
}

function failureOf({ message, diskFull }: Extract<LauncherResponse, { kind: 'failed' }>): Error {
  return diskFull ? Object.assign(new Error(message), { code: 'ENOSPC' }) : new Error(message);
}

const lost: EndedProgram = { end: { kind: 'lost' }, peakMemory: undefined };

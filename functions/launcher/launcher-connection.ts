/** The API process's end of the channel to one launcher process. */
import { Server, Socket } from 'node:net';

import { startTalkingChild } from '#platform/child-process.ts';
import type { TalkingChild } from '#platform/child-process.ts';
import { inBackground } from '#platform/in-background.ts';

import type { Isolation } from './isolation.ts';
import type { ProgramEnd } from './launcher.ts';
import { reportFrom } from './launcher-messages.ts';
import type { LauncherStart, Order, Report } from './launcher-messages.ts';

export interface Answer {
  readonly value: number | string | boolean | undefined;
  readonly listener: Server | undefined;
  readonly connection: Socket | undefined;
}

interface Waiting {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

const readyMilliseconds = 60_000;
const closeMilliseconds = 20_000;

export class LauncherConnection {
  readonly #child: TalkingChild;
  readonly #log: (line: string) => void;
  readonly #waiting = new Map<number, Waiting>();
  readonly #programs = new Map<number, (end: ProgramEnd) => void>();
  #isolation: Isolation | undefined;
  #alive = true;
  #calls = 0;
  #lastWords = '';

  private constructor(child: TalkingChild, log: (line: string) => void) {
    this.#child = child;
    this.#log = log;
    child.stdout.resume();
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#lastWords = (this.#lastWords + text).slice(-2000);
    });
    child.onMessage((message, handle) => this.#hear(reportFrom(message), handle));
    inBackground(child.ended.then(() => this.#onEnd()));
  }

  /** Starts a launcher process and waits until it has tested the host. */
  static async open(
    command: readonly [string, ...string[]],
    start: LauncherStart,
    log: (line: string) => void,
  ): Promise<LauncherConnection> {
    const [file, ...words] = command;
    const child = startTalkingChild({
      command: file,
      arguments: words,
      environment: {},
      directory: '/',
    });
    const connection = new LauncherConnection(child, log);
    const timeout = setTimeout(() => child.kill(), readyMilliseconds);
    try {
      await connection.ask({ do: 'begin', start });
    } finally {
      clearTimeout(timeout);
    }
    return connection;
  }

  get alive(): boolean {
    return this.#alive;
  }

  get isolation(): Isolation {
    if (!this.#isolation) throw new Error('The launcher has not said what it can do.');
    return this.#isolation;
  }

  ask(order: Order): Promise<Answer> {
    if (!this.#alive) return Promise.reject(this.#gone());
    this.#calls += 1;
    const call = this.#calls;
    return new Promise((resolve, reject) => {
      this.#waiting.set(call, { resolve, reject });
      this.#child.send({ call, order });
    });
  }

  /** A number for a program to be started, and how it ends: with the launcher at the latest. */
  expectProgram(): { readonly program: number; readonly ended: Promise<ProgramEnd> } {
    this.#calls += 1;
    const program = this.#calls;
    const ended = new Promise<ProgramEnd>((resolve) => {
      this.#programs.set(program, resolve);
      if (!this.#alive) this.#end(program, goneWithLauncher);
    });
    return { program, ended };
  }

  async close(): Promise<void> {
    // The end of its input tells it to end.
    this.#child.stdin.end();
    const timeout = setTimeout(() => this.#child.kill(), closeMilliseconds);
    await this.#child.ended;
    clearTimeout(timeout);
  }

  #hear(report: Report, handle: unknown): void {
    switch (report.kind) {
      case 'ready':
        this.#isolation = report.isolation;
        break;
      case 'done': {
        const listener = handle instanceof Server ? handle : undefined;
        const connection = handle instanceof Socket ? handle : undefined;
        this.#take(report.call)?.resolve({ value: report.value, listener, connection });
        break;
      }
      case 'failed':
        this.#take(report.call)?.reject(failureOf(report));
        break;
      case 'ended':
        this.#end(report.program, report.end);
        break;
      case 'log':
        this.#log(report.line);
        break;
    }
  }

  #take(call: number): Waiting | undefined {
    const waiting = this.#waiting.get(call);
    this.#waiting.delete(call);
    return waiting;
  }

  #end(program: number, end: ProgramEnd): void {
    this.#programs.get(program)?.(end);
    this.#programs.delete(program);
  }

  #onEnd(): void {
    this.#alive = false;
    for (const line of this.#lastWords.split('\n').filter(Boolean)) this.#log(line);
    for (const call of this.#waiting.keys()) this.#take(call)?.reject(this.#gone());
    for (const program of this.#programs.keys()) this.#end(program, goneWithLauncher);
  }

  #gone(): Error {
    return new Error(`The launcher process has ended. ${this.#lastWords}`.trim());
  }
}

function failureOf({ message, diskFull }: Extract<Report, { kind: 'failed' }>): Error {
  return diskFull ? Object.assign(new Error(message), { code: 'ENOSPC' }) : new Error(message);
}

const goneWithLauncher: ProgramEnd = { kind: 'killed', signal: 'SIGKILL', outOfMemory: false };

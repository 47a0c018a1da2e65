import { descendants, tracesOf } from '../faults/host.ts';
import { elapsed } from '../faults/server-under-test.ts';
import { atExit } from '../scenarios/child-processes.ts';
import {
  type RunningServer,
  type ServerOptions,
  startServer,
} from '../scenarios/running-server.ts';

/** A server of the installation: at one port and on one data folder, however often it is started. */
export class ClusterNode {
  readonly name: string;
  readonly port: number;
  readonly data: string;
  readonly sshPort: number | undefined;
  /** Where the other nodes reach it; undefined where there are none. */
  readonly nodeAddress: string | undefined;
  readonly #options: ServerOptions;
  #programFolder: string | undefined;
  #server: RunningServer | undefined;
  #output = '';
  #continueAtExit: (() => void) | undefined;

  constructor(
    name: string,
    { port, sshPort }: { readonly port: number; readonly sshPort?: number | undefined },
    data: string,
    options: ServerOptions,
  ) {
    this.name = name;
    this.port = port;
    this.sshPort = sshPort;
    this.nodeAddress = options.environment?.['HOB_NODE_ADDRESS'];
    this.data = data;
    this.#options = { ...options, port };
    this.#programFolder = options.programFolder;
  }

  get server(): RunningServer {
    if (!this.#server) throw new Error(`${this.name} was never started.`);
    return this.#server;
  }

  /** Everything that its servers have printed. */
  output(): string {
    return `${this.#output}${this.#server?.output() ?? ''}`;
  }

  async start(): Promise<void> {
    this.#output = this.output();
    this.#server = undefined;
    const programFolder = this.#programFolder;
    this.#server = await startServer(this.data, { ...this.#options, programFolder });
  }

  /** From its next start on it runs this version. */
  upgrade(): void {
    this.#programFolder = undefined;
  }

  async kill(): Promise<void> {
    await this.server.kill();
    await this.#untilGone();
  }

  async stop(): Promise<number | null> {
    const status = await this.server.stop();
    await this.#untilGone();
    return status;
  }

  /** Stops all its processes as a machine that stands still does. */
  pause(): void {
    this.#continueAtExit = atExit(() => this.#signal('SIGCONT'));
    this.#signal('SIGSTOP');
  }

  continue(): void {
    this.#signal('SIGCONT');
    this.#continueAtExit?.();
  }

  isRunning(): boolean {
    return isRunning(this.server.pid);
  }

  /** As a supervisor does. */
  async startIfEnded(): Promise<void> {
    if (this.isRunning()) return;
    await this.#untilGone();
    await this.start();
  }

  /** Whether it ends by itself within some time. */
  async endsWithin(seconds: number): Promise<boolean> {
    return Number.isFinite(await elapsed(async () => !this.isRunning(), seconds));
  }

  async untilReady(seconds = 60): Promise<void> {
    const isReady = async (): Promise<boolean> =>
      (await fetch(`http://127.0.0.1:${this.port}/readyz`)).status === 200;
    if (Number.isFinite(await elapsed(isReady, seconds))) return;
    throw new Error(`${this.name} is not ready after ${seconds} s.`);
  }

  async remove(): Promise<void> {
    if (this.#server) await this.kill();
  }

  killAtOnce(): void {
    if (this.#server) sendSignal(this.#server.pid, 'SIGKILL');
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.server;
    // The server first: it starts no other process then.
    for (const each of [pid, ...descendants(pid)]) sendSignal(each, signal);
  }

  /** Its processes end shortly after it. */
  async #untilGone(): Promise<void> {
    const gone = await elapsed(async () => tracesOf(this.data).length === 0, 20);
    if (Number.isFinite(gone)) return;
    throw new Error(`${this.name} left processes or mounts: ${tracesOf(this.data).join('; ')}`);
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}

const isRunning = (pid: number): boolean => sendSignal(pid, 0);

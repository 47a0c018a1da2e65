/**
 * The launcher process: it starts the programs and is as small as possible. It ends when the API process closes the channel or dies,
 * and everything that it started ends with it.
 */
import { Socket, type Server } from 'node:net';

import { inBackground, reportError } from '#platform/in-background.ts';
import { present } from '#platform/present.ts';
import { storageFailure, isDiskFullMessage } from '#platform/storage-failure.ts';

import { closeInherited } from '../process/start-process.ts';
import { probeHost } from '../host-probe/probe-host.ts';
import { findInternet } from '../host-probe/find-internet.ts';
import { isolationOf } from '../host-probe/enforcement.ts';
import { cgroupParent, noteCgroups, removeStaleState } from './stale-state.ts';
import {
  callFrom,
  type LauncherCall,
  type LauncherRequest,
  type LauncherResponse,
} from './launcher-messages.ts';
import type { LauncherStart } from '../isolation.ts';
import type { PeerOwner, ProgramEnd, ServiceAddress } from '../launcher.ts';
import type { IsolationBackend } from '../sandbox/isolation-backend.ts';
import { NamespaceThread } from '../network/namespace-thread.ts';
import { ownersOfPeers, type SocketOwner } from '../network/loopback-connections.ts';
import { makeNetworkNamespace } from '../network/network-namespace.ts';
import { networkTools, SupervisedSandbox } from '../sandbox/supervised-sandbox.ts';
import type { SupervisedProcess } from '../sandbox/supervised-process.ts';

interface RequestResult {
  readonly value?: number;
  readonly owners?: readonly PeerOwner[];
  /** A listener, or a connection. */
  readonly handle?: Server | Socket;
}

class LauncherProcess {
  readonly #sandboxes = new Map<string, SupervisedSandbox>();
  readonly #programs = new Map<number, SupervisedProcess>();
  readonly #underWay = new Set<Promise<RequestResult>>();
  #closing = false;
  #folder = '';
  #backend: IsolationBackend | undefined;

  async answer(request: LauncherRequest): Promise<RequestResult> {
    if (this.#closing) throw new Error('The launcher is closed.');
    const underWay = this.#answer(request);
    this.#underWay.add(underWay);
    try {
      return await underWay;
    } finally {
      this.#underWay.delete(underWay);
    }
  }

  async #answer(request: LauncherRequest): Promise<RequestResult> {
    switch (request.do) {
      case 'begin':
        await this.#begin(request.start);
        return {};
      case 'ping':
        return {};
      case 'open': {
        const backend = this.#isolationBackend();
        const sandbox = await SupervisedSandbox.open(
          backend,
          request.sandbox,
          backend.users?.next(),
        );
        this.#sandboxes.set(request.sandbox.id, sandbox);
        return {};
      }
      case 'start':
        await this.#start(request);
        return {};
      case 'listen': {
        const listener = await this.#sandbox(request.sandbox).listen();
        return listener ? { handle: listener } : {};
      }
      case 'serve': {
        const listener = await this.#sandbox(request.sandbox).serviceListener();
        return listener ? { handle: listener } : {};
      }
      case 'connect': {
        const connection = await this.#sandbox(request.sandbox).connect(request.port);
        return connection ? { handle: connection } : {};
      }
      case 'owners':
        return { owners: ownersOfPeers(request.connections).map((owner) => this.#peer(owner)) };
      case 'close': {
        const sandbox = this.#sandbox(request.sandbox);
        this.#sandboxes.delete(request.sandbox);
        await sandbox.close();
        return {};
      }
      case 'kill':
        await this.#programs.get(request.program)?.kill();
        return {};
      case 'terminate':
        this.#programs.get(request.program)?.terminate();
        return {};
      case 'throttle':
        this.#programs.get(request.program)?.throttle();
        return {};
      case 'peak':
        return { value: this.#programs.get(request.program)?.peakMemory() ?? 0 };
    }
  }

  async #start({
    sandbox,
    program,
    spec: message,
  }: Extract<LauncherRequest, { do: 'start' }>): Promise<void> {
    const started = await this.#sandbox(sandbox).start(message);
    this.#programs.set(program, started);
    const onEnd = (end: ProgramEnd): void => {
      this.#programs.delete(program);
      report({ kind: 'ended', program, end, peakMemory: started.peakMemory() });
    };
    inBackground(started.ended.then(onEnd));
  }

  /** A failed removal does not stop the others; the next launcher removes the rest. */
  async close(): Promise<void> {
    this.#closing = true;
    // A call in progress may still create something to remove.
    await Promise.allSettled(this.#underWay);
    await Promise.all(
      [...this.#sandboxes.values()].map((sandbox) => attempt(() => sandbox.close())),
    );
    await attempt(async () => this.#backend?.namespaceThread?.close());
    await attempt(async () => this.#backend?.storage.close());
    await attempt(async () => this.#backend?.cgroups?.end());
    if (this.#folder !== '') await attempt(() => removeStaleState(this.#folder));
  }

  async #begin(start: LauncherStart): Promise<void> {
    await removeStaleState(start.folder);
    this.#folder = start.folder;
    const probed = await probeHost(start, cgroupParent(start.folder));
    const namespaceThread = await threadFor(probed, start);
    const backend = { ...probed, ...present({ namespaceThread }) };
    const service = await serviceFor(backend, start);
    const internet = start.internet ? await findInternet(backend) : undefined;
    const tools = typeof internet === 'string' ? undefined : internet;
    this.#backend = { ...backend, ...present({ service, internet: tools }) };
    const { cgroups } = this.#backend;
    if (cgroups) await noteCgroups(start.folder, cgroups);
    const noInternet = typeof internet === 'string' ? internet : undefined;
    report({
      kind: 'ready',
      isolation: { ...isolationOf(this.#backend), ...present({ noInternet }) },
    });
  }

  #peer(owner: SocketOwner | 'closed' | undefined): PeerOwner {
    if (owner === 'closed') return { kind: 'closed' };
    const entries = owner === undefined ? [] : [...this.#sandboxes];
    const [id] = entries.find(([, sandbox]) => owner && sandbox.owns(owner)) ?? [];
    return id === undefined ? { kind: 'other' } : { kind: 'sandbox', id };
  }

  #isolationBackend(): IsolationBackend {
    if (!this.#backend) throw new Error('The launcher is not initialized.');
    return this.#backend;
  }

  #sandbox(id: string): SupervisedSandbox {
    const sandbox = this.#sandboxes.get(id);
    if (!sandbox) throw new Error(`Sandbox ${id} not found.`);
    return sandbox;
  }
}

/** Undefined where programs make network namespaces, or nothing can. */
async function threadFor(
  backend: IsolationBackend,
  { without }: LauncherStart,
): Promise<NamespaceThread | undefined> {
  if (networkTools(backend) === undefined || without.includes('node:ffi')) return undefined;
  try {
    return await NamespaceThread.start();
  } catch (error) {
    reportError(error);
    return undefined;
  }
}

/** Undefined where sandboxes cannot have the service's address; the log says why. */
async function serviceFor(
  backend: IsolationBackend,
  { service }: LauncherStart,
): Promise<ServiceAddress | undefined> {
  const tools = networkTools(backend);
  if (service === undefined || tools === undefined) return undefined;
  try {
    await (await makeNetworkNamespace(tools, service)).close();
    return service;
  } catch (error) {
    reportError(error);
    return undefined;
  }
}

async function attempt(step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    reportError(error);
  }
}

function report(message: LauncherResponse, handle?: Server | Socket): void {
  if (!process.connected) return;
  // An error event without a listener would end this process before the handle is passed on.
  if (handle instanceof Socket) handle.on('error', () => handle.destroy());
  process.send?.(message, handle, {}, () => {
    if (handle instanceof Socket) handle.destroy();
    else handle?.close();
  });
}

/** Time for the launcher to remove its sandboxes when the server ends: less than that after which the server would kill it. */
const closeMilliseconds = 15_000;

closeInherited();
// The server's own mask closes its files to others; programs start with the usual mask, and other users may read their files.
process.umask(0o022);
const launcher = new LauncherProcess();

async function handleRequest({ call, request }: LauncherCall): Promise<void> {
  try {
    const { value, owners, handle } = await launcher.answer(request);
    report({ kind: 'done', call, ...present({ value, owners }) }, handle);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const diskFull = storageFailure(error) === 'disk-full' || isDiskFullMessage(message);
    report({ kind: 'failed', call, message, diskFull });
  }
}

process.on('message', (message) => inBackground(handleRequest(callFrom(message))));
// Standard input ends when the API process closes it, and when that process dies for any reason.
process.stdin.resume().once('end', () => {
  // What hangs is left to the next launcher, which removes the rest.
  setTimeout(() => process.exit(1), closeMilliseconds);
  inBackground(launcher.close().then(() => process.exit()));
});

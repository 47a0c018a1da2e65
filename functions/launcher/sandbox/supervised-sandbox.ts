/** A sandbox, in the launcher process. */
import { chmod, chown, mkdir, readdir, rm } from 'node:fs/promises';
import type { Server, Socket } from 'node:net';
import { join } from 'node:path';

import { inBackground } from '#platform/in-background.ts';

import { configuredAddresses, forwardConfigured } from '../network/configured-network.ts';
import type { NetworkTarget, Program, SandboxSpec } from '../launcher.ts';
import { connectToInternet, type Internet } from '../network/internet.ts';
import { haveSocket, type SocketOwner } from '../network/loopback-connections.ts';
import type { IsolationBackend } from './isolation-backend.ts';
import {
  makeNetworkNamespace,
  type NetworkNamespace,
  type NetworkTools,
} from '../network/network-namespace.ts';
import { userInside, type SandboxResources } from './sandbox-resources.ts';
import { writeEtcFiles } from './etc-files.ts';
import type { SupervisedProcess } from './supervised-process.ts';
import type { BoundFolder } from '../storage/bind-mount-cache.ts';
import { startProcessInSandbox } from './start-process-in-sandbox.ts';
import type { StorageFolder } from '../storage/temporary-storage.ts';

export class SupervisedSandbox {
  readonly #backend: IsolationBackend;
  readonly #resources: SandboxResources;
  readonly #reachable: BoundFolder;
  readonly #servers: Server[] = [];
  readonly #folder: string;
  readonly #programs = new Set<SupervisedProcess>();
  /** What `close` waits for: a program that is being started is not among the programs yet. */
  readonly #underWay = new Set<Promise<unknown>>();
  #network: Promise<NetworkNamespace> | undefined;
  #internet: Internet | undefined;
  #starts = 0;
  #closing = false;

  private constructor(
    backend: IsolationBackend,
    sandbox: SandboxResources,
    reachable: BoundFolder,
    folder: string,
  ) {
    this.#backend = backend;
    this.#resources = sandbox;
    this.#reachable = reachable;
    this.#folder = folder;
  }

  static async open(
    backend: IsolationBackend,
    spec: SandboxSpec,
    user: number | undefined,
  ): Promise<SupervisedSandbox> {
    const folder = join(backend.folder, 'sandboxes', spec.id);
    try {
      return await SupervisedSandbox.#openIn(folder, backend, spec, user);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  static async #openIn(
    folder: string,
    backend: IsolationBackend,
    spec: SandboxSpec,
    user: number | undefined,
  ): Promise<SupervisedSandbox> {
    const targets = spec.network.kind === 'declared' ? spec.network.targets : [];
    const shown = [...spec.mounts.map(({ from }) => from), spec.root];
    await mkdir(folder, { recursive: true, mode: 0o711 });
    const etc = writeEtcFiles({
      folder: join(folder, 'etc'),
      user: userInside,
      network: spec.network.kind,
      addresses: configuredAddresses(targets),
      service: backend.service,
      image: spec.root !== undefined,
    });
    const sockets = spec.mounts.filter((mount) => mount.sockets === true);
    await Promise.all(sockets.map(({ from }) => closeToOthers(from, user)));
    const [storage, reachable] = await bothOrNeither(
      backend.storage.make(spec.id, spec.ephemeralStorageMiB, user),
      backend.reachable.use(
        shown.filter((path) => path !== undefined),
        // Without mounts, programs use the host's paths.
        backend.sandbox.kind === 'none' ? undefined : user,
      ),
    );
    const mounts = spec.mounts.map((mount, index) => ({
      ...mount,
      from: reachable.paths[index] ?? mount.from,
    }));
    const image = spec.root === undefined ? undefined : reachable.paths.at(-1);
    const resources = { spec, user, storage, mounts, image, etc, namespace: undefined };
    const sandbox = new SupervisedSandbox(backend, resources, reachable, folder);
    try {
      await sandbox.#openNetwork(targets);
      return sandbox;
    } catch (error) {
      await sandbox.close();
      throw error;
    }
  }

  start(program: Program): Promise<SupervisedProcess> {
    return this.#unlessClosed(() => this.#start(program));
  }

  /** A listener on the sandbox's own loopback; undefined when the sandbox uses the host's. */
  listen(): Promise<Server | undefined> {
    return this.#unlessClosed(async () => (await this.#ownNetwork())?.listen('127.0.0.1', 0));
  }

  /** The listener at the service's address, for its one caller; undefined when the sandbox uses the host's loopback. */
  serviceListener(): Promise<Server | undefined> {
    return this.#unlessClosed(async () => (await this.#ownNetwork())?.service);
  }

  /** A connection to a port of the sandbox's own loopback; undefined when the sandbox uses the host's. */
  connect(port: number): Promise<Socket | undefined> {
    return this.#unlessClosed(async () => (await this.#ownNetwork())?.connect('127.0.0.1', port));
  }

  /** Whether a program of the sandbox has the socket open. */
  owns(owner: SocketOwner): boolean {
    const { user } = this.#resources;
    if (user !== undefined) return owner.user === user;
    // All programs have the same user here, so they are identified by their open files.
    const processes = [...this.#programs].flatMap((program) => program.processes());
    return haveSocket(processes, owner.inode);
  }

  /** Attempts every removal, then throws the first error. */
  async close(): Promise<void> {
    this.#closing = true;
    await Promise.allSettled(this.#underWay);
    const ends = await Promise.allSettled([...this.#programs].map((program) => program.kill()));
    for (const server of this.#servers) server.close();
    this.#internet?.close();
    ends.push(
      ...(await Promise.allSettled([this.#resources.namespace?.close()])),
      ...(await Promise.allSettled([this.#resources.storage.remove(), this.#reachable.release()])),
      ...(await Promise.allSettled([rm(this.#folder, { recursive: true, force: true })])),
    );
    const errors = ends.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []));
    if (errors.length > 0) throw new Error(errors.join('; '));
  }

  async #openNetwork(targets: readonly NetworkTarget[]): Promise<void> {
    const { service, internet } = this.#backend;
    const isInternet = this.#resources.spec.network.kind === 'internet';
    if (targets.length === 0 && service === undefined && !isInternet) return;
    const namespace = await this.#ownNetwork();
    if (isInternet) {
      if (!namespace || !internet) throw new Error('This host cannot connect functions.');
      const { id } = this.#resources.spec;
      this.#internet = await connectToInternet(internet, namespace, this.#folder, id);
    }
    if (namespace) this.#servers.push(...(await forwardConfigured(namespace, targets)));
  }

  async #ownNetwork(): Promise<NetworkNamespace | undefined> {
    const { kind } = this.#resources.spec.network;
    const tools = networkTools(this.#backend);
    if (kind === 'host' || tools === undefined) return undefined;
    // Concurrent callers share one: each namespace holds a file open until the sandbox is closed.
    this.#network ??= makeNetworkNamespace(tools, this.#backend.service);
    try {
      this.#resources.namespace = await this.#network;
    } catch (error) {
      this.#network = undefined;
      throw error;
    }
    return this.#resources.namespace;
  }

  async #start(program: Program): Promise<SupervisedProcess> {
    this.#starts += 1;
    const name = `${this.#resources.spec.id}-${this.#starts}`;
    const started = await startProcessInSandbox(this.#backend, this.#resources, name, program);
    this.#programs.add(started);
    inBackground(started.ended.then(() => this.#programs.delete(started)));
    return started;
  }

  async #unlessClosed<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing) throw new Error(`The sandbox ${this.#resources.spec.id} is closed.`);
    const underWay = work();
    this.#underWay.add(underWay);
    try {
      return await underWay;
    } finally {
      this.#underWay.delete(underWay);
    }
  }
}

/** Gives the contents of a directory to the user, who may read but not write the directory itself. */
async function closeToOthers(folder: string, user: number | undefined): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    await chmod(path, 0o600);
    if (user !== undefined) await chown(path, user, user);
  }
  if (user !== undefined) await chown(folder, process.getuid?.() ?? 0, user);
  await chmod(folder, user === undefined ? 0o700 : 0o750);
}

/** When one of two steps fails, undoes the other. */
async function bothOrNeither(
  making: Promise<StorageFolder>,
  using: Promise<BoundFolder>,
): Promise<[StorageFolder, BoundFolder]> {
  try {
    return await Promise.all([making, using]);
  } catch (error) {
    await Promise.allSettled([
      making.then((storage) => storage.remove()),
      using.then((reachable) => reachable.release()),
    ]);
    throw error;
  }
}

export function networkTools({
  sandbox,
  tools,
  loopbackUp,
  namespaceThread: thread,
}: IsolationBackend): NetworkTools | undefined {
  const { unshare, nsenter, sh, ip } = tools;
  if (sandbox.kind === 'none' || !unshare || !nsenter || loopbackUp === undefined) return undefined;
  return { unshare, nsenter, sh, ip, loopbackUp, thread };
}

/** A place as the launcher process has it. */
import { mkdir, rm } from 'node:fs/promises';
import type { Server, Socket } from 'node:net';
import { join } from 'node:path';

import { declaredAddresses, forwardDeclared } from './declared-network.ts';
import type { Mount, PlaceOptions, Program } from './launcher.ts';
import type { Mechanisms } from './mechanisms.ts';
import { makeNetworkNamespace } from './network-namespace.ts';
import type { NetworkNamespace, NetworkTools } from './network-namespace.ts';
import { userInside } from './open-place.ts';
import type { OpenPlace } from './open-place.ts';
import { writePlaceFiles } from './place-files.ts';
import { startInPlace } from './start-in-place.ts';
import type { ProgramInRoom } from './program-in-room.ts';
import { runTool } from './start-process.ts';
import { quoted } from './shell-words.ts';

export class PlaceInRoom {
  readonly #mechanisms: Mechanisms;
  readonly #place: OpenPlace;
  readonly #servers: Server[] = [];
  readonly #folder: string;
  readonly #programs = new Set<ProgramInRoom>();
  #starts = 0;

  private constructor(mechanisms: Mechanisms, place: OpenPlace, folder: string) {
    this.#mechanisms = mechanisms;
    this.#place = place;
    this.#folder = folder;
  }

  static async open(
    mechanisms: Mechanisms,
    options: PlaceOptions,
    user: number | undefined,
  ): Promise<PlaceInRoom> {
    const folder = join(mechanisms.folder, 'places', options.id);
    const targets = options.network.kind === 'declared' ? options.network.targets : [];
    const reachable = new ReachableFolders(mechanisms, join(folder, 'mounts'));
    await mkdir(folder, { recursive: true, mode: 0o711 });
    const [storage, etc, mounts, image] = await Promise.all([
      mechanisms.storage.make(options.id, options.temporaryMiB, user),
      writePlaceFiles({
        folder: join(folder, 'etc'),
        user: userInside,
        network: options.network.kind,
        addresses: declaredAddresses(targets),
        image: options.root !== undefined,
      }),
      reachable.mounts(options.mounts),
      options.root === undefined ? undefined : reachable.folder(options.root),
    ]);
    const opened = { options, user, storage, mounts, image, etc, namespace: undefined };
    const place = new PlaceInRoom(mechanisms, opened, folder);
    if (targets.length > 0) {
      const namespace = await place.#ownNetwork();
      if (namespace) place.#servers.push(...(await forwardDeclared(namespace, targets)));
    }
    return place;
  }

  async start(program: Program): Promise<ProgramInRoom> {
    this.#starts += 1;
    const name = `${this.#place.options.id}-${this.#starts}`;
    const started = await startInPlace(this.#mechanisms, this.#place, name, program);
    this.#programs.add(started);
    void started.ended.then(() => this.#programs.delete(started));
    return started;
  }

  /** A listener on the place's own loopback; undefined when the place has the host's. */
  async listen(): Promise<Server | undefined> {
    const namespace = await this.#ownNetwork();
    return namespace?.listen('127.0.0.1', 0);
  }

  /** A connection to a port of the place's own loopback; undefined when the place has the host's. */
  async connect(port: number): Promise<Socket | undefined> {
    const namespace = await this.#ownNetwork();
    return namespace?.connect('127.0.0.1', port);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#programs].map((program) => program.kill()));
    for (const server of this.#servers) server.close();
    this.#place.namespace?.close();
    await this.#place.storage.remove();
    const { umount } = this.#mechanisms.tools;
    if (this.#mechanisms.sandbox.kind !== 'none' && umount !== undefined) {
      const mounted = [...this.#place.mounts.map(({ from }) => from), this.#place.image];
      const words = mounted.filter((path) => path !== undefined);
      if (words.length > 0) await runTool([umount, '--lazy', ...words]);
    }
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #ownNetwork(): Promise<NetworkNamespace | undefined> {
    const { kind } = this.#place.options.network;
    const tools = networkTools(this.#mechanisms);
    if (kind === 'host' || tools === undefined) return undefined;
    this.#place.namespace ??= await makeNetworkNamespace(tools);
    return this.#place.namespace;
  }
}

export function networkTools({ sandbox, tools, loopbackUp }: Mechanisms): NetworkTools | undefined {
  const { unshare, nsenter, sh } = tools;
  if (sandbox.kind === 'none' || !unshare || !nsenter || loopbackUp === undefined) return undefined;
  return { unshare, nsenter, sh, loopbackUp };
}

/**
 * The place's user need not be able to walk the host's paths: the data folder, or the home of the person who runs Hob, may be closed
 * to others. So what is mounted is mounted for us first, where everybody in the room may pass.
 */
class ReachableFolders {
  readonly #mechanisms: Mechanisms;
  readonly #folder: string;

  constructor(mechanisms: Mechanisms, folder: string) {
    this.#mechanisms = mechanisms;
    this.#folder = folder;
  }

  async mounts(mounts: readonly Mount[]): Promise<readonly Mount[]> {
    if (this.#mechanisms.sandbox.kind === 'none' || mounts.length === 0) return mounts;
    const moved = mounts.map((mount, index) => ({
      ...mount,
      from: join(this.#folder, `${index}`),
    }));
    const pairs = mounts.map((mount, index) => [mount.from, moved[index]?.from ?? ''] as const);
    await this.#bind(pairs);
    return moved;
  }

  async folder(path: string): Promise<string> {
    if (this.#mechanisms.sandbox.kind === 'none') return path;
    const moved = join(this.#folder, 'root');
    await this.#bind([[path, moved]]);
    return moved;
  }

  async #bind(pairs: readonly (readonly [string, string])[]): Promise<void> {
    const { sh, mount = 'mount' } = this.#mechanisms.tools;
    const lines = pairs.flatMap(([from, to]) => [
      `if [ -d ${quoted(from)} ]; then mkdir ${quoted(to)}; else : >${quoted(to)}; fi`,
      `${quoted(mount)} --rbind ${quoted(from)} ${quoted(to)}`,
    ]);
    await mkdir(this.#folder, { recursive: true, mode: 0o711 });
    await runTool([sh, '-e', '-c', lines.join('\n')]);
  }
}

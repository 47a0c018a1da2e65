import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';

import { defaultShard } from '#forge/git/process/sharded-git.ts';
import { inBackground } from '#platform/in-background.ts';
import type { Log } from '#platform/log.ts';

import type { GitShards } from '../shards/git-shards.ts';
import type { GitShard } from '../shards/shard-store.ts';
import type { ClusterGit } from './cluster-git.ts';
import type { Membership } from './membership.ts';
import { type Notice, shardNotice } from './node-notices.ts';
import { identityOf, type Node } from './nodes.ts';

export interface ClusterShardsOptions {
  readonly self: string;
  readonly git: GitShards<ClusterGit>;
  readonly membership: Pick<
    Membership,
    | 'excess'
    | 'giveUp'
    | 'handOver'
    | 'isCurrent'
    | 'onOwner'
    | 'owner'
    | 'owns'
    | 'shards'
    | 'unreached'
  >;
  readonly log: Log;
  readonly dial: (owner: Node, shardId: number) => TLSSocket;
  readonly notifyOthers: (notice: Notice) => Promise<void>;
  /** Others have what this server had: it must end at once. */
  readonly onLost: () => void;
  /** git of the default shard does not start: this node must stop. */
  readonly onFailure: (error: unknown) => void;
  readonly spreadMilliseconds?: number;
}

/** Time between two checks whether shards must be spread over the nodes again. */
const spreadMillisecondsDefault = 1000;
/** Time after which a handover that the database did not answer is written again. */
const retryMilliseconds = 250;

/** What this node does with a shard. */
type ShardState =
  /** Its calls go to this owner; while there is none they wait. */
  | { readonly kind: 'following'; readonly owner: string }
  /** Its git ends here so that another node may have it. Its calls wait. */
  | { readonly kind: 'leaving' };

/** Follows the owners of all shards: git of each is asked where it is, and a node hands over what it has too many of. */
export class ClusterShards {
  readonly #options: ClusterShardsOptions;
  readonly #states = new Map<number, ShardState>();
  readonly #timer: NodeJS.Timeout;
  #handingOver: Promise<void> | undefined;
  readonly #givingUp = new Set<Promise<void>>();
  #isStopped = false;

  constructor(options: ClusterShardsOptions) {
    this.#options = options;
    options.membership.onOwner(() => this.#follow());
    this.#follow();
    this.#timer = setInterval(
      () => this.#spread(),
      options.spreadMilliseconds ?? spreadMillisecondsDefault,
    );
  }

  /** Serves the calls of another node, which come over this connection. */
  accept(socket: Socket, shardId: number): void {
    const git = this.#options.git.of(shardId);
    if (git) git.accept(socket);
    else socket.destroy();
  }

  /** Calls of a shard wait until another server has it. */
  async pause(shardId: number): Promise<void> {
    await this.#options.git.of(shardId)?.pause();
  }

  /** It stays where it is: calls that wait go on. */
  resume(shardId: number): void {
    this.#options.git.of(shardId)?.resume();
  }

  /** Nothing is handed over any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await Promise.allSettled([this.#handingOver, ...this.#givingUp]);
  }

  #follow(): void {
    const { self, git, membership } = this.#options;
    git.add(membership.shards());
    const listed = new Set(membership.shards().map(({ id }) => id));
    for (const each of git.all()) {
      if (each.shard.id !== defaultShard && !listed.has(each.shard.id)) {
        this.#remove(each.shard);
        continue;
      }
      each.git.guardWith(() => membership.isCurrent());
      const owner = membership.owner(each.shard.id);
      const state = this.#states.get(each.shard.id);
      // This node is the owner until the handover is committed: git that started again would run at the same time as that of the next one.
      if (state?.kind === 'leaving' && owner?.serverId === self) continue;
      const next = owner ? identityOf(owner) : '';
      // Calls of a shard whose owner stays do not notice that another one's changes.
      if (state?.kind === 'following' && state.owner === next) continue;
      this.#states.set(each.shard.id, { kind: 'following', owner: next });
      this.#route(each, owner);
    }
  }

  /** It had no repositories any more. */
  #remove({ id, name }: GitShard): void {
    this.#states.delete(id);
    inBackground(this.#options.git.remove(id), (err) =>
      this.#options.log.warn({ err, shard: name }, 'git of a removed shard did not end'),
    );
  }

  #route({ shard, git }: { shard: GitShard; git: ClusterGit }, owner: Node | undefined): void {
    const { self, membership, dial, onLost } = this.#options;
    const { id } = shard;
    if (owner?.serverId === self) {
      // Handed over to this node, which has not taken it yet.
      if (membership.owns(id)) git.own((error) => this.#failed(shard, error));
      else this.#states.delete(id);
      return;
    }
    if (git.hasProcess()) onLost();
    else if (owner) git.ask(() => dial(owner, id));
    else git.wait();
  }

  #failed(shard: GitShard, err: unknown): void {
    const { log, onFailure } = this.#options;
    if (shard.id === defaultShard) {
      onFailure(err);
      return;
    }
    log.error(
      { err, shard: shard.name },
      'the git process of a shard does not start: another node may have it',
    );
    this.#giveUp(shard);
  }

  /** Their volumes were unmounted here, and their git processes ended for it. */
  #giveUpUnreached(): void {
    const { git, membership, log } = this.#options;
    for (const shard of membership.unreached()) {
      if (git.of(shard.id)?.statistics().isAvailable === true) continue;
      if (this.#isLeaving(shard)) continue;
      log.error({ shard: shard.name }, 'the folder of a shard is gone: another node may have it');
      this.#giveUp(shard);
    }
  }

  #giveUp(shard: GitShard): void {
    const { membership, log } = this.#options;
    // Where it comes back, it is given up again.
    if (this.#isLeaving(shard)) return;
    const givingUp = this.#leave(shard, () => membership.giveUp(shard.id))
      .catch((err: unknown) => log.error({ err, shard: shard.name }, 'a shard was not given up'))
      .finally(() => this.#givingUp.delete(givingUp));
    this.#givingUp.add(givingUp);
  }

  #spread(): void {
    this.#giveUpUnreached();
    const excess = this.#options.membership.excess();
    if (!excess || this.#handingOver || this.#isLeaving(excess.shard)) return;
    const { shard, to } = excess;
    this.#handingOver = this.#handOver(shard, to)
      .catch((err: unknown) =>
        this.#options.log.warn({ err, shard: shard.name }, 'a shard was not handed over'),
      )
      .finally(() => (this.#handingOver = undefined));
  }

  /** In peace: calls of the shard wait until the next owner has it. */
  async #handOver(shard: GitShard, to: Node): Promise<void> {
    const { membership, log, notifyOthers } = this.#options;
    // At once: each may wait for calls that are under way.
    await Promise.all([this.pause(shard.id), notifyOthers(shardNotice('pause', shard.id))]);
    // It was given up meanwhile.
    if (this.#isLeaving(shard)) return;
    await this.#leave(shard, async () => {
      const given = await membership.handOver(shard.id, to.serverId);
      if (given) log.info({ shard: shard.name, to: to.name }, 'handed a shard over');
    });
    // Not where the first of two writes was committed, and only the second was answered.
    if (membership.owns(shard.id)) await notifyOthers(shardNotice('resume', shard.id));
  }

  #isLeaving({ id }: GitShard): boolean {
    return this.#states.get(id)?.kind === 'leaving';
  }

  /** Ends git of the shard, then writes that another node may have it. */
  async #leave(shard: GitShard, write: () => Promise<void>): Promise<void> {
    const { git, notifyOthers } = this.#options;
    const leaving: ShardState = { kind: 'leaving' };
    const isLeaving = (): boolean => this.#states.get(shard.id) === leaving;
    this.#states.set(shard.id, leaving);
    let isOwnerKnown = true;
    try {
      await git.of(shard.id)?.release();
      isOwnerKnown = false;
      await this.#untilAnswered(shard, write, isLeaving);
      isOwnerKnown = true;
    } finally {
      if (isOwnerKnown && isLeaving()) this.#states.delete(shard.id);
      // Where it was not given, this node goes on with it.
      this.#follow();
      await notifyOthers('look');
    }
  }

  /** A write that failed may be committed: this node must not go on with the shard before the database says whose it is. */
  async #untilAnswered(
    shard: GitShard,
    write: () => Promise<void>,
    isLeaving: () => boolean,
  ): Promise<void> {
    for (;;) {
      try {
        await write();
        return;
      } catch (err) {
        this.#options.log.warn({ err, shard: shard.name }, 'a handover was not written; retrying');
        await delay(retryMilliseconds);
        if (this.#isStopped) throw err;
        // Another owner was seen.
        if (!isLeaving()) return;
      }
    }
  }
}

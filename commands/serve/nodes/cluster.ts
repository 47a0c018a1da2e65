import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { hostname } from 'node:os';
import type { TLSSocket } from 'node:tls';

import { defaultShard } from '#forge/git/process/sharded-git.ts';
import type { OwnRequest } from '#functions/ports/home-nodes.ts';
import type { Database, Sql } from '#platform/database/database.ts';
import { isForwarded } from '#platform/forwarded-request.ts';
import { inBackground } from '#platform/in-background.ts';
import { systemRandom } from '#platform/random.ts';

import type { GitShards } from '../shards/git-shards.ts';
import { reachesShard } from '../shards/shard-folder.ts';
import type { ListedShard } from '../shards/shard-store.ts';
import type { ClusterGit } from './cluster-git.ts';
import { ClusterShards } from './cluster-shards.ts';
import { ForwardAgent } from './forward.ts';
import { Membership, type MembershipOptions } from './membership.ts';
import type { NodeLease } from './node-lease.ts';
import { answerNotice, type Notice, sendNotice, shardNotice } from './node-notices.ts';
import { acceptTunnel, beginTunnel, tunnelProtocol } from './shard-tunnel.ts';
import { identityOf, type Node, type Nodes, NodeUnavailableError } from './nodes.ts';
import { serveForwardedRequests } from './forwarded-requests.ts';
import { dialPeer, listenForPeers, type PeerKeys, type PeerListener } from './peers.ts';

export interface ClusterOptions extends Pick<
  MembershipOptions,
  | 'log'
  | 'onLost'
  | 'releaseClaims'
  | 'renewMilliseconds'
  | 'pollMilliseconds'
  | 'steadyMilliseconds'
> {
  readonly serverId: string;
  /** `host:port` to listen at for other nodes. */
  readonly address: string;
  readonly version: string;
  /** The location of HOB_CODE. */
  readonly codeStore: string | undefined;
  readonly git: GitShards<ClusterGit>;
  /** git of the default shard does not start: this node must stop. */
  readonly onFailure: (error: unknown) => void;
  /** Answers the requests that other nodes forward. */
  readonly answer: RequestListener;
  readonly headerNames: readonly string[];
}

interface Joined {
  readonly membership: Membership;
  readonly shards: ClusterShards;
  readonly keys: PeerKeys;
  readonly listener: PeerListener;
}

/** This server as a node of its cluster. Before it joins there are no nodes. */
export class Cluster implements Nodes {
  readonly self: string;
  readonly #options: ClusterOptions;
  readonly #listeners = new Set<() => void>();
  /** By all that distinguishes a node. */
  readonly #agents = new Map<string, ForwardAgent>();
  readonly #accepted = new Map<TLSSocket, string>();
  readonly #passed: ReturnType<typeof serveForwardedRequests>;
  #joined: Joined | undefined;
  #isServing = false;

  constructor(options: ClusterOptions) {
    this.self = options.serverId;
    this.#options = options;
    this.#passed = serveForwardedRequests(options.answer, options.headerNames);
  }

  /** From now on the other nodes know this one, which gets the shards that no other has. The database is closed in the end. */
  async join(keys: PeerKeys, database: Database): Promise<void> {
    const listener = await this.#listen(keys).catch(async (error: unknown) => {
      await database.close();
      throw error;
    });
    const membership = await Membership.join({
      ...this.#options,
      reaches: reachesShard,
      database,
      node: {
        serverId: this.self,
        name: `${hostname()}, process ${process.pid}`,
        address: listener.address,
        version: this.#options.version,
        codeStore: this.#options.codeStore,
        incarnation: systemRandom.id(),
      },
    }).catch(async (error: unknown) => {
      await listener.close();
      throw error;
    });
    const shards = new ClusterShards({
      ...this.#options,
      self: this.self,
      membership,
      dial: (owner, shardId) => this.#dialOwner(keys, membership, owner, shardId),
      notifyOthers: (notice) => this.#notifyOthers(notice),
    });
    this.#joined = { membership, shards, keys, listener };
    membership.onNodes(() => this.#nodesChanged());
    inBackground(this.#notifyOthers('look'));
  }

  /** The address that the other nodes know. */
  get address(): string {
    return this.#joined?.listener.address ?? this.#options.address;
  }

  live(): readonly Node[] {
    return this.#joined?.membership.serving() ?? [];
  }

  /** Whether another node takes requests. */
  othersServe(): boolean {
    return this.live().some(({ serverId }) => serverId !== this.self);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async forward(to: Node, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (isForwarded(request)) throw new Error('A request is forwarded once.');
    await this.#agentOf(to).forward(to, request, response);
  }

  async post(to: Node, request: OwnRequest): Promise<IncomingMessage> {
    return this.#agentOf(to).post(to, request);
  }

  /** Whether this node has the shard. Who has the default one works on what all nodes share. */
  owns(shardId: number): boolean {
    return this.#joined?.membership.owns(shardId) ?? false;
  }

  /** The other node that has the shard; undefined: this one has it, or none. */
  otherOwnerOf(shardId: number): Node | undefined {
    const owner = this.#joined?.membership.owner(shardId);
    return owner?.serverId === this.self ? undefined : owner;
  }

  /** Undefined before this node has joined. */
  lease(): NodeLease | undefined {
    return this.#joined?.membership.lease;
  }

  /** All shards by name, and whether this node has each. */
  shards(): readonly (readonly [string, boolean])[] {
    const listed = this.#joined?.membership.shards() ?? [];
    return listed.map(({ id, name }) => [name, this.owns(id)]);
  }

  /** As this node saw them last. */
  listedShards(): readonly ListedShard[] {
    return this.#joined?.membership.shards() ?? [];
  }

  /** Reads who has which shard. */
  async poll(): Promise<void> {
    await this.#joined?.membership.poll();
  }

  /** Whether the lease of a node is valid. */
  isLive(serverId: string): boolean {
    return this.#joined?.membership.isLive(serverId) ?? false;
  }

  /** Within a transaction: whether this node may declare changes of the repository's refs. */
  async ownsShardOf(sql: Sql, repositoryId: number): Promise<boolean> {
    return (await this.#joined?.membership.ownsShardOf(sql, repositoryId)) ?? false;
  }

  /** False: the clock of this machine is far from that of the database. */
  clockIsRight(): boolean {
    return this.#joined?.membership.clock.isRight() ?? true;
  }

  /** Whether this node takes requests: those that others forward, and those of a balancer. */
  isServing(): boolean {
    return this.#isServing;
  }

  /** From now on other nodes forward requests to this one. */
  async serve(): Promise<void> {
    await this.#joined?.membership.serve(true);
    this.#isServing = true;
    await this.#notifyOthers('look');
  }

  /** Other nodes pass nothing more on; those that do not notice it at once do so for another second. */
  async drain(): Promise<void> {
    await this.#joined?.membership.serve(false);
    this.#isServing = false;
    await this.#notifyOthers('look');
  }

  /** Hands its shards over, and ends what connects this node to others. */
  async leave(): Promise<void> {
    if (this.#joined) await this.#leave(this.#joined);
    for (const agent of this.#agents.values()) agent.close();
    this.#passed.close();
    for (const socket of this.#accepted.keys()) socket.destroy();
  }

  async #leave({ membership, shards, listener }: Joined): Promise<void> {
    await shards.stop();
    const own = membership.shards().filter(({ id }) => membership.owns(id));
    await Promise.all(own.map(({ id }) => this.#notifyOthers(shardNotice('pause', id))));
    if (own.length > 0) await this.#options.git.close();
    await membership.leave();
    await this.#notifyOthers('look');
    await listener.close();
  }

  #listen(keys: PeerKeys): Promise<PeerListener> {
    const { address, log } = this.#options;
    const accept = (socket: TLSSocket, from: string): void => {
      this.#accepted.set(socket, from);
      socket.once('close', () => this.#accepted.delete(socket));
    };
    return listenForPeers({
      address,
      log,
      keys,
      accept: {
        'http/1.1': (socket, from) => {
          accept(socket, from);
          this.#passed.accept(socket);
        },
        'hob-git': (socket, from) => {
          accept(socket, from);
          this.#acceptTunnel(socket, defaultShard);
        },
        'hob-git-shard': (socket, from) => {
          accept(socket, from);
          acceptTunnel(socket, (shardId) => this.#acceptTunnel(socket, shardId));
        },
        'hob-node': (socket) =>
          answerNotice(socket, {
            poll: () => this.poll(),
            pause: async (shardId) => this.#joined?.shards.pause(shardId),
            resume: (shardId) => this.#joined?.shards.resume(shardId),
          }),
      },
    });
  }

  #acceptTunnel(socket: TLSSocket, shardId: number): void {
    if (this.#joined) this.#joined.shards.accept(socket, shardId);
    else socket.destroy();
  }

  #dialOwner(keys: PeerKeys, membership: Membership, owner: Node, shardId: number): TLSSocket {
    const socket = dialPeer(keys, this.self, owner, tunnelProtocol(shardId));
    // It may have ended: the sooner that is known, the sooner another has the shard.
    socket.once('error', () => inBackground(membership.poll()));
    return beginTunnel(socket, shardId);
  }

  /** Nothing of dead nodes happens any more, and nothing is awaited of them. */
  #nodesChanged(): void {
    for (const [socket, from] of this.#accepted) if (!this.isLive(from)) socket.destroy();
    const present = new Set(this.#joined?.membership.others().map(identityOf));
    for (const [id, agent] of this.#agents) {
      if (present.has(id)) continue;
      agent.close();
      this.#agents.delete(id);
    }
    for (const listener of this.#listeners) listener();
  }

  #agentOf(to: Node): ForwardAgent {
    if (!this.#joined) throw new NodeUnavailableError('This server has not joined the cluster.');
    const { keys } = this.#joined;
    const id = identityOf(to);
    const agent =
      this.#agents.get(id) ?? new ForwardAgent(() => dialPeer(keys, this.self, to, 'http/1.1'));
    this.#agents.set(id, agent);
    return agent;
  }

  /** Whom the notice does not reach finds out by itself. */
  async #notifyOthers(notice: Notice): Promise<void> {
    if (!this.#joined) return;
    const { keys, membership } = this.#joined;
    const notify = async (to: Node): Promise<void> => {
      const sent = sendNotice(dialPeer(keys, this.self, to, 'hob-node'), notice);
      await sent.catch((err: unknown) =>
        this.#options.log.debug({ err, node: to.name, notice }, 'a node did not get a notice'),
      );
    };
    await Promise.all(membership.others().map(notify));
  }
}

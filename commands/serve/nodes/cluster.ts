import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { hostname } from 'node:os';
import type { TLSSocket } from 'node:tls';

import type { OwnRequest } from '#functions/ports/home-nodes.ts';
import type { Database, Sql } from '#platform/database/database.ts';
import { isForwarded } from '#platform/forwarded-request.ts';
import { inBackground } from '#platform/in-background.ts';
import { systemRandom } from '#platform/random.ts';

import type { ClusterGit } from './cluster-git.ts';
import { ForwardAgent } from './forward.ts';
import { Membership, type MembershipOptions } from './membership.ts';
import { answerNotice, type Notice, sendNotice } from './node-notices.ts';
import { type Node, type Nodes, NodeUnavailableError } from './nodes.ts';
import { servePassedRequests } from './passed-requests.ts';
import { dialPeer, listenForPeers, type PeerKeys, type PeerListener } from './peers.ts';

export interface ClusterOptions extends Pick<
  MembershipOptions,
  'log' | 'onLost' | 'releaseClaims' | 'renewMilliseconds' | 'lookMilliseconds'
> {
  readonly serverId: string;
  /** `host:port` to listen at for other nodes. */
  readonly address: string;
  readonly version: string;
  readonly git: ClusterGit;
  /** Answers the requests that other nodes pass on. */
  readonly answer: RequestListener;
  readonly headerNames: readonly string[];
}

interface Joined {
  readonly membership: Membership;
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
  readonly #passed: ReturnType<typeof servePassedRequests>;
  #joined: Joined | undefined;

  constructor(options: ClusterOptions) {
    this.self = options.serverId;
    this.#options = options;
    this.#passed = servePassedRequests(options.answer, options.headerNames);
  }

  /** From now on the other nodes know this one, which gets the repositories if no other has them. The database is closed in the end. */
  async join(keys: PeerKeys, database: Database): Promise<void> {
    const listener = await this.#listen(keys).catch(async (error: unknown) => {
      await database.close();
      throw error;
    });
    const membership = await Membership.join({
      ...this.#options,
      database,
      node: {
        serverId: this.self,
        name: `${hostname()}, process ${process.pid}`,
        address: listener.address,
        version: this.#options.version,
        incarnation: systemRandom.id(),
      },
    }).catch(async (error: unknown) => {
      await listener.close();
      throw error;
    });
    this.#joined = { membership, keys, listener };
    this.#options.git.guardWith(() => membership.isCurrent());
    membership.onOwner(() => this.#routeGit());
    membership.onNodes(() => this.#nodesChanged());
    this.#routeGit();
    inBackground(this.#notifyOthers('look'));
  }

  /** The address that the other nodes know. */
  get address(): string {
    return this.#joined?.listener.address ?? this.#options.address;
  }

  live(): readonly Node[] {
    return this.#joined?.membership.serving() ?? [];
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async forward(to: Node, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (isForwarded(request)) throw new Error('A request is passed on once.');
    await this.#agentOf(to).forward(to, request, response);
  }

  async post(to: Node, request: OwnRequest): Promise<IncomingMessage> {
    return this.#agentOf(to).post(to, request);
  }

  /** Whether this node has the repositories, and works on what all share. */
  owns(): boolean {
    return this.#joined?.membership.owns() ?? false;
  }

  /** Whether the lease of a node is valid. */
  isLive(serverId: string): boolean {
    return this.#joined?.membership.isLive(serverId) ?? false;
  }

  /** Within a transaction: whether this node may declare changes of refs. */
  async mayChangeRefs(sql: Sql): Promise<boolean> {
    return (await this.#joined?.membership.mayChangeRefs(sql)) ?? false;
  }

  /** From now on other nodes pass requests on to this one. */
  async serve(): Promise<void> {
    await this.#joined?.membership.serve(true);
    await this.#notifyOthers('look');
  }

  /** Other nodes pass nothing more on; those that do not hear of it at once, for a second more. */
  async drain(): Promise<void> {
    await this.#joined?.membership.serve(false);
    await this.#notifyOthers('look');
  }

  /** Hands the repositories over, and ends what connects this node to others. */
  async leave(): Promise<void> {
    if (this.#joined) await this.#leave(this.#joined);
    for (const agent of this.#agents.values()) agent.close();
    this.#passed.close();
    for (const socket of this.#accepted.keys()) socket.destroy();
  }

  async #leave({ membership, listener }: Joined): Promise<void> {
    if (membership.owns()) {
      await this.#notifyOthers('pause');
      await this.#options.git.close();
    }
    await membership.leave();
    await this.#notifyOthers('look');
    await listener.close();
  }

  #listen(keys: PeerKeys): Promise<PeerListener> {
    const { address, git } = this.#options;
    const accept = (socket: TLSSocket, from: string): void => {
      this.#accepted.set(socket, from);
      socket.once('close', () => this.#accepted.delete(socket));
    };
    return listenForPeers({
      address,
      keys,
      accept: {
        'http/1.1': (socket, from) => {
          accept(socket, from);
          this.#passed.accept(socket);
        },
        'hob-git': (socket, from) => {
          accept(socket, from);
          git.accept(socket);
        },
        'hob-node': (socket) =>
          answerNotice(socket, {
            look: async () => this.#joined?.membership.look(),
            pause: () => git.pause(),
          }),
      },
    });
  }

  #routeGit(): void {
    const { git } = this.#options;
    const owner = this.#joined?.membership.owner();
    if (!owner) git.wait();
    else if (owner.serverId === this.self) git.own();
    else git.ask(() => this.#dialOwner(owner));
  }

  #dialOwner(owner: Node): TLSSocket {
    if (!this.#joined) throw new NodeUnavailableError('This server has not joined the cluster.');
    const { keys, membership } = this.#joined;
    const socket = dialPeer(keys, this.self, owner, 'hob-git');
    // It may have ended: the sooner that is known, the sooner another has the repositories.
    return socket.once('error', () => inBackground(membership.look()));
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

function identityOf({ serverId, name, address }: Node): string {
  return JSON.stringify([serverId, name, address]);
}

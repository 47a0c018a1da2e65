/** Plays whatever writes, and compares responses from the cache with those that would be made now. */
import assert from 'node:assert/strict';

import type { FastifyInstance } from 'fastify';

import { present } from '#platform/present.ts';

import { createForgeServer } from '../forge.ts';
import { endpoints } from '../routes.ts';
import { pathIn, furnish, type FurnishedRepository } from './furnished-repository.ts';
import { startTestForge, type TestForge, type TestResponse, type TestUser } from './test-forge.ts';

/** A response that can be cached, and who asks for it. */
export interface Read {
  readonly path: string;
  readonly authorization: string | undefined;
}

/** Something that writes: an operation of an interface, a form of a page, or a push. */
export interface Write {
  readonly name: string;
  readonly play: () => Promise<TestResponse | undefined>;
  /** No cacheable response shows what it writes, to rows or to git: all go on to be sent from the cache. */
  readonly unseen?: 'rows' | 'git';
}

/** What each response has of its own. */
const ofTheRequest = /^(?:date|x-github-request-id|x-ratelimit-.+)$/;
/** What is shown of git alone, and slow to find out there. */
const ofGit = /\/(commits|compare|contents|git|readme|tags)\b/;

/** A forge with a repository that has something of everything, and two servers for it: one caches responses, the other does not. */
export class ResponseSweep {
  readonly forge: TestForge;
  readonly owner: TestUser;
  /** A member of the organization. */
  readonly mate: TestUser;
  readonly guest: TestUser;
  readonly furnished: FurnishedRepository;
  /** Where the repository is by now. */
  home: string;
  /** Every cacheable response about the repository, and some of those that others get. */
  reads: readonly Read[];
  readonly #caching: FastifyInstance;
  readonly #uncached: FastifyInstance;
  /** The ids of the requests that were not answered from the cache. */
  readonly #created: Set<string>;
  /** Which of the reads got 200 when the cache was filled: others are not cached. */
  readonly #there = new Map<Read, boolean>();

  static async open(): Promise<ResponseSweep> {
    const forge = await startTestForge({ previews: 'lenient', imports: 'private' });
    const created = new Set<string>();
    const caching = await createForgeServer(forge.ports, { observe: (id) => created.add(id) });
    const uncached = await createForgeServer(forge.ports, { responseCacheBytesMax: 0 });
    const owner = await forge.user('own', { siteAdmin: true });
    const guest = await forge.user('guest');
    const mate = await forge.user('mate');
    await forge.organization(owner, 'acme');
    await owner.put('/orgs/acme/memberships/mate');
    await owner.post('/orgs/acme/teams', { name: 'crew', privacy: 'closed' });
    await owner.put('/orgs/acme/teams/crew/memberships/mate');
    const furnished = await furnish(forge, owner, { name: 'room' });
    const parts = { forge, owner, mate, guest, furnished, caching, uncached, created };
    return new ResponseSweep(parts);
  }

  private constructor(
    parts: Pick<ResponseSweep, 'forge' | 'owner' | 'mate' | 'guest' | 'furnished'> & {
      readonly caching: FastifyInstance;
      readonly uncached: FastifyInstance;
      readonly created: Set<string>;
    },
  ) {
    const { furnished } = parts;
    this.forge = parts.forge;
    this.owner = parts.owner;
    this.mate = parts.mate;
    this.guest = parts.guest;
    this.furnished = furnished;
    this.#caching = parts.caching;
    this.#uncached = parts.uncached;
    this.#created = parts.created;
    this.home = furnished.fullName;
    this.reads = this.#readsOfAll();
  }

  async close(): Promise<void> {
    await this.#caching.close();
    await this.#uncached.close();
    await this.forge.close();
  }

  at(path: string): string {
    return `/repos/${this.home}${path}`;
  }

  /** A parameter of a path below the repository. */
  value(name: string, path = ''): string {
    return this.furnished.parameter(path, name) ?? assert.fail(name);
  }

  /** The status that a credential gets by now. */
  async statusOf(read: Read): Promise<number> {
    return (await this.#ask(this.#caching, read)).seen.status;
  }

  moveTo(next: string): void {
    this.reads = this.reads.map((read) => ({ ...read, path: read.path.replace(this.home, next) }));
    this.home = next;
  }

  /** Fills the cache, also where asking begins work in the background that invalidates what was filled. */
  async warm(requested: readonly Read[] = this.canaries()): Promise<void> {
    const fill = async (): Promise<void> => {
      for (const read of requested) this.#there.set(read, (await this.statusOf(read)) === 200);
    };
    await fill();
    await this.forge.ports.background.idle();
    await fill();
  }

  /** One for each network and credential: those of one have one generation. */
  canaries(): Read[] {
    return this.reads.filter(({ path }) => [this.at(''), '/repos/mate/room'].includes(path));
  }

  /** Plays writes up to the one of this name, or all that are left. */
  async play(writing: Iterator<Write>, until?: string): Promise<void> {
    const asking = {
      rows: () => this.reads.filter(({ path }) => !ofGit.test(path)),
      git: () => this.reads,
    } as const;
    let warmed: Write['unseen'];
    for (let row = writing.next(); row.done !== true; row = writing.next()) {
      const { name, play, unseen } = row.value;
      const requested = unseen ? asking[unseen]() : this.canaries();
      if (!unseen || unseen !== warmed) await this.warm(requested);
      warmed = unseen;
      // What is written at the same time as before would show no new time. All rows take less than an hour, after which the cache
      // leaves requests to the record of a token's use.
      this.forge.clock.advance(2000);
      const response = await play();
      assert.ok((response?.status ?? 200) < 400, `${name}: ${response?.status} ${response?.text}`);
      await this.forge.ports.background.idle();
      const { hits, stale } = await this.#compare(requested);
      assert.deepEqual(stale, [], name);
      // Else the sweep would show nothing, or the cache be emptied for nothing.
      const expected = unseen
        ? requested.filter((read) => this.#there.get(read) === true).length
        : 0;
      assert.equal(hits, expected, `${name} left ${hits} of ${requested.length} in the cache`);
      if (name === until) return;
    }
  }

  #readsOfAll(): Read[] {
    const { owner, mate, guest, furnished } = this;
    const cacheable = endpoints
      .map((endpoint) => endpoint.declaration)
      .filter((declaration) => declaration.cacheable === true)
      .map((declaration) => pathIn(furnished, declaration));
    const at = (path: string): string => this.at(path);
    const more = ['/pulls?state=all', '/issues?state=all', '/commits?sha=topic'].map(at);
    const few = ['', '/pulls/1', '/pulls', '/issues', '/branches', '/assignees', '/teams'].map(at);
    return [
      ...[...cacheable, ...more].map((path) => ({ path, authorization: `token ${owner.token}` })),
      ...few.map((path) => ({ path, authorization: `token ${mate.token}` })),
      ...few.map((path) => ({ path, authorization: `token ${guest.token}` })),
      ...few.map((path) => ({ path, authorization: undefined })),
    ];
  }

  /** Asks for everything; says how many responses came from the cache, and which of them were not what is made now. */
  async #compare(requested: readonly Read[]): Promise<{ hits: number; stale: string[] }> {
    let hits = 0;
    const stale: string[] = [];
    for (const read of requested) {
      this.#created.clear();
      const { id, seen } = await this.#ask(this.#caching, read);
      if (this.#created.has(id)) continue;
      hits += 1;
      const fresh = (await this.#ask(this.#uncached, read)).seen;
      if (JSON.stringify(seen) !== JSON.stringify(fresh)) {
        stale.push(
          `${read.path} of ${read.authorization ?? 'anybody'}: ${seen.status} ${seen.body} is by now ${fresh.status} ${fresh.body}`,
        );
      }
    }
    return { hits, stale };
  }

  async #ask(server: FastifyInstance, { path, authorization }: Read) {
    const headers = { 'user-agent': 'hob-sweep', host: 'forge.test' };
    const response = await server.inject({
      method: 'GET',
      url: path,
      headers: { ...headers, ...present({ authorization }) },
    });
    const shown = Object.entries(response.headers).filter(([name]) => !ofTheRequest.test(name));
    return {
      id: String(response.headers['x-github-request-id']),
      seen: {
        status: response.statusCode,
        headers: Object.fromEntries(shown),
        body: response.body,
      },
    };
  }
}

import type { FastifyInstance } from 'fastify';

import { findAccount, listUsers } from '#forge/accounts/account-store.ts';
import { deletePersonalToken, insertToken } from '#forge/auth/credential-store.ts';
import { sha256 } from '#forge/auth/token.ts';
import { type Scope, scopes as allScopes, widest } from '#forge/model/scopes.ts';
import type { Ports } from '#forge/ports/ports.ts';
import { systemClock } from '#platform/clock.ts';
import { uniqueViolation } from '#platform/database/constraint-violation.ts';
import { systemRandom } from '#platform/random.ts';

import { sign, type Signer } from '../../../cli/signing/sign.ts';
import { ControlRefusal } from './control-request.ts';

export interface SeedServices {
  readonly ports: Ports;
  /** Takes requests without a connection. */
  readonly application: FastifyInstance;
  /** Resolves when the background work has ended. */
  quiet(): Promise<void>;
  accessKey(): Promise<Signer>;
}

interface Actor {
  readonly accountId: number;
  readonly tokenId: number;
  readonly token: string;
}

/** Asks the server what seeds need, as the users whose data it is to be. */
export class SeedClient {
  readonly #services: SeedServices;
  /** Called after each request: what was asked for next comes later. */
  readonly #step: () => void;
  readonly #actors = new Map<string, Actor>();

  constructor(services: SeedServices, step: () => void) {
    this.#services = services;
    this.#step = step;
  }

  /** A token with a chosen text, which no other server allows. */
  async addToken(login: string, token: string, scopes: readonly Scope[]): Promise<Actor> {
    const { database, clock } = this.#services.ports;
    const added = database.write(async (sql) => {
      const account = await findAccount(sql, login);
      if (account?.kind !== 'user') throw refusal(`There is no user ${login}.`);
      const tokenId = await insertToken(sql, {
        accountId: account.id,
        sha256: sha256(token),
        lastEight: token.slice(-8),
        note: 'seed',
        scopes: widest(scopes),
        now: clock.now(),
      });
      return { accountId: account.id, tokenId, token };
    });
    return added.catch((error: unknown) => {
      if (!uniqueViolation(error)) throw error;
      throw refusal(`The token of ${login} is already that of another user.`);
    });
  }

  async administrator(): Promise<string> {
    const users = await this.#services.ports.database.read(listUsers);
    const found = users.find(({ siteAdmin }) => siteAdmin);
    if (!found) throw refusal('There is no site administrator.');
    return found.login;
  }

  /** Asks the REST API, and gives the parsed response. */
  async api(login: string, method: Method, path: string, body?: object): Promise<unknown> {
    const { token } = await this.#actor(login);
    const headers = { authorization: `token ${token}`, 'user-agent': 'hob-seed' };
    return this.#send({ method, path: `/api/v3${path}`, headers }, body);
  }

  /** Asks the function service. */
  async functions(method: Method, path: string, body?: object): Promise<unknown> {
    const { host } = new URL(this.#services.ports.settings.baseUrl);
    const headers = { host, 'content-type': 'application/json' };
    const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
    const signer = await this.#services.accessKey();
    const signed = sign({ method, path, headers, body: bytes }, signer, systemClock.now());
    return this.#send({ method, path, headers: signed.headers }, body);
  }

  /** Removes the tokens with which it asked. */
  async close(): Promise<void> {
    await this.#services.ports.database.write(async (sql) => {
      for (const { accountId, tokenId } of this.#actors.values()) {
        await deletePersonalToken(sql, accountId, tokenId);
      }
    });
  }

  async #actor(login: string): Promise<Actor> {
    const key = login.toLowerCase();
    const known = this.#actors.get(key);
    if (known) return known;
    const made = await this.addToken(login, systemRandom.token(), allScopes);
    this.#actors.set(key, made);
    return made;
  }

  async #send(
    { method, path, headers }: { method: Method; path: string; headers: Record<string, string> },
    body: object | undefined,
  ): Promise<unknown> {
    const response = await this.#services.application.inject({
      method,
      url: path,
      headers,
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    // Test merges have the time of the clock in them, which goes forward afterwards.
    await this.#services.quiet();
    this.#step();
    const { statusCode, body: text } = response;
    if (statusCode >= 400) throw refusal(`${method} ${path} responded ${statusCode}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH';

function refusal(message: string): ControlRefusal {
  return new ControlRefusal(422, `Seeding stopped: ${message}`);
}

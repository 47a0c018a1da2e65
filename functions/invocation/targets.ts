import type { Database, Sql } from '#platform/database/database.ts';
import { ReadCache } from '#platform/database/read-cache.ts';
import type { Random } from '#platform/random.ts';

import { latest, readVersionName } from '../configuration/function-record.ts';
import type { VersionSpec } from '../environments/version-spec.ts';
import { invalidParameter } from '../errors/functions-error.ts';
import { type FunctionReference, namesAlias } from '../model/function-name.ts';
import { findAliasRoute } from '../versions/alias-store.ts';
import { type Invocable, findInvocable, findVersionSpec } from './invocation-store.ts';

/** Versions and aliases cached for invocations until the next commit to the database, on SQLite, of some hundred bytes each. */
const entriesMax = 5000;

/** Finds the targets of invocations; never returns stale ones. */
export class Targets {
  readonly #database: Database;
  readonly #cache: ReadCache<Target>;
  readonly #random: Random;

  constructor(database: Database, random: Random) {
    this.#database = database;
    this.#cache = new ReadCache(database, entriesMax);
    this.#random = random;
  }

  async find(reference: FunctionReference): Promise<Invocable | undefined> {
    const key = `${reference.name} ${reference.qualifier ?? ''}`;
    const target = await this.#cache.find(key, () => this.#read(reference));
    return target && chosenBy(target, target.other ? this.#random.fraction() : 0);
  }

  #read(reference: FunctionReference): Promise<Target | undefined> {
    const find = (sql: Sql): Promise<Target | undefined> => findTarget(sql, reference);
    // Finding an alias takes several statements, a version one.
    const alias = namesAlias(reference.qualifier ?? latest);
    return alias ? this.#database.read(find) : this.#database.readOne(find);
  }
}

/** The version that is invoked, and the one to which an alias routes a share of its invocations. */
interface Target {
  readonly usual: Invocable;
  readonly other: { readonly invocable: Invocable; readonly weight: number } | undefined;
}

export async function findTarget(
  sql: Sql,
  { name, qualifier = latest }: FunctionReference,
): Promise<Target | undefined> {
  if (!namesAlias(qualifier)) return only(sql, name, readVersionName(qualifier));
  const route = await findAliasRoute(sql, name, qualifier);
  const target = route && (await only(sql, name, route.number));
  if (!target || !route.other) return target;
  const invocable = await findInvocable(sql, name, route.other.number);
  return invocable && { ...target, other: { invocable, weight: route.other.weight } };
}

/** `fraction` is a new random number for each invocation: 0 <= fraction < 1. */
export function chosenBy({ usual, other }: Target, fraction: number): Invocable {
  return other && fraction < other.weight ? other.invocable : usual;
}

async function only(sql: Sql, name: string, number: number): Promise<Target | undefined> {
  const usual = await findInvocable(sql, name, number);
  return usual && { usual, other: undefined };
}

type Served = Pick<Invocable, 'versionId' | 'activeConfigurationId'>;

/** Configurations cached for invocations, of a few kilobytes each. */
const cachedSpecsMax = 2000;

/** A cache of active configurations: a configuration never changes under its id, so no entry is ever stale. */
export class VersionSpecCache {
  readonly #database: Database;
  readonly #cache = new Map<string, VersionSpec>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** The active configuration of a version; undefined if it was never provisioned, or was deleted. */
  async of({ versionId, activeConfigurationId }: Served): Promise<VersionSpec | undefined> {
    if (activeConfigurationId === undefined) return undefined;
    const key = `${versionId} ${activeConfigurationId}`;
    const cached = this.#cache.get(key);
    if (cached) return cached;
    const spec = await this.#database.read((sql) =>
      findVersionSpec(sql, versionId, activeConfigurationId),
    );
    if (!spec) return undefined;
    for (const oldest of this.#cache.keys()) {
      if (this.#cache.size < cachedSpecsMax) break;
      this.#cache.delete(oldest);
    }
    this.#cache.set(key, spec);
    return spec;
  }
}

/** How an invocation addresses a function. */
interface Address {
  readonly tenantId: string | undefined;
  /** Whether it names a version or an alias. */
  readonly qualified: boolean;
}

/**
 * A function with tenant isolation requires a tenant id, and others take none. A durable function may run for so long that the
 * invocation must name a version.
 */
export function checkAddress(
  { configuration }: Pick<VersionSpec, 'configuration'>,
  { tenantId, qualified }: Address,
): void {
  if (configuration.DurableConfig && !qualified) {
    throw invalidParameter('You cannot invoke a durable function using an unqualified ARN.');
  }
  const isolated = configuration.TenancyConfig?.TenantIsolationMode === 'PER_TENANT';
  if (isolated === (tenantId !== undefined)) return;
  throw invalidParameter(
    isolated
      ? 'The invoked function uses tenant isolation. Add a valid tenant ID to your request and try again.'
      : 'The invoked function does not use tenant isolation. Remove the tenant ID from your request and try again.',
  );
}

/** How invocations interact with functions that are inactive because they were not used. */
export interface Inactivity {
  /** A version is being invoked. */
  markUsed(versionId: number): void;
  /** Activates an inactive version that is invoked; resolves once its state is Pending. */
  activate(versionId: number): Promise<void>;
}

import type { RequestContext } from '../../http/request-context.ts';
import type { Json } from '../../json/json-values.ts';
import type { AppPermissionName } from '../../model/app.ts';
import type { UserCaller } from '../../model/caller.ts';
import type { Ports } from '../../ports/ports.ts';
import type { RepositoryLocator } from '../../repositories/repository-access.ts';
import type { Arguments } from '../engine/arguments.ts';
import type { Cost } from '../engine/cost.ts';
import type { FieldResolver, FieldResolvers, TypeResolvers } from '../engine/executable-schema.ts';
import type { ExecutionLimits } from '../engine/limits.ts';
import type { Loaders } from './loaders.ts';
import type { RepositorySource } from './sources.ts';

/** What the resolvers of one request share. */
export interface GraphqlContext {
  readonly ports: Ports;
  readonly request: RequestContext<UserCaller>;
  readonly limits: ExecutionLimits;
  /** Runs git, with few of its commands at a time for one request. */
  readonly inSlot: <T>(work: () => Promise<T>) => Promise<T>;
  /** The same for searches, one at a time. */
  readonly inSearchSlot: <T>(work: () => Promise<T>) => Promise<T>;
  readonly cost: Cost;
  readonly loaders: Loaders;
  /** The repository for what this operation of the REST API may show of it, or the refusal that REST would answer. */
  readonly access: (
    locator: RepositoryLocator,
    operation: string,
    /** The path parameters that distinguish issues from pulls. */
    parameters?: Readonly<Record<string, string>>,
  ) => Promise<RepositorySource>;
  /** Refuses an installation without any of these permissions for a repository that not everybody may read. */
  readonly reads: (repositoryId: number, names: readonly AppPermissionName[]) => Promise<void>;
  /** The repository for changes that need read access and further conditions. */
  readonly enter: (repositoryId: number) => Promise<RepositorySource>;
  /** Runs an operation of the REST API, with its access rule, its validation and its effects. */
  readonly perform: (operation: string, call: OperationCall) => Promise<Json>;
  /** Drops what was read before a change; `perform` does it too. */
  readonly forget: () => void;
}

export interface OperationCall {
  /** The repository of an operation in a repository. */
  readonly repositoryId?: number;
  readonly path?: Readonly<Record<string, string | number>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

export type Resolver<Source> = FieldResolver<Source, GraphqlContext>;
export type Fields<Source> = FieldResolvers<Source, GraphqlContext>;
export type Resolvers = TypeResolvers<GraphqlContext>;

/** Changes something, and gives the fields of the payload. */
type Mutation = (
  input: Arguments,
  context: GraphqlContext,
) => Promise<Readonly<Record<string, unknown>>>;

/** By their names. */
export type Mutations = Readonly<Record<string, Mutation>>;

/** A field with one value on this server, whatever its source. */
export function always(value: unknown): () => unknown {
  return () => value;
}

/** The path of a URL of this server. */
export function pathOfUrl(url: string): string {
  return new URL(url).pathname;
}

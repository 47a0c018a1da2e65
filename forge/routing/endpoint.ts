import type { Static, TObject } from 'typebox';
import Type from 'typebox';

import type { AppCaller, Caller, InstallationCaller, UserCaller } from '../model/caller.ts';
import type {
  ChangePolicy,
  RepositoryAccess,
  RepositoryPolicy,
} from '../repositories/repository-access.ts';
import type { Scope } from '../model/scopes.ts';
import type { Ports } from '../ports/ports.ts';
import type { Format } from '../http/media-types.ts';
import type { RateResource } from '../http/rate-limit.ts';
import type { EndpointResult } from '../http/endpoint-result.ts';
import type { RequestContext } from '../http/request-context.ts';

/** The declaration of an endpoint, which is checked before its handler runs. */
export interface Declaration<Path extends string = string> {
  /** The operation's id in the published description of the interface, `pulls/get`. */
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** In the notation of docs/specification/forge.md 1.7: `/repos/:owner/:repo/pulls/:pull_number`. A last `*` takes the rest of the path. */
  readonly path: Path;
  /** Complete paths, instead of `path` below the two prefixes of the REST API. */
  readonly paths?: readonly string[];
  /** Where its reference is: `pulls#get-a-pull-request`. */
  readonly docs: string;
  /** The value of `X-Accepted-OAuth-Scopes`. */
  readonly acceptedScopes?: string;
  /** Formats in addition to JSON; for others the response is JSON if `Accept` allows it, otherwise 406. */
  readonly formats?: readonly Format[];
  /** The preview media type that it requires (docs/specification/forge.md 8.3). */
  readonly preview?: { readonly name: string; readonly feature: string };
  readonly pageSizeDefault?: number;
  /** What its requests are counted with, instead of with most others. */
  readonly rateResource?: RateResource;
  /** It runs git for as long as a transfer may, so it takes a slot of transfers. */
  readonly transfer?: true;
  /** `per_page` is ignored (docs/specification/forge.md 5.1). */
  readonly pageSizeFixed?: true;
  /** An array as body is treated as an object with this field, because older clients send lists that way. */
  readonly arrayField?: string;
  /** Sends a file if `Accept: application/octet-stream` asks for it, or whatever is accepted. */
  readonly sendsFiles?: 'on request' | 'always';
  /** The body is bytes that the handler reads as they arrive; also served below `/api/uploads`. */
  readonly takesUpload?: true;
  /** Larger request bodies are refused with 413. */
  readonly bodyBytesMax?: number;
  /**
   * The response depends only on the repository's network, the accounts, the caller and the request, so it may be cached
   * (http/response-cache.ts).
   */
  readonly cacheable?: true;
  /** Exceptions, for endpoints with a parameter that makes the response depend on the time. */
  readonly cacheableUnless?: (query: URLSearchParams) => boolean;
}

/** The parameters of a path; those that end in `_id` or `_number` are parsed as numbers. */
export type PathParameters<Path extends string> = {
  readonly [Name in ParameterNames<Path>]: Name extends `${string}_id` | `${string}_number`
    ? number
    : string;
};

type ParameterNames<Path extends string> = Path extends `${infer Head}/${infer Tail}`
  ? ParameterNames<Head> | ParameterNames<Tail>
  : Path extends `:${infer Name}`
    ? Name
    : Path extends '*'
      ? '*'
      : never;

export interface EndpointRequest<
  Path extends string,
  Body,
  Who extends Caller = Caller,
> extends RequestContext<Who> {
  readonly path: PathParameters<Path>;
  readonly body: Body;
}

/** The access rule of an endpoint. */
export type EndpointAccess =
  | { readonly kind: 'anyone' }
  | {
      readonly kind: 'user';
      readonly scopes: readonly Scope[];
      /** Also for the tokens of installations; the handler decides what of it. */
      readonly installations?: true;
    }
  | { readonly kind: 'site-admin' }
  | { readonly kind: 'app' }
  /** `refusal`: the message for other callers. */
  | { readonly kind: 'installation'; readonly refusal: string }
  | { readonly kind: 'repository'; readonly policy: RepositoryPolicy };

/** An endpoint without the types of its path and body, as the router and the runner use it. */
export interface Endpoint {
  readonly declaration: Declaration;
  readonly access: EndpointAccess;
  readonly bodySchema: TObject;
  readonly run: (
    request: EndpointRequest<string, unknown>,
    access: RepositoryAccess | undefined,
    ports: Ports,
  ) => Promise<EndpointResult>;
}

/** For all callers, including anonymous ones. */
export function openEndpoint<const Path extends string, Body extends TObject = TObject>(
  endpoint: Declaration<Path> & {
    readonly body?: Body;
    handle(request: EndpointRequest<Path, Static<Body>>, ports: Ports): Promise<EndpointResult>;
  },
): Endpoint {
  return {
    declaration: endpoint,
    access: { kind: 'anyone' },
    bodySchema: endpoint.body ?? Type.Object({}),
    run: (request, _access, ports) => endpoint.handle(typed(request), ports),
  };
}

/** For signed-in users; others get 401 `Requires authentication`. A token needs one of the scopes, if any is named. */
export function userEndpoint<const Path extends string, Body extends TObject = TObject>(
  endpoint: Declaration<Path> & {
    readonly body?: Body;
    readonly scopes?: readonly Scope[];
    readonly installations?: true;
    readonly siteAdmin?: true;
    handle(
      request: EndpointRequest<Path, Static<Body>, UserCaller>,
      ports: Ports,
    ): Promise<EndpointResult>;
  },
): Endpoint {
  return {
    declaration: endpoint,
    access: endpoint.siteAdmin
      ? { kind: 'site-admin' }
      : {
          kind: 'user',
          scopes: endpoint.scopes ?? [],
          ...(endpoint.installations && { installations: true }),
        },
    bodySchema: endpoint.body ?? Type.Object({}),
    run: (request, _access, ports) => endpoint.handle(typed(request), ports),
  };
}

/** For GitHub Apps, which authenticate with a JSON Web Token. */
export function appEndpoint<const Path extends string, Body extends TObject = TObject>(
  endpoint: Declaration<Path> & {
    readonly body?: Body;
    handle(
      request: EndpointRequest<Path, Static<Body>, AppCaller>,
      ports: Ports,
    ): Promise<EndpointResult>;
  },
): Endpoint {
  return {
    declaration: endpoint,
    access: { kind: 'app' },
    bodySchema: endpoint.body ?? Type.Object({}),
    run: (request, _access, ports) => endpoint.handle(typed(request), ports),
  };
}

/** For the tokens of installations of GitHub Apps. */
export function installationEndpoint<const Path extends string>(
  endpoint: Declaration<Path> & {
    readonly refusal: string;
    handle(
      request: EndpointRequest<Path, unknown, InstallationCaller>,
      ports: Ports,
    ): Promise<EndpointResult>;
  },
): Endpoint {
  return {
    declaration: endpoint,
    access: { kind: 'installation', refusal: endpoint.refusal },
    bodySchema: Type.Object({}),
    run: (request, _access, ports) => endpoint.handle(typed(request), ports),
  };
}

/** Changes take a user (repositories/repository-access.ts). */
type CallerUnder<Policy extends RepositoryPolicy> = Policy extends ChangePolicy
  ? UserCaller
  : Caller;

/** For callers with the needed permission in the repository of the path. */
export function repositoryEndpoint<
  const Path extends `/repos/:owner/:repo${string}`,
  Body extends TObject = TObject,
  const Policy extends RepositoryPolicy = RepositoryPolicy,
>(
  endpoint: Declaration<Path> & {
    readonly policy: Policy;
    readonly body?: Body;
    handle(
      request: EndpointRequest<Path, Static<Body>, CallerUnder<Policy>>,
      access: RepositoryAccess,
      ports: Ports,
    ): Promise<EndpointResult>;
  },
): Endpoint {
  return {
    declaration: endpoint,
    access: { kind: 'repository', policy: endpoint.policy },
    bodySchema: endpoint.body ?? Type.Object({}),
    run: (request, access, ports) => {
      if (!access) throw new Error('a repository endpoint ran without its repository');
      return endpoint.handle(typed(request), access, ports);
    },
  };
}

/** The runner has parsed path and body with this endpoint's declaration, which determines their types. */
function typed<Path extends string, Body, Who extends Caller>(
  request: EndpointRequest<string, unknown>,
): EndpointRequest<Path, Body, Who> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as said above
  return request as EndpointRequest<Path, Body, Who>;
}

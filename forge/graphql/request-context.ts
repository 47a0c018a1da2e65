import { reconciledRead } from '../auth/reconciled-read.ts';
import { refuse, refuseIntegration } from '../errors/api-error.ts';
import { bodyParser } from '../http/json-body.ts';
import { resourceOf } from '../http/resource-names.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { Json } from '../json/json-values.ts';
import { isInstallation, type UserCaller } from '../model/caller.ts';
import { holdsAny } from '../model/scopes.ts';
import type { Ports } from '../ports/ports.ts';
import { notFoundIfDeleted } from '../repositories/get-repository.ts';
import {
  mayComment,
  mayRead,
  type RepositoryLocator,
  type RepositoryPolicy,
} from '../repositories/repository-access.ts';
import { authorizeOperation } from '../routing/authorize-operation.ts';
import type { Endpoint, EndpointAccess } from '../routing/endpoint.ts';
import type { Cost } from './engine/cost.ts';
import { createLimits } from './engine/limits.ts';
import { createSlots } from './engine/slots.ts';
import type { GraphqlContext, OperationCall } from './resolvers/context.ts';
import { createReads } from './resolvers/installation-guard.ts';
import { createLoaders } from './resolvers/loaders.ts';
import type { RepositorySource } from './resolvers/sources.ts';

/** The endpoints of the REST API, by their operations. */
export type Operations = ReadonlyMap<string, Endpoint>;

/** Commands of git that one GraphQL request runs at the same time; eight of all run. */
const commandsMax = 2;

interface ContextParts {
  readonly ports: Ports;
  readonly operations: Operations;
  readonly request: RequestContext<UserCaller>;
  readonly cost: Cost;
}

/** What resolvers share; access is decided by the declarations of the endpoints that show the same over REST. */
export function createContext({ ports, operations, request, cost }: ContextParts): GraphqlContext {
  const { caller } = request;
  const entered = new Map<string, Promise<RepositorySource>>();
  const enter = (
    locator: RepositoryLocator,
    operation: string,
    policy: RepositoryPolicy,
    parameters: Readonly<Record<string, string>> = {},
  ): Promise<RepositorySource> =>
    reconciledRead(ports, (sql) =>
      authorizeOperation(sql, caller, { operation, policy, locator, parameters }),
    ).then(({ access }) => ({ typeName: 'Repository', ...access }));
  const limits = createLimits();
  const inSlot = createSlots(commandsMax, () => limits.check());
  let loaders = createLoaders(ports, caller, inSlot);
  // What was read before a change is not what it has left.
  const forget = (): void => {
    loaders = createLoaders(ports, caller, inSlot);
    entered.clear();
  };
  return {
    ports,
    request,
    cost,
    limits,
    inSlot,
    inSearchSlot: createSlots(1, () => limits.check()),
    get loaders() {
      return loaders;
    },
    access(locator, operation, parameters = {}) {
      const { access } = operationNamed(operations, operation);
      const policy = access.kind === 'repository' ? access.policy : mayRead;
      const where = 'id' in locator ? locator.id : `${locator.owner}/${locator.name}`;
      // Only for an installation does it depend on the parameters.
      const about = isInstallation(caller) ? Object.values(parameters).join(' ') : '';
      const key = `${where} ${operation} ${about}`;
      const seen = entered.get(key) ?? enter(locator, operation, policy, parameters);
      entered.set(key, seen);
      return seen;
    },
    reads: createReads({ ports, request }),
    enter: (id) => enter({ id }, 'pulls/update', mayComment),
    async perform(operation, call) {
      try {
        return await perform({ ports, operations, request, cost }, operation, call);
      } finally {
        forget();
      }
    },
    forget,
  };
}

function operationNamed(operations: Operations, operation: string): Endpoint {
  const endpoint = operations.get(operation);
  if (endpoint) return endpoint;
  throw new Error(`there is no operation ${operation}`);
}

/** The access rules that are not about a repository, as `decideAccess` has them. */
function refuseOutside(access: EndpointAccess, caller: UserCaller): void {
  if (access.kind === 'repository' || access.kind === 'anyone') return;
  if (isInstallation(caller)) refuseIntegration();
  const { scopes } = caller;
  const mayCall =
    access.kind === 'user' && (access.scopes.length === 0 || holdsAny(scopes, access.scopes));
  if (!mayCall) refuse({ kind: 'not-found' });
}

/** As `endpointRunner` runs an endpoint, without HTTP: access, validation, handler. */
async function perform(
  { ports, operations, request }: ContextParts,
  operation: string,
  call: OperationCall,
): Promise<Json> {
  const endpoint = operationNamed(operations, operation);
  const { access, bodySchema, declaration } = endpoint;
  refuseOutside(access, request.caller);
  const parameters = Object.fromEntries(
    Object.entries(call.path ?? {}).map(([name, value]) => [name, String(value)]),
  );
  const id = call.repositoryId;
  const entered =
    access.kind === 'repository' && id !== undefined
      ? await reconciledRead(ports, (sql) => {
          const { policy } = access;
          const about = { operation, policy, locator: { id }, parameters };
          return authorizeOperation(sql, request.caller, about);
        })
      : undefined;
  const hasBody = Object.keys(bodySchema.properties).length > 0;
  const body = hasBody
    ? bodyParser(bodySchema, resourceOf(declaration.path))({ ...call.body })
    : {};
  const work = async (): Promise<Json> => {
    const repository = entered?.access.repository;
    const path = {
      ...(repository ? { owner: repository.owner.login, repo: repository.name } : {}),
      ...call.path,
    };
    const input = { ...request, path, query: new URLSearchParams(), body };
    const reply = await endpoint.run(input, entered?.access, ports);
    return reply.kind === 'json' ? reply.body : null;
  };
  const repositoryId = entered?.access.repository.id;
  return repositoryId === undefined
    ? work()
    : notFoundIfDeleted(ports.database, repositoryId, work);
}

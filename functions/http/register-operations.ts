import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { type Operation, requestBytesDefault } from '#functions-contract/operation.ts';
import { functionCallerOf, openToFunctions } from '#platform/function-caller.ts';
import { passiveContentHeaders } from '#platform/passive-content.ts';

import { FunctionsError } from '../errors/functions-error.ts';
import { functionNameIn } from '../model/function-name.ts';
import type { RawRequestHead } from '../signing/request-head.ts';
import type { CheckedCredential } from '../signing/signature-verifier.ts';
import type { BodyBudget } from './body-budget.ts';
import type { FunctionPorts, OperationHandler } from './call.ts';
import { checkFunctionAccess } from './function-access.ts';
import { parameterOfChange, forwardToHomes } from './forward-to-homes.ts';
import { performOperation } from './perform-operation.ts';
import { type RawInput, readInput } from './read-input.ts';
import { setErrorHandler, sendOutput } from './send-output.ts';

/** Paths of the service begin with the date of an interface's version. */
const anyVersionedPath = '/:version(^20\\d\\d-\\d\\d-\\d\\d$)/*';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation behind a route of the function service. */
    operation?: Operation;
    /** There is no operation: nothing is at the paths of the route. */
    isEmpty?: boolean;
  }

  interface FastifyRequest {
    /** Of a request to the function service, from its head. */
    functionsContext: RequestContext | undefined;
  }
}

/**
 * The steps of every request, in this order: another server answers if it is the home of the function; request id; caller, as far as the head identifies it; for requests of functions, the
 * access of that caller; size of the body, alone and together with others; signature over it; types and constraints; the operation. Each step refuses by throwing, and one function renders all refusals.
 */
export function registerOperations(
  server: FastifyInstance,
  operations: readonly OperationHandler[],
  ports: FunctionPorts,
  bodies: BodyBudget,
): void {
  server.decorateRequest('functionsContext', undefined);
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );

  forwardToHomes(server, ports.homes, (request) => {
    const given = parameterOfChange(request, 'FunctionName');
    return given === undefined ? undefined : functionNameIn(given);
  });
  server.addHook('onRequest', async (request, reply) => {
    const requestId = ports.random.id();
    reply.headers(passiveContentHeaders).header('x-amzn-requestid', requestId);
    const credential = await ports.signatures.checkCredential(headOf(request));
    request.functionsContext = { requestId, credential };
  });

  setErrorHandler(server);

  for (const route of sharedRoutes(operations)) {
    const [{ served }] = route.operations;
    const first = served.operation;
    const bodyLimit = first.requestBytesMax ?? requestBytesDefault;
    server.route({
      method: route.method,
      url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      bodyLimit,
      config: { operation: first },
      // After the hook of the scope. A function without access must not fill memory with a body.
      onRequest: (request: FastifyRequest, reply, done) => {
        const principal = request.functionsContext?.credential.claimedPrincipal;
        const caller = functionCallerOf(request.raw);
        if (caller && principal) {
          const { operation } = selectOperation(route, queryOf(request));
          checkFunctionAccess(caller, operation, principal);
        }
        bodies.enter(request, reply, bodyLimit, principal?.arn);
        done();
      },
      handler: async (request: FastifyRequest, reply: FastifyReply) => {
        const query = queryOf(request);
        const selected = selectOperation(route, query);
        const output = await checkAndPerform(ports, selected, request, query);
        return sendOutput(reply, selected.operation, output);
      },
    });
  }

  server.all(anyVersionedPath, { config: { ...openToFunctions, isEmpty: true } }, async () => {
    throw new FunctionsError('UnknownOperationException', 'Unknown operation.');
  });
}

interface RequestContext {
  readonly requestId: string;
  readonly credential: CheckedCredential;
}

const nothing = new Uint8Array();

/** The head as the client signed it: `originalUrl` is the URL before `rewriteUrl`. */
function headOf({ raw, originalUrl }: FastifyRequest): RawRequestHead {
  return { method: raw.method ?? '', target: originalUrl, rawHeaders: raw.rawHeaders };
}

/** Checks the signature, reads the input and runs the operation; calls that change something are recorded in the audit log. */
async function checkAndPerform(
  ports: FunctionPorts,
  { operation, handle }: OperationHandler,
  request: FastifyRequest,
  query: URLSearchParams,
): Promise<object> {
  if (!request.functionsContext) throw new Error('The credential was not checked.');
  const { requestId, credential } = request.functionsContext;
  const body = request.body instanceof Uint8Array ? request.body : nothing;
  const principal = credential.checkSignature(body);
  const caller = functionCallerOf(request.raw);
  if (caller) checkFunctionAccess(caller, operation, principal);
  const sourceAddress = caller?.functionArn ?? request.ip;
  const traceHeader = single(request.headers['x-amzn-trace-id']);
  const metadata = { requestId, principal, sourceAddress, traceHeader };
  return performOperation(ports, { operation, handle }, metadata, () =>
    readInput(operation, rawInput(request, query, body)),
  );
}

function rawInput(request: FastifyRequest, query: URLSearchParams, body: Uint8Array): RawInput {
  return {
    path: Object(request.params),
    query,
    header: (name) => single(request.headers[name]),
    body,
  };
}

/** The raw query: the forge's parser has other rules. */
export function queryOf(request: FastifyRequest): URLSearchParams {
  const target = request.raw.url ?? '';
  const mark = target.indexOf('?');
  return mark < 0 ? noQuery : new URLSearchParams(target.slice(mark + 1));
}

const noQuery = new URLSearchParams();

function single(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' || value === undefined ? value : value.join(', ');
}

/** Operations behind one method and path: one is meant when the query names no other. */
interface SharedRoute {
  readonly method: Operation['method'];
  readonly path: string;
  readonly operations: readonly [OfRoute, ...OfRoute[]];
}

interface OfRoute {
  readonly served: OperationHandler;
  /** What the query must hold for this one. */
  readonly requiredQuery: readonly (readonly [name: string, value: string])[];
}

/** Some paths of the contract end in a query that distinguishes two operations: `/layers?find=LayerVersion`. */
function sharedRoutes(operations: readonly OperationHandler[]): readonly SharedRoute[] {
  const routes = new Map<string, SharedRoute>();
  for (const served of operations) {
    const { method } = served.operation;
    const { path, query } = splitPath(served.operation);
    const key = `${method} ${path}`;
    const before = routes.get(key)?.operations;
    const last: OfRoute = { served, requiredQuery: [...query] };
    routes.set(key, { method, path, operations: before ? [...before, last] : [last] });
  }
  return [...routes.values()];
}

/** The operation that a request means. */
function selectOperation({ operations }: SharedRoute, query: URLSearchParams): OperationHandler {
  const named = operations.find(
    ({ requiredQuery }) =>
      requiredQuery.length > 0 && requiredQuery.every(([name, value]) => query.get(name) === value),
  );
  const plain = operations.find(({ requiredQuery }) => requiredQuery.length === 0);
  return (named ?? plain ?? operations[0]).served;
}

function splitPath({ path }: Operation): { path: string; query: URLSearchParams } {
  const [before = '', query] = path.split('?');
  return { path: before, query: new URLSearchParams(query) };
}

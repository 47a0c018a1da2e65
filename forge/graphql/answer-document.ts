import { execute, type GraphQLError, type GraphQLSchema, OperationTypeNode } from 'graphql';

import { reportError } from '#platform/in-background.ts';

import { type Refusal, refuse, RefusalError } from '../errors/api-error.ts';
import { renderRefusal } from '../errors/error-responses.ts';
import { charge } from '../http/rate-limit.ts';
import type { RequestContext } from '../http/request-context.ts';
import { refusalOfError } from '../http/from-git-error.ts';
import type { Json } from '../json/json-values.ts';
import type { UserCaller } from '../model/caller.ts';
import type { Ports } from '../ports/ports.ts';
import { checkVariableValues } from './engine/coerce-variables.ts';
import { costOf } from './engine/cost.ts';
import { createDocumentCache, operationOf } from './engine/document-cache.ts';
import { DocumentError } from './engine/document-error.ts';
import { createSchema } from './engine/executable-schema.ts';
import { GraphqlFieldError, type FieldErrorType } from './engine/field-error.ts';
import { exceededMessage, type ExecutionLimits } from './engine/limits.ts';
import { rateLimited } from './rate-limited.ts';
import { createContext, type Operations } from './request-context.ts';
import type { GraphqlContext } from './resolvers/context.ts';
import { installationGuard } from './resolvers/installation-guard.ts';
import { mutationResolvers } from './resolvers/mutations.ts';
import { allResolvers } from './resolvers/roots.ts';
import { allTypes } from './schema/all-types.ts';

export interface DocumentRequest {
  readonly query: unknown;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | undefined;
}

export type AnswerDocument = (
  ports: Ports,
  request: RequestContext<UserCaller>,
  asked: DocumentRequest,
) => Promise<Json>;

/** The interface over the operations of the REST API. */
export function createAnswer(operations: Operations): AnswerDocument {
  const schema = createSchema<GraphqlContext>(
    allTypes,
    allResolvers(mutationResolvers),
    installationGuard,
  );
  const prepare = createDocumentCache(schema);
  return async (ports, request, asked) => {
    try {
      return await answer(schema, prepare, { ports, operations, request, asked });
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
      return { errors: error.problems.map((problem) => ({ ...problem })) };
    }
  };
}

interface DocumentContext {
  readonly ports: Ports;
  readonly operations: Operations;
  readonly request: RequestContext<UserCaller>;
  readonly asked: DocumentRequest;
}

async function answer(
  schema: GraphQLSchema,
  prepare: ReturnType<typeof createDocumentCache>,
  { ports, operations, request, asked }: DocumentContext,
): Promise<Json> {
  if (typeof asked.query !== 'string') {
    const message = 'A query attribute must be specified and must be a string.';
    throw new DocumentError({ message });
  }
  const prepared = prepare(asked.query);
  const operation = operationOf(prepared, asked.operationName);
  checkVariableValues(schema, operation, asked.variables);
  const plan = prepared.planOf(operation);
  const mutations = operation.operation === OperationTypeNode.MUTATION ? plan.fields.length : 0;
  const cost = costOf(plan.fields, asked.variables, Math.max(1, mutations));
  await countRequest(request, cost.points, mutations);
  const context = createContext({ ports, operations, request, cost });
  // A mutation that has started runs to its end, even when the client has left.
  if (mutations === 0) request.onEnd?.(() => context.limits.end());
  const running = execute({
    schema,
    document: prepared.document,
    contextValue: context,
    variableValues: asked.variables,
    operationName: operation.name?.value,
    typeResolver: (source) => typeNameOf(source),
  });
  const result = await unlessExceeded(running, context.limits);
  if (result === 'exceeded') {
    const type = 'RESOURCE_LIMITS_EXCEEDED';
    return { data: null, errors: [{ type, message: exceededMessage }] };
  }
  const data = dataOf(result.data);
  if (!result.errors) return { data };
  const errors = result.errors.toSorted(compareErrors);
  const isPartlyDone = mutations > errors.filter(({ path }) => path?.length === 1).length;
  return { data, errors: errors.map((error) => representError(error, isPartlyDone)) };
}

/** Refuses a document that costs more than is left, before anything of it is done. */
async function countRequest(
  request: RequestContext<UserCaller>,
  points: number,
  mutations: number,
): Promise<void> {
  const { rate, caller, countCreation } = request;
  // The request itself has been counted.
  if (rate.used + points - 1 > rate.limit) {
    throw new DocumentError(rateLimited(caller));
  }
  charge(rate, points - 1);
  for (let counted = 0; counted < mutations; counted += 1) {
    const retryAfterSeconds = await countCreation?.();
    if (retryAfterSeconds === undefined) continue;
    refuse({ kind: 'abuse-limited', about: 'creation', retryAfterSeconds });
  }
}

/** What is left of an execution whose limits are exceeded goes on without effect and is not awaited. */
async function unlessExceeded<T>(
  running: T | Promise<T>,
  limits: ExecutionLimits,
): Promise<T | 'exceeded'> {
  const exceeded = new Promise<'exceeded'>((resolve) => {
    if (limits.exceeded()) resolve('exceeded');
    else limits.onExceeded(() => resolve('exceeded'));
  });
  const result = await Promise.race([running, exceeded]);
  return limits.exceeded() ? 'exceeded' : result;
}

/** Sources of abstract types name their type. */
function typeNameOf(source: unknown): string | undefined {
  if (typeof source !== 'object' || source === null || !('typeName' in source)) return undefined;
  return typeof source.typeName === 'string' ? source.typeName : undefined;
}

/** Resolvers give only what JSON can hold: the schema checks every leaf. */
function dataOf(data: unknown): Json {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as said above
  return (data ?? null) as Json;
}

/** In the order of the document and of its lists, and not in the order in which fields happened to fail. */
function compareErrors(one: GraphQLError, other: GraphQLError): number {
  const positions = (one.positions?.[0] ?? 0) - (other.positions?.[0] ?? 0);
  if (positions !== 0) return positions;
  for (const [index, segment] of (one.path ?? []).entries()) {
    const opposite = other.path?.[index];
    if (typeof segment === 'number' && typeof opposite === 'number' && segment !== opposite) {
      return segment - opposite;
    }
  }
  return 0;
}

/** Errors of other kinds are about the request and not about a field: they are answered as everywhere. */
function representError(error: GraphQLError, isPartlyDone: boolean): Json {
  const { type, message } = describe(error.originalError ?? error, isPartlyDone);
  return {
    ...(type === undefined ? {} : { type }),
    path: [...(error.path ?? [])],
    locations: (error.locations ?? []).map(({ line, column }) => ({ line, column })),
    message,
  };
}

function describe(
  error: Error,
  isPartlyDone: boolean,
): { type: FieldErrorType | undefined; message: string } {
  if (error instanceof GraphqlFieldError) return { type: error.type, message: error.message };
  const refusal = error instanceof RefusalError ? error.refusal : refusalOfError(error);
  const type = refusal && fieldErrorTypes[refusal.kind];
  if (refusal && type) return { type, message: messageOf(refusal) };
  // Mutations of the document may be done: a response that hides it would have the client repeat them.
  if (!isPartlyDone) throw error;
  if (refusal) return { type: undefined, message: renderRefusal(refusal).message };
  reportError(error);
  return { type: undefined, message: 'Something went wrong while executing your query.' };
}

/** What was invalid, which REST says in a list next to the message. */
function messageOf(refusal: Refusal): string {
  if (refusal.kind !== 'validation-failed') return renderRefusal(refusal).message;
  return refusal.errors
    .map(({ resource, field, code, message }) => {
      return message ?? `${resource} ${field ?? ''} ${codeTexts[code] ?? code}`.replace('  ', ' ');
    })
    .join(', ');
}

const codeTexts: Readonly<Record<string, string>> = {
  missing: 'does not exist',
  missing_field: "can't be blank",
  invalid: 'is invalid',
  already_exists: 'already exists',
};

const fieldErrorTypes: Readonly<Partial<Record<Refusal['kind'], FieldErrorType>>> = {
  'not-found': 'NOT_FOUND',
  'issue-moved': 'NOT_FOUND',
  forbidden: 'FORBIDDEN',
  unprocessable: 'UNPROCESSABLE',
  'validation-failed': 'UNPROCESSABLE',
  'not-mergeable': 'UNPROCESSABLE',
  conflict: 'UNPROCESSABLE',
  'diff-too-large': 'UNPROCESSABLE',
  'git-limit': 'RESOURCE_LIMITS_EXCEEDED',
};

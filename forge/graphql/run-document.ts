import type { UserCaller } from '../model/caller.ts';
import type { Json } from '../json/json-values.ts';
import { type Refusal, RefusalError } from '../errors/api-error.ts';
import { renderRefusal } from '../errors/error-responses.ts';
import type { Ports } from '../ports/ports.ts';
import type { Urls } from '../json/urls.ts';
import type { Document, Operation } from './document.ts';
import { type DraftInput, readDraftInput, setDraft } from './set-draft.ts';
import {
  DocumentError,
  type FieldErrorType,
  type GraphqlProblem,
  representProblem,
} from './graphql-error.ts';
import { parseDocument } from './parse-document.ts';
import { type PlannedField, planOperation } from './plan.ts';
import { readVariables } from './variables.ts';

export interface DocumentRequest {
  readonly query: unknown;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | undefined;
  readonly caller: UserCaller;
  readonly urls: Urls;
  readonly now: number;
}

interface PlannedMutation {
  readonly field: PlannedField;
  readonly input: DraftInput;
}

/** Answers a document: all of it is checked before any of it is done; its mutations are done one after the other. */
export async function runDocument(ports: Ports, request: DocumentRequest): Promise<Json> {
  let mutations: PlannedMutation[];
  try {
    mutations = readMutations(request);
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    return { errors: [representProblem(error.problem)] };
  }
  const data: Record<string, Json> = {};
  const problems: GraphqlProblem[] = [];
  for (const { field, input } of mutations) {
    if (field.name === '__typename') {
      data[field.key] = 'Mutation';
      continue;
    }
    try {
      data[field.key] = await mutate(ports, request, field, input);
    } catch (error) {
      const type = error instanceof RefusalError ? fieldErrorTypes[error.refusal.kind] : undefined;
      if (!(error instanceof RefusalError) || !type) throw error;
      const { message } = renderRefusal(error.refusal);
      data[field.key] = null;
      problems.push({ type, path: [field.key], location: field.location, message });
    }
  }
  return problems.length === 0 ? { data } : { data, errors: problems.map(representProblem) };
}

function readMutations(request: DocumentRequest): PlannedMutation[] {
  if (typeof request.query !== 'string') {
    throw new DocumentError('A query attribute must be specified and must be a string.');
  }
  const document = parseDocument(request.query);
  const operation = chosenOperation(document, request.operationName);
  const fields = planOperation(document, operation);
  const variables = readVariables(operation, request.variables);
  return fields.map((field) => ({
    field,
    input: field.name === '__typename' ? noInput : readDraftInput(field, variables),
  }));
}

const noInput: DraftInput = { pullRequestId: '', clientMutationId: null };

function chosenOperation({ operations }: Document, name: string | undefined): Operation {
  const [first, second] = operations;
  if (name === undefined) {
    if (first && !second) return first;
    throw new DocumentError(
      first ? 'An operation name is required' : 'The document contains no operation.',
    );
  }
  const named = operations.find((operation) => operation.name === name);
  if (named) return named;
  throw new DocumentError(`No operation named ${JSON.stringify(name)}`);
}

async function mutate(
  ports: Ports,
  { caller, urls, now }: DocumentRequest,
  field: PlannedField,
  { pullRequestId, clientMutationId }: DraftInput,
): Promise<Json> {
  const draft = field.name === 'convertPullRequestToDraft';
  const pullRequest = await setDraft(ports, { pullRequestId, draft, caller, urls, now });
  return select(field, { clientMutationId, pullRequest });
}

/** Of an object what was asked for, under the names it was asked for by. */
function select(field: PlannedField, object: { readonly [field: string]: Json | undefined }): Json {
  const response: Record<string, Json> = {};
  for (const wanted of field.fields) {
    const value = wanted.name === '__typename' ? field.type : object[wanted.name];
    response[wanted.key] = isObject(value) ? select(wanted, value) : (value ?? null);
  }
  return response;
}

function isObject(
  value: Json | undefined,
): value is { readonly [field: string]: Json | undefined } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Refusals of other kinds are about the request and not about a field: they are answered as everywhere. */
const fieldErrorTypes: Readonly<Partial<Record<Refusal['kind'], FieldErrorType>>> = {
  'not-found': 'NOT_FOUND',
  forbidden: 'FORBIDDEN',
  unprocessable: 'UNPROCESSABLE',
  'validation-failed': 'UNPROCESSABLE',
  conflict: 'UNPROCESSABLE',
};

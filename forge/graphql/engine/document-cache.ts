import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { Kind } from 'graphql';

import { DocumentError } from './document-error.ts';
import { parseDocument } from './parse-document.ts';
import { type Plan, planOperation } from './plan.ts';
import { validateDocument } from './validate-document.ts';

/** A valid document, and what is known of its operations without variables. */
export interface PreparedDocument {
  readonly document: DocumentNode;
  readonly planOf: (operation: OperationDefinitionNode) => Plan;
}

/** GraphQL documents that are cached parsed; clients send few distinct ones. */
const documentsMax = 100;
/** GraphQL document that is cached. */
const charactersMax = 32_768;

/** Fields of a GraphQL operation whose plan is cached; larger plans are made anew for each request. */
const planSizeMax = 2000;

/** Parses, validates and plans each document once. */
export function createDocumentCache(schema: GraphQLSchema): (text: string) => PreparedDocument {
  const known = new Map<string, PreparedDocument>();
  return (text) => {
    const before = known.get(text);
    if (before) {
      // What was used last is dropped last.
      known.delete(text);
      known.set(text, before);
      return before;
    }
    const prepared = prepare(schema, text);
    if (text.length > charactersMax) return prepared;
    known.set(text, prepared);
    const [oldest] = known.keys();
    if (known.size > documentsMax && oldest !== undefined) known.delete(oldest);
    return prepared;
  };
}

function prepare(schema: GraphQLSchema, text: string): PreparedDocument {
  const document = parseDocument(text);
  validateDocument(schema, document);
  let cached: { readonly operation: OperationDefinitionNode; readonly plan: Plan } | undefined;
  return {
    document,
    planOf(operation) {
      if (cached?.operation === operation) return cached.plan;
      const plan = planOperation(schema, document, operation);
      if (plan.size <= planSizeMax) cached = { operation, plan };
      return plan;
    },
  };
}

/** The operation of a request, by its name where there are several. */
export function operationOf(
  { document }: PreparedDocument,
  name: string | undefined,
): OperationDefinitionNode {
  const operations = document.definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION ? [definition] : [],
  );
  if (name === undefined || name === '') {
    const [first, second] = operations;
    if (first && !second) return first;
    const message = first ? 'An operation name is required' : 'No operation was given';
    throw new DocumentError({ message });
  }
  const named = operations.find((operation) => operation.name?.value === name);
  if (named) return named;
  throw new DocumentError({ message: `No operation named ${JSON.stringify(name)}` });
}

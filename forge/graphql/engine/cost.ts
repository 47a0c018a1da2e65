import {
  getArgumentValues,
  getDirectiveValues,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  isNamedType,
  getNamedType,
} from 'graphql';

import { DocumentError, locationOf } from './document-error.ts';
import type { PlannedField } from './plan.ts';

/** What a document may come to if every connection is full, and how much of the rate limit that takes. */
export interface Cost {
  readonly nodes: number;
  readonly points: number;
}

/** Nodes that a GraphQL operation may request, connections multiplied. */
const nodesMax = 500_000;

/** Requests for a connection that make a point. */
const requestsPerPoint = 100;

/** Values that make a point, if every list is full. */
const valuesPerPoint = 100_000;

/**
 * Counts the nodes that a document can return, as GitHub documents it: the sizes of connections multiply downwards, and add up.
 * Refuses documents above the limit. A point is a hundred connections that have to be fetched. Each mutation costs one at least.
 */
export function costOf(
  fields: readonly PlannedField[],
  variables: Readonly<Record<string, unknown>>,
  leastPoints = 1,
): Cost {
  const total = { nodes: 0, requests: 0, values: 0 };
  count(fields, 1, variables, total);
  if (total.nodes > nodesMax) {
    const message = `This query requests up to ${grouped(total.nodes)} possible nodes which exceeds the maximum limit of ${grouped(nodesMax)}.`;
    throw new DocumentError({ type: 'MAX_NODE_LIMIT_EXCEEDED', message });
  }
  const points = Math.max(
    leastPoints,
    Math.round(total.requests / requestsPerPoint),
    Math.round(total.values / valuesPerPoint),
  );
  return { nodes: total.nodes, points };
}

function count(
  fields: readonly PlannedField[],
  times: number,
  variables: Readonly<Record<string, unknown>>,
  total: { nodes: number; requests: number; values: number },
): void {
  for (const field of fields) {
    if (isLeftOut(field, variables)) continue;
    total.values += times;
    const size = isConnection(field) ? sizeOf(field, variables) : undefined;
    if (size === undefined) {
      if (field.fields.length > 0) {
        count(field.fields, times * idsOf(field, variables), variables, total);
      }
      continue;
    }
    total.requests += times;
    total.nodes += times * size;
    // A product of many connections exceeds what a number can hold; it is far above the limit before.
    if (total.nodes > Number.MAX_SAFE_INTEGER / 1000) {
      const message = `By the time this query traverses to the ${field.definition.name} connection, it is requesting up to ${grouped(total.nodes)} possible nodes which exceeds the maximum limit of ${grouped(nodesMax)}.`;
      const locations = [locationOf(field.node)];
      throw new DocumentError({ type: 'MAX_NODE_LIMIT_EXCEEDED', message, locations });
    }
    count(field.fields, times * size, variables, total);
  }
}

/** `nodes` takes a list of ids; other fields have one value. */
function idsOf(field: PlannedField, variables: Readonly<Record<string, unknown>>): number {
  if (!field.definition.args.some(({ name }) => name === 'ids')) return 1;
  const { ids } = getArgumentValues(field.definition, field.node, variables);
  return Array.isArray(ids) ? Math.max(1, ids.length) : 1;
}

function isConnection({ definition }: PlannedField): boolean {
  const type = getNamedType(definition.type);
  return isNamedType(type) && type.name.endsWith('Connection');
}

/** 0 where only the total is asked for. */
function sizeOf(field: PlannedField, variables: Readonly<Record<string, unknown>>): number {
  const values = getArgumentValues(field.definition, field.node, variables);
  const asked = values['first'] ?? values['last'];
  return typeof asked === 'number' && asked > 0 ? asked : 0;
}

function isLeftOut({ node }: PlannedField, variables: Readonly<Record<string, unknown>>): boolean {
  if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.['if'] === true) return true;
  return getDirectiveValues(GraphQLIncludeDirective, node, variables)?.['if'] === false;
}

/** With commas between thousands, as the service writes it. */
function grouped(value: number): string {
  return value.toLocaleString('en-US');
}

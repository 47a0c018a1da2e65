import {
  coerceInputValue,
  type GraphQLInputType,
  type GraphQLSchema,
  isInputType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
  isInputObjectType,
  isEnumType,
} from 'graphql';

import type { Json } from '../../json/json-values.ts';
import { DocumentError, type DocumentProblem, locationOf } from './document-error.ts';

interface Problem {
  readonly path: readonly (string | number)[];
  readonly explanation: string;
}

/** Problems of one GraphQL variable that are reported. */
const problemsMax = 20;

/** Refuses variables that do not have their types. Those that the operation does not declare are ignored, as on the service. */
export function checkVariableValues(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  values: Readonly<Record<string, unknown>>,
): void {
  const problems = (operation.variableDefinitions ?? []).flatMap(
    (definition): DocumentProblem[] => {
      const name = definition.variable.name.value;
      const type = typeFromAST(schema, definition.type);
      if (!type || !isInputType(type)) return [];
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (value === undefined && (definition.defaultValue || !isNonNullType(type))) return [];
      const found: Problem[] = [];
      if (value === undefined || (value === null && isNonNullType(type))) {
        found.push({ path: [], explanation: 'Expected value to not be null' });
      } else {
        findProblems(value, type, found);
      }
      const [first] = found;
      if (!first) return [];
      const where =
        first.path.length > 0 ? ` for ${first.path.join('.')} (${first.explanation})` : '';
      const message = `Variable $${name} of type ${String(type)} was provided invalid value${where}`;
      const extensions: { [field: string]: Json } = {
        value: jsonOf(value),
        problems: found.map(({ path, explanation }) => ({ path, explanation })),
      };
      return [{ message, locations: [locationOf(definition)], extensions }];
    },
  );
  if (problems.length > 0) throw new DocumentError(...problems);
}

/** The first problems: each is an error with a trace, which takes long for a list of wrong values. */
function findProblems(value: unknown, type: GraphQLInputType, found: Problem[]): void {
  const enough = new Error('There are enough problems.');
  try {
    coerceInputValue(value, type, (path, invalid, error) => {
      found.push({ path, explanation: explain(typeAt(type, path), invalid, error.message) });
      if (found.length === problemsMax) throw enough;
    });
  } catch (error) {
    if (error !== enough) throw error;
  }
}

/** The type that the schema has at a path within a value of a type. */
function typeAt(type: unknown, path: readonly (string | number)[]): unknown {
  let found: unknown = type;
  for (const segment of path) {
    found = innerOf(found);
    if (typeof segment === 'number') continue;
    found = isInputObjectType(found) ? found.getFields()[segment]?.type : undefined;
  }
  return found;
}

function innerOf(type: unknown): unknown {
  let inner = type;
  while (typeof inner === 'object' && inner !== null && 'ofType' in inner) inner = inner.ofType;
  return inner;
}

function explain(type: unknown, value: unknown, message: string): string {
  if (value === null || value === undefined) return 'Expected value to not be null';
  const unknown = /^Field "([^"]*)" is not defined by type "([^"]*)"/.exec(message);
  if (unknown) return `Field is not defined on ${unknown[2] ?? ''}: ${unknown[1] ?? ''}`;
  if (/^Field "[^"]*" of required type/.test(message)) return 'Expected value to not be null';
  const inner = innerOf(type);
  const shown = JSON.stringify(value)?.slice(0, 200) ?? '';
  if (isEnumType(inner)) {
    const names = inner.getValues().map(({ name }) => name);
    return `Expected ${shown} to be one of: ${names.join(', ')}`;
  }
  if (isInputObjectType(inner)) return `Expected ${shown} to be a key-value object.`;
  return `Could not coerce value ${shown} to ${String(inner)}`;
}

/** Values of variables come from the JSON of the request. */
function jsonOf(value: unknown): Json {
  const copied: unknown = value === undefined ? null : JSON.parse(JSON.stringify(value));
  return isJson(copied) ? copied : null;
}

function isJson(value: unknown): value is Json {
  return value === null || ['string', 'number', 'boolean', 'object'].includes(typeof value);
}

import { DocumentError } from './graphql-error.ts';
import type { PlannedField } from './plan.ts';
import { fill, type Given } from './variables.ts';

/** What both mutations are given. */
export interface DraftInput {
  /** A global id, as `node_id` has it. */
  readonly pullRequestId: string;
  /** Given back as it came. */
  readonly clientMutationId: string | null;
}

const members: readonly string[] = ['pullRequestId', 'clientMutationId'];

/** Reads the one argument of a mutation, or refuses the document. */
export function readDraftInput(
  field: PlannedField,
  variables: ReadonlyMap<string, Given>,
): DraftInput {
  const refuse = (message: string): never => {
    throw new DocumentError(`${message} on field '${field.name}'`, field.location);
  };
  const other = [...field.arguments.keys()].find((name) => name !== 'input');
  if (other !== undefined) return refuse(`There is no argument '${other}'`);
  const argument = field.arguments.get('input');
  const input = argument && fill(argument, variables);
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return refuse("The argument 'input' must be an object");
  }
  const unknown = Object.keys(input).find((name) => !members.includes(name));
  if (unknown !== undefined) return refuse(`There is no '${unknown}' in the argument 'input'`);
  const pullRequestId: unknown = Reflect.get(input, 'pullRequestId');
  const clientMutationId: unknown = Reflect.get(input, 'clientMutationId') ?? null;
  if (typeof pullRequestId !== 'string') return refuse("'pullRequestId' must be an ID");
  if (clientMutationId !== null && typeof clientMutationId !== 'string') {
    return refuse("'clientMutationId' must be a String");
  }
  return { pullRequestId, clientMutationId };
}

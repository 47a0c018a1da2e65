import type { Operation, Value } from './document.ts';
import { DocumentError } from './graphql-error.ts';

/** What JSON and documents have for values, variables filled in. */
export type Given = unknown;

/** The values of an operation's variables: those sent with it, else their defaults. */
export function readVariables(
  operation: Operation,
  sent: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, Given> {
  const values = new Map<string, Given>();
  for (const { name, type, required, fallback, location } of operation.variables) {
    const provided = Object.hasOwn(sent, name) ? sent[name] : undefined;
    const value =
      provided ?? (provided === undefined && fallback ? fill(fallback, new Map()) : provided);
    if (required && (value === undefined || value === null)) {
      throw new DocumentError(
        `Variable $${name} of type ${type}! was provided invalid value: Expected value to not be null`,
        location,
      );
    }
    values.set(name, value);
  }
  return values;
}

/** The value with its variables filled in; absent ones are left out of objects. */
export function fill(value: Value, variables: ReadonlyMap<string, Given>): Given {
  switch (value.kind) {
    case 'constant':
      return value.value;
    case 'list':
      return value.items.map((item) => fill(item, variables));
    case 'object':
      return Object.fromEntries(
        [...value.members].map(([name, member]) => [name, fill(member, variables)]),
      );
    case 'variable':
      if (variables.has(value.name)) return variables.get(value.name);
      throw new DocumentError(`Variable $${value.name} is used but not declared`, value.location);
  }
}

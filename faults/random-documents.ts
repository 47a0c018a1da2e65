/** Documents of GraphQL that follow the schema, but for their values. */
import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';
import {
  getNamedType,
  getNullableType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedOutputType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';

import { createSchema } from '#forge/graphql/engine/executable-schema.ts';
import type { ExecutionLimits } from '#forge/graphql/engine/limits.ts';
import { allTypes } from '#forge/graphql/schema/all-types.ts';

import { nastyTexts } from '../forge/testing/hostile-values.ts';

const schema = createSchema<{ limits: ExecutionLimits }>(allTypes, {});

/** Every field of queries and every mutation: `query.viewer`. */
export function rootFields(): string[] {
  const of = (kind: string, fields: object): string[] =>
    Object.keys(fields).map((name) => `${kind}.${name}`);
  return [
    ...of('query', schema.getQueryType()?.getFields() ?? {}),
    ...of('mutation', schema.getMutationType()?.getFields() ?? {}),
  ];
}

export function randomDocument(root: string, nodes: readonly string[]): Arbitrary<string> {
  const [kind, name = ''] = root.split('.');
  const type = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
  const field = type?.getFields()[name];
  return fc.array(fc.nat(), { minLength: 80, maxLength: 80 }).map((numbers) => {
    const writer = new Writer(numbers, nodes);
    return field ? `${kind} { ${writer.field(field, 4)} }` : '{ }';
  });
}

/** Writes a document by a list of random numbers: the same list writes the same document. */
class Writer {
  readonly #numbers: readonly number[];
  readonly #nodes: readonly string[];
  #used = 0;

  constructor(numbers: readonly number[], nodes: readonly string[]) {
    this.#numbers = numbers;
    this.#nodes = nodes;
  }

  field(field: GraphQLField<unknown, unknown>, depth: number): string {
    const args = field.args
      .filter((argument) => isRequiredArgument(argument) || this.#oneIn(4) || isPage(argument.name))
      .map((argument) => `${argument.name}: ${this.#value(argument.type, 0)}`);
    const values = args.length === 0 ? '' : `(${args.join(', ')})`;
    return `${field.name}${values} ${this.#selection(getNamedType(field.type), depth)}`;
  }

  #selection(type: GraphQLNamedOutputType, depth: number): string {
    if (!isCompositeType(type)) return '';
    if (depth === 0) return '{ __typename }';
    const fields = isObjectType(type) || isInterfaceType(type) ? type.getFields() : {};
    const chosen = Object.values(fields).filter(({ name }) => isPage(name) || this.#oneIn(5));
    // Aliases keep fields of the same name apart.
    const below = chosen
      .slice(0, 8)
      .map((each, index) => `a${index}: ${this.field(each, depth - 1)}`);
    const possible = isObjectType(type) ? [] : schema.getPossibleTypes(type);
    const some = possible.filter(() => this.#oneIn(3));
    const fragments = some.map((each) => `... on ${each.name} ${this.#selection(each, depth - 1)}`);
    return `{ __typename ${[...below, ...fragments].join(' ')} }`;
  }

  #value(given: GraphQLInputType, depth: number): string {
    const type = getNullableType(given);
    if (this.#oneIn(12)) return this.#pick(['null', '{}', '[]', '1', '"x"', 'x', '$x']);
    if (isListType(type)) {
      const items = Array.from({ length: this.#next() % 4 }, () => this.#value(type.ofType, depth));
      return `[${items.join(', ')}]`;
    }
    if (isEnumType(type)) return this.#pick(type.getValues().map(({ name }) => name));
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields())
        .filter((field) => isRequiredInputField(field) || (depth < 3 && this.#oneIn(2)))
        .map((field) => `${field.name}: ${this.#value(field.type, depth + 1)}`);
      return `{${fields.join(', ')}}`;
    }
    switch (type.name) {
      case 'Int':
      case 'Float':
        return this.#pick(['0', '1', '5', '100', '101', '-1', '2147483648', '1.5', '1e400']);
      case 'Boolean':
        return this.#pick(['true', 'false']);
      case 'ID':
        return JSON.stringify(this.#pick([...this.#nodes, ...this.#nodes, this.#text()]));
      default:
        return JSON.stringify(this.#oneIn(2) ? this.#pick(usualTexts) : this.#text());
    }
  }

  #text(): string {
    return this.#pick(nastyTexts);
  }

  #oneIn(count: number): boolean {
    return this.#next() % count === 0;
  }

  #pick(items: readonly string[]): string {
    return items[this.#next() % items.length] ?? '';
  }

  #next(): number {
    this.#used += 1;
    return this.#numbers[this.#used % this.#numbers.length] ?? 0;
  }
}

const usualTexts = ['root', 'work', 'main', 'topic', 'a.txt', 'is:open', 'YQ==', 'refs/heads/'];

/** Connections are refused without. */
const isPage = (name: string): boolean => name === 'first' || name === 'nodes';

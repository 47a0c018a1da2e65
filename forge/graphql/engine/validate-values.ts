import {
  type ArgumentNode,
  type ASTNode,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
  Kind,
  type ObjectFieldNode,
  print,
  type ValueNode,
} from 'graphql';

import type { Json } from '../../json/json-values.ts';

/** Records a problem with its code, and with what else `extensions` says of it. */
export type ValueReport = (
  node: ASTNode,
  path: readonly string[],
  message: string,
  code: string,
  more?: { readonly [field: string]: Json },
) => void;

/** Where a variable stands, and what is expected there. */
export interface Usage {
  readonly name: string;
  readonly node: ASTNode;
  readonly path: readonly string[];
  readonly argument: string;
  readonly type: GraphQLInputType;
  /** The argument has a default, so the variable may be nullable. */
  readonly hasDefault: boolean;
}

interface Owner {
  readonly kind: 'Field' | 'Directive' | 'InputObject';
  readonly name: string;
}

interface Context {
  readonly path: readonly string[];
  readonly uses: Usage[];
  readonly report: ValueReport;
}

/** The arguments of a field or a directive. */
export function checkArguments(
  node: ASTNode & { readonly arguments?: readonly ArgumentNode[] | undefined },
  definitions: readonly GraphQLArgument[],
  owner: Owner,
  context: Context,
): void {
  const given = node.arguments ?? [];
  checkFields(given, definitions, owner, context);
  const missing = definitions.filter(
    (each) => isRequiredArgument(each) && given.every(({ name }) => name.value !== each.name),
  );
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name).join(', ');
  const message = `${owner.kind} '${owner.name}' is missing required arguments: ${names}`;
  context.report(node, context.path, message, 'missingRequiredArguments', {
    className: owner.kind,
    name: owner.name,
    arguments: names,
  });
}

function checkFields(
  given: readonly (ArgumentNode | ObjectFieldNode)[],
  definitions: readonly (GraphQLArgument | GraphQLInputField)[],
  owner: Owner,
  context: Context,
): void {
  const { path, report } = context;
  const seen = new Set<string>();
  const named = new Map(definitions.map((definition) => [definition.name, definition]));
  for (const argument of given) {
    const name = argument.name.value;
    if (seen.has(name)) {
      const [what, code] =
        owner.kind === 'InputObject'
          ? ['input field', 'inputFieldNotUnique']
          : ['argument', 'argumentNotUnique'];
      report(argument, path, `There can be only one ${what} named "${name}"`, code, { name });
    }
    seen.add(name);
    const definition = named.get(name);
    if (!definition) {
      const message = `${owner.kind} '${owner.name}' doesn't accept argument '${name}'`;
      report(argument, [...path, name], message, 'argumentNotAccepted', {
        name: owner.name,
        typeName: owner.kind,
        argumentName: name,
      });
      continue;
    }
    const below = { ...context, path: [...path, name] };
    const { type, defaultValue } = definition;
    const target = { owner, name, node: argument, type, hasDefault: defaultValue !== undefined };
    checkLiteral(argument.value, type, target, below);
  }
}

/** The argument that a value is given to. */
interface Target {
  readonly owner: Owner;
  readonly name: string;
  readonly node: ASTNode;
  readonly hasDefault: boolean;
  /** Of the whole value. */
  readonly type: GraphQLInputType;
}

export function checkLiteral(
  value: ValueNode,
  type: GraphQLInputType,
  target: Target,
  context: Context,
): void {
  if (value.kind === Kind.VARIABLE) {
    const { path, uses } = context;
    const { name: argument, hasDefault } = target;
    uses.push({ name: value.name.value, node: value, path, argument, type, hasDefault });
    return;
  }
  if (isNonNullType(type)) {
    if (value.kind === Kind.NULL) return refuseLiteral(value, target, context);
    return checkLiteral(value, type.ofType, target, context);
  }
  if (value.kind === Kind.NULL) return;
  if (isListType(type)) {
    // A single value stands for a list of it (section 3.11 of the GraphQL specification).
    const items = value.kind === Kind.LIST ? value.values : [value];
    for (const item of items)
      checkLiteral(item, type.ofType, { ...target, hasDefault: false }, context);
    return;
  }
  if (isInputObjectType(type)) {
    if (value.kind !== Kind.OBJECT) return refuseLiteral(value, target, context);
    const owner = { kind: 'InputObject', name: type.name } as const;
    const fields = Object.values(type.getFields());
    checkFields(value.fields, fields, owner, context);
    for (const field of fields) {
      const lacks = value.fields.every(({ name }) => name.value !== field.name);
      if (!isRequiredInputField(field) || !lacks) continue;
      const message = `Argument '${field.name}' on InputObject '${type.name}' is required. Expected type ${String(field.type)}`;
      context.report(value, [...context.path, field.name], message, missingAttribute, {
        argumentName: field.name,
        argumentType: String(field.type),
        inputObjectType: type.name,
      });
    }
    return;
  }
  const valid = isEnumType(type)
    ? value.kind === Kind.ENUM && type.getValue(value.value) !== undefined
    : parses(() => type.parseLiteral(value));
  if (!valid) refuseLiteral(value, target, context);
}

const missingAttribute = 'missingRequiredInputObjectAttribute';

function parses(work: () => unknown): boolean {
  try {
    return work() !== undefined;
  } catch {
    return false;
  }
}

function refuseLiteral(
  value: ValueNode,
  { owner, name, node, type }: Target,
  { path, report }: Context,
): void {
  const shown = print(value).slice(0, 200);
  const message = `Argument '${name}' on ${owner.kind} '${owner.name}' has an invalid value (${shown}). Expected type '${String(type)}'.`;
  report(node, path, message, 'argumentLiteralsIncompatible', {
    typeName: owner.kind,
    argumentName: name,
  });
}

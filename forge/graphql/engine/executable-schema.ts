import {
  buildASTSchema,
  defaultFieldResolver,
  getNamedType,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLScalarType,
  type GraphQLSchema,
  introspectionTypes,
  isNonNullType,
  isObjectType,
  isScalarType,
  Kind,
  parse,
} from 'graphql';

import type { Arguments } from './arguments.ts';
import { type Connection, cursorOf, type ConnectionPage } from './connection.ts';
import type { ExecutionLimits } from './limits.ts';

/** Resolves a field of its source with checked arguments; sources of abstract types name their type in `typeName`. */
export type FieldResolver<Source, Context> = (
  source: Source,
  values: Arguments,
  context: Context,
  info: GraphQLResolveInfo,
) => unknown;

/** The fields of a type. */
export type FieldResolvers<Source, Context> = Readonly<
  Record<string, FieldResolver<Source, Context>>
>;

/** Decides for the fields of a type with values of another whether the caller may resolve them; undefined: all may. */
export type FieldGuard<Context> = (
  typeName: string,
  valueTypeName: string,
) => ((source: unknown, context: Context) => Promise<void> | undefined) | undefined;

/** By the name of the type. */
export type TypeResolvers<Context> = Readonly<Record<string, FieldResolvers<never, Context>>>;

/** The schema of these types, whose fields are resolved by these functions and, in connections and edges, by one rule. */
export function createSchema<Context extends { readonly limits: ExecutionLimits }>(
  types: string,
  resolvers: TypeResolvers<Context>,
  guard?: FieldGuard<Context>,
): GraphQLSchema {
  const schema = buildASTSchema(parse(types, { noLocation: true }), { assumeValidSDL: true });
  limitIntrospection();
  for (const type of Object.values(schema.getTypeMap())) {
    if (isScalarType(type) && Object.hasOwn(scalarRules, type.name)) limitScalar(type);
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    const shared = sharedFields(type.name);
    for (const field of Object.values(type.getFields())) {
      const own = resolvers[type.name]?.[field.name];
      const resolve = own ? untyped(own) : (shared[field.name] ?? defaultFieldResolver);
      const check = guard?.(type.name, getNamedType(field.type).name);
      field.resolve = spending(check ? guarded(resolve, check) : resolve);
    }
  }
  return schema;
}

function guarded<Context>(
  resolve: GraphQLFieldResolver<unknown, Context>,
  check: NonNullable<ReturnType<FieldGuard<Context>>>,
): GraphQLFieldResolver<unknown, Context> {
  return (source, values, context, info) => {
    const decision = check(source, context);
    if (!decision) return resolve(source, values, context, info);
    return decision.then(() => resolve(source, values, context, info));
  };
}

/** The schema gives each resolver the sources of its type, which determines their TypeScript type. */
function untyped<Context>(
  resolver: FieldResolver<never, Context>,
): GraphQLFieldResolver<unknown, Context> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as said above
  return resolver as unknown as GraphQLFieldResolver<unknown, Context>;
}

function spending<Context extends { readonly limits: ExecutionLimits }>(
  resolve: GraphQLFieldResolver<unknown, Context>,
): GraphQLFieldResolver<unknown, Context> {
  return (source, values, context, info) => {
    const { limits } = context;
    // The response is an error by now; what is left of the execution ends without errors of its own.
    if (limits.exceeded()) return isNonNullType(info.returnType) ? endless() : null;
    let value: unknown;
    try {
      value = resolve(source, values, context, info);
    } catch (error) {
      limits.countError();
      throw error;
    }
    if (!(value instanceof Promise)) {
      limits.count(value);
      return value;
    }
    return value.then(
      (resolved: unknown) => {
        limits.count(resolved);
        return resolved;
      },
      (error: unknown) => {
        limits.countError();
        throw error;
      },
    );
  };
}

/** Never resolved or rejected: it is collected together with its waiters. */
function endless(): Promise<never> {
  return new Promise(() => {});
}

/** Types of introspection belong to the library and are shared by all schemas. */
function limitIntrospection(): void {
  for (const type of introspectionTypes) {
    if (!isObjectType(type) || limited.has(type)) continue;
    limited.add(type);
    for (const field of Object.values(type.getFields())) {
      const resolve = field.resolve ?? defaultFieldResolver;
      const spent = spending<{ readonly limits: ExecutionLimits }>(resolve);
      field.resolve = (source, values, context: unknown, info) =>
        hasLimits(context)
          ? spent(source, values, context, info)
          : resolve(source, values, context, info);
    }
  }
}

const limited = new WeakSet<object>();

function hasLimits(context: unknown): context is { readonly limits: ExecutionLimits } {
  return typeof context === 'object' && context !== null && 'limits' in context;
}

const connectionFields: Readonly<Record<string, (source: Connection) => unknown>> = {
  edges: async (source) => (await source.page()).items,
  nodes: async (source) => (await source.page()).items.map(({ node }) => node),
  pageInfo: (source) => source.page(),
  totalCount: (source) => source.total(),
};

const edgeFields: Readonly<
  Record<string, (source: ConnectionPage<unknown>['items'][number]) => unknown>
> = {
  cursor: (source) => cursorOf(source.key),
  node: (source) => source.node,
};

const pageInfoFields: Readonly<Record<string, (source: ConnectionPage<unknown>) => unknown>> = {
  hasNextPage: (source) => source.hasNext,
  hasPreviousPage: (source) => source.hasPrevious,
  startCursor: (source) => (source.items[0] ? cursorOf(source.items[0].key) : null),
  endCursor: ({ items }) => {
    const last = items.at(-1);
    return last ? cursorOf(last.key) : null;
  },
};

function sharedFields(
  typeName: string,
): Readonly<Record<string, GraphQLFieldResolver<unknown, unknown>>> {
  if (typeName === 'PageInfo') return untypedAll(pageInfoFields);
  if (typeName.endsWith('Connection')) return untypedAll(connectionFields);
  return typeName.endsWith('Edge') ? untypedAll(edgeFields) : {};
}

function untypedAll(
  fields: Readonly<Record<string, (source: never) => unknown>>,
): Readonly<Record<string, GraphQLFieldResolver<unknown, unknown>>> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, resolver]) => [name, untyped(resolver)]),
  );
}

/** The texts that each scalar accepts as input. */
const scalarRules: Readonly<Record<string, (text: string) => boolean>> = {
  DateTime: (text) => /^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(Date.parse(text)),
  GitTimestamp: (text) => /^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(Date.parse(text)),
  GitObjectID: (text) => /^[0-9a-f]{40}$/i.test(text),
  Base64String: (text) => /^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(text),
};

function limitScalar(type: GraphQLScalarType): void {
  const accepts = scalarRules[type.name];
  const check = (value: unknown): string => {
    if (typeof value === 'string' && accepts?.(value) === true) return value;
    throw new TypeError(`not a ${type.name}`);
  };
  type.parseValue = check;
  type.parseLiteral = (node) => check(node.kind === Kind.STRING ? node.value : undefined);
}

import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  getNamedType,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  isCompositeType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  print,
  type SelectionSetNode,
} from 'graphql';

import { DocumentError, locationOf } from './document-error.ts';
import { fieldOf } from './validate-selections.ts';

/** A field of the response with its fragments laid out, for everything that is decided before a document is executed. */
export interface PlannedField {
  readonly key: string;
  readonly node: FieldNode;
  readonly definition: GraphQLField<unknown, unknown>;
  readonly fields: readonly PlannedField[];
}

/**
 * Fields of a GraphQL operation, fragments laid out. Fragments within fragments multiply: this limits what they come to, not
 * what is written. A tool that exists needs 6,001.
 */
const selectionsMax = 50_000;

/** Depth of a GraphQL operation, fragments laid out. */
const depthMax = 128;

/** What an operation comes to, its fragments laid out. */
export interface Plan {
  readonly fields: readonly PlannedField[];
  /** How many selections it has. */
  readonly size: number;
}

/** Lays out an operation, or refuses it where one key of the response would have to hold two things. */
export function planOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Plan {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      fragments.set(definition.name.value, definition);
    }
  }
  const root = schema.getRootType(operation.operation);
  if (!root) throw new Error(`no root type for a ${operation.operation}`);
  const planning: Planning = { schema, fragments, left: selectionsMax, texts: new Map() };
  const fields = planFields([{ parent: root, set: operation.selectionSet }], planning, 1, []);
  return { fields, size: selectionsMax - planning.left };
}

interface Planning {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  left: number;
  readonly texts: Map<FieldNode, string>;
}

interface SelectionsOn {
  readonly parent: GraphQLCompositeType;
  readonly set: SelectionSetNode;
}

interface Found {
  readonly parent: GraphQLCompositeType;
  readonly node: FieldNode;
  readonly definition: GraphQLField<unknown, unknown>;
}

function planFields(
  sets: readonly SelectionsOn[],
  planning: Planning,
  depth: number,
  lists: readonly string[],
): PlannedField[] {
  const [first] = sets;
  if (depth > depthMax) {
    const message = `The operation selects fields more than ${depthMax} levels deep.`;
    throw new DocumentError({ message, locations: first ? [locationOf(first.set)] : [] });
  }
  const byKey = new Map<string, Found[]>();
  for (const { parent, set } of sets) collect(parent, set, planning, byKey, new Set());
  return [...byKey].flatMap(([key, found]): PlannedField[] => {
    const [leading] = found;
    if (!leading) return [];
    refuseConflicts(key, found, planning);
    const below = found.flatMap(({ node, definition }): SelectionsOn[] => {
      const type = getNamedType(definition.type);
      return node.selectionSet && isCompositeType(type)
        ? [{ parent: type, set: node.selectionSet }]
        : [];
    });
    const { parent, node, definition } = leading;
    const within = listsWithin(parent, node, lists);
    const fields = below.length === 0 ? [] : planFields(below, planning, depth + 1, within);
    return [{ key, node, definition, fields }];
  });
}

/** Lists of introspection name types that have the same lists again: each can be asked for once on the way down. */
function listsWithin(
  parent: GraphQLCompositeType,
  node: FieldNode,
  lists: readonly string[],
): readonly string[] {
  const name = node.name.value;
  if (!parent.name.startsWith('__') || !introspectionLists.has(name)) return lists;
  const kind = name === 'possibleTypes' ? 'interfaces' : name;
  if (!lists.includes(kind)) return [...lists, kind];
  const message = `Introspection of '${name}' cannot be nested in itself.`;
  throw new DocumentError({ message, locations: [locationOf(node)] });
}

const introspectionLists: ReadonlySet<string> = new Set([
  'args',
  'fields',
  'inputFields',
  'interfaces',
  'possibleTypes',
  'types',
]);

function collect(
  parent: GraphQLCompositeType,
  set: SelectionSetNode,
  planning: Planning,
  byKey: Map<string, Found[]>,
  spread: Set<string>,
): void {
  for (const selection of set.selections) {
    planning.left -= 1;
    if (planning.left < 0) {
      const message = `The operation selects more than ${selectionsMax} fields.`;
      throw new DocumentError({ message, locations: [locationOf(selection)] });
    }
    switch (selection.kind) {
      case Kind.FIELD: {
        const definition = fieldOf(planning.schema, parent, selection.name.value);
        if (!definition) break;
        const key = selection.alias?.value ?? selection.name.value;
        const before = byKey.get(key);
        if (before) before.push({ parent, node: selection, definition });
        else byKey.set(key, [{ parent, node: selection, definition }]);
        break;
      }
      case Kind.INLINE_FRAGMENT: {
        const name = selection.typeCondition?.name.value;
        const on = name === undefined ? parent : planning.schema.getType(name);
        if (isCompositeType(on)) collect(on, selection.selectionSet, planning, byKey, spread);
        break;
      }
      case Kind.FRAGMENT_SPREAD: {
        const fragment = planning.fragments.get(selection.name.value);
        if (!fragment || spread.has(selection.name.value)) break;
        spread.add(selection.name.value);
        const on = planning.schema.getType(fragment.typeCondition.name.value);
        if (isCompositeType(on)) collect(on, fragment.selectionSet, planning, byKey, spread);
        break;
      }
    }
  }
}

/**
 * Fields of one key must be the same field with the same arguments, unless they belong to different object types. Their
 * types may differ then, which section 5.3.2 of the GraphQL specification forbids and graphql-ruby allows: gh asks for `state`
 * of issues and of pulls. The relation is transitive, so each field is compared with one only, which takes linear time.
 */
function refuseConflicts(key: string, found: readonly Found[], planning: Planning): void {
  if (found.length === 1) return;
  const abstract = found.find(({ parent }) => !isObjectType(parent));
  const byParent = new Map<GraphQLCompositeType, Found>();
  for (const each of found) {
    const same = abstract ?? byParent.get(each.parent);
    if (!same) byParent.set(each.parent, each);
    else if (same.node.name.value !== each.node.name.value) {
      const names = `${same.node.name.value} or ${each.node.name.value}`;
      refuseConflict(key, `Field '${key}' has a field conflict: ${names}?`, same, each);
    } else if (argumentsOf(same.node, planning) !== argumentsOf(each.node, planning)) {
      const both = `{${argumentsOf(same.node, planning)}} or {${argumentsOf(each.node, planning)}}`;
      refuseConflict(key, `Field '${key}' has an argument conflict: ${both}?`, same, each);
    }
  }
}

function argumentsOf(node: FieldNode, { texts }: Planning): string {
  const known = texts.get(node);
  if (known !== undefined) return known;
  const text = (node.arguments ?? [])
    .map((argument) => `${argument.name.value}:${JSON.stringify(print(argument.value))}`)
    .toSorted()
    .join(',');
  texts.set(node, text);
  return text;
}

function refuseConflict(key: string, message: string, one: Found, other: Found): never {
  throw new DocumentError({
    message,
    locations: [locationOf(one.node), locationOf(other.node)],
    path: [],
    extensions: { code: 'fieldConflict', fieldName: key },
  });
}

import {
  type ASTNode,
  type DirectiveNode,
  doTypesOverlap,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  getNamedType,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  type InlineFragmentNode,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from 'graphql';

import { checkArguments, type Usage, type ValueReport } from './validate-values.ts';

/** What a definition uses: the variables of its own fields, and the fragments that it spreads. */
export interface Uses {
  readonly variables: Usage[];
  readonly fragments: Set<string>;
}

/** What the checks of one document share. */
export interface Checking {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly report: ValueReport;
}

interface SelectionContext {
  readonly path: readonly string[];
  readonly uses: Uses;
}

export function checkOperation(checking: Checking, node: OperationDefinitionNode): Uses {
  const uses: Uses = { variables: [], fragments: new Set() };
  const name = node.name ? `${node.operation} ${node.name.value}` : node.operation;
  const context = { path: [name], uses };
  const root = checking.schema.getRootType(node.operation);
  checkDirectives(checking, node, node.operation.toUpperCase(), context);
  if (root) checkSelections(checking, root, node.selectionSet, context);
  else {
    const message = `Schema is not configured for ${node.operation}s`;
    checking.report(node, [name], message, 'missingOperationConfiguration');
  }
  return uses;
}

export function checkFragment(checking: Checking, node: FragmentDefinitionNode): Uses {
  const uses: Uses = { variables: [], fragments: new Set() };
  const context = { path: [`fragment ${node.name.value}`], uses };
  checkDirectives(checking, node, 'FRAGMENT_DEFINITION', context);
  const on = checkCondition(checking, node, node.typeCondition.name.value, context.path);
  if (on) checkSelections(checking, on, node.selectionSet, context);
  return uses;
}

function checkSelections(
  checking: Checking,
  parent: GraphQLCompositeType,
  set: SelectionSetNode,
  { path, uses }: SelectionContext,
): void {
  for (const selection of set.selections) {
    switch (selection.kind) {
      case Kind.FIELD: {
        const key = selection.alias?.value ?? selection.name.value;
        checkField(checking, parent, selection, { path: [...path, key], uses });
        break;
      }
      case Kind.INLINE_FRAGMENT:
        checkInlineFragment(checking, parent, selection, { path, uses });
        break;
      case Kind.FRAGMENT_SPREAD:
        checkSpread(checking, parent, selection, { path, uses });
        break;
    }
  }
}

function checkInlineFragment(
  checking: Checking,
  parent: GraphQLCompositeType,
  node: InlineFragmentNode,
  { path, uses }: SelectionContext,
): void {
  const name = node.typeCondition?.name.value;
  const below = { path: [...path, name === undefined ? '...' : `... on ${name}`], uses };
  checkDirectives(checking, node, 'INLINE_FRAGMENT', below);
  const on = name === undefined ? parent : checkCondition(checking, node, name, below.path);
  if (!on) return;
  if (!doTypesOverlap(checking.schema, parent, on)) {
    reportImpossible(checking, node, undefined, { on, parent, path: below.path });
  }
  checkSelections(checking, on, node.selectionSet, below);
}

function checkSpread(
  checking: Checking,
  parent: GraphQLCompositeType,
  node: FragmentSpreadNode,
  { path, uses }: SelectionContext,
): void {
  const name = node.name.value;
  const here = [...path, `... ${name}`];
  checkDirectives(checking, node, 'FRAGMENT_SPREAD', { path: here, uses });
  const fragment = checking.fragments.get(name);
  if (!fragment) {
    const message = `Fragment ${name} was used, but not defined`;
    checking.report(node, here, message, 'useAndDefineFragment', { fragmentName: name });
    return;
  }
  uses.fragments.add(name);
  const on = checking.schema.getType(fragment.typeCondition.name.value);
  if (isCompositeType(on) && !doTypesOverlap(checking.schema, parent, on)) {
    reportImpossible(checking, node, name, { on, parent, path: here });
  }
}

function checkField(
  checking: Checking,
  parent: GraphQLCompositeType,
  node: FieldNode,
  context: SelectionContext,
): void {
  const { report } = checking;
  const { path, uses } = context;
  const name = node.name.value;
  checkDirectives(checking, node, 'FIELD', context);
  const definition = fieldOf(checking.schema, parent, name);
  if (!definition) {
    const message = `Field '${name}' doesn't exist on type '${parent.name}'`;
    report(node, path, message, 'undefinedField', { typeName: parent.name, fieldName: name });
    return;
  }
  const owner = { kind: 'Field', name } as const;
  checkArguments(node, definition.args, owner, { path, uses: uses.variables, report });
  const type = getNamedType(definition.type);
  if (isCompositeType(type) && node.selectionSet) {
    checkSelections(checking, type, node.selectionSet, context);
    return;
  }
  if (isCompositeType(type) === (node.selectionSet !== undefined)) return;
  const selected = (node.selectionSet?.selections ?? []).flatMap((each) =>
    each.kind === Kind.FIELD ? [JSON.stringify(each.name.value)] : [],
  );
  const message = node.selectionSet
    ? `Selections can't be made on scalars (field '${name}' returns ${type.name} but has selections [${selected.join(', ')}])`
    : `Field must have selections (field '${name}' returns ${type.name} but has no selections. Did you mean '${name} { ... }'?)`;
  const nodeName = `field '${name}'`;
  report(node, path, message, 'selectionMismatch', { nodeName, typeName: type.name });
}

function checkDirectives(
  { schema, report }: Checking,
  node: ASTNode & { readonly directives?: readonly DirectiveNode[] | undefined },
  target: string,
  { path, uses }: SelectionContext,
): void {
  for (const directive of node.directives ?? []) {
    const name = directive.name.value;
    const definition = schema.getDirective(name);
    if (!definition) {
      const message = `Directive @${name} is not defined`;
      report(directive, path, message, 'undefinedDirective', { directiveName: name });
      continue;
    }
    const allowed = definition.locations.map(String);
    if (!allowed.includes(target)) {
      const where = target.toLowerCase().replaceAll('_', ' ');
      const message = `'@${name}' can't be applied to ${where}s (allowed: fields, fragment spreads, inline fragments)`;
      report(directive, path, message, 'directiveCannotBeApplied', { targetName: where, name });
    }
    const owner = { kind: 'Directive', name } as const;
    checkArguments(directive, definition.args, owner, { path, uses: uses.variables, report });
  }
}

function checkCondition(
  { schema, report }: Checking,
  node: ASTNode,
  name: string,
  path: readonly string[],
): GraphQLCompositeType | undefined {
  const type = schema.getType(name);
  if (isCompositeType(type)) return type;
  const [message, code] = type
    ? [
        `Invalid fragment on type ${name} (must be Union, Interface or Object)`,
        'fragmentOnNonCompositeType',
      ]
    : [`No such type ${name}, so it can't be a fragment condition`, 'undefinedType'];
  report(node, path, message, code, { typeName: name });
  return undefined;
}

interface Impossible {
  readonly on: GraphQLCompositeType;
  readonly parent: GraphQLCompositeType;
  readonly path: readonly string[];
}

function reportImpossible(
  { report }: Checking,
  node: ASTNode,
  fragment: string | undefined,
  { on, parent, path }: Impossible,
): void {
  const named = fragment === undefined ? '' : `${fragment} `;
  const message = `Fragment ${named}on ${on.name} can't be spread inside ${parent.name}`;
  report(node, path, message, 'cannotSpreadFragment', {
    typeName: on.name,
    fragmentName: fragment ?? 'unknown',
    parentName: parent.name,
  });
}

/** The field of a type, those of introspection included. */
export function fieldOf(
  schema: GraphQLSchema,
  parent: GraphQLCompositeType,
  name: string,
): GraphQLField<unknown, unknown> | undefined {
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
  if (parent === schema.getQueryType()) {
    if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
    if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  }
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
}

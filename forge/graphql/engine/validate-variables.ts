import {
  getNamedType,
  type GraphQLInputType,
  type GraphQLSchema,
  type GraphQLType,
  isInputType,
  isListType,
  isNonNullType,
  isTypeSubTypeOf,
  Kind,
  type OperationDefinitionNode,
  print,
  typeFromAST,
  type VariableDefinitionNode,
} from 'graphql';

import { checkLiteral, type Usage, type ValueReport } from './validate-values.ts';

/** The variables of an operation, with every use of them in it and in its fragments. */
export function checkVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  usages: readonly Usage[],
  report: ValueReport,
): void {
  const name = operation.name?.value;
  const title = name ?? `anonymous ${operation.operation}`;
  const path = [name === undefined ? operation.operation : `${operation.operation} ${name}`];
  const declared = new Map<string, VariableDefinitionNode>();
  for (const definition of operation.variableDefinitions ?? []) {
    const variable = definition.variable.name.value;
    if (declared.has(variable)) {
      const message = `There can only be one variable named "${variable}"`;
      report(definition, path, message, 'variableNotUnique', { variableName: variable });
    }
    declared.set(variable, definition);
    checkDefinition(schema, definition, path, report);
  }
  const used = new Set<string>();
  for (const usage of usages) {
    const first = !used.has(usage.name);
    used.add(usage.name);
    const definition = declared.get(usage.name);
    if (definition) checkUsage(schema, definition, usage, report);
    else if (first) {
      const message = `Variable $${usage.name} is used by ${title} but not declared`;
      report(usage.node, usage.path, message, 'variableNotDefined', { variableName: usage.name });
    }
  }
  for (const [variable, definition] of declared) {
    if (used.has(variable)) continue;
    const message = `Variable $${variable} is declared by ${title} but not used`;
    report(definition, path, message, 'variableNotUsed', { variableName: variable });
  }
}

function checkDefinition(
  schema: GraphQLSchema,
  definition: VariableDefinitionNode,
  path: readonly string[],
  report: ValueReport,
): void {
  const type = inputTypeOf(schema, definition);
  const variable = definition.variable.name.value;
  if (!type) {
    const typeName = print(definition.type).replaceAll(/[[\]!]/g, '');
    const known = schema.getType(typeName) !== undefined;
    const message = `${typeName} isn't a ${known ? 'valid' : 'defined'} input type (on $${variable})`;
    report(definition, path, message, 'variableRequiresValidType', {
      typeName,
      variableName: variable,
    });
    return;
  }
  if (!definition.defaultValue) return;
  const message = `Default value for $${variable} doesn't match type ${String(type)}`;
  const refuse: ValueReport = () =>
    report(definition, path, message, 'defaultValueInvalidType', {
      variableName: variable,
      typeName: String(type),
    });
  const owner = { kind: 'Field', name: variable } as const;
  const target = { owner, name: variable, node: definition, type, hasDefault: false };
  checkLiteral(definition.defaultValue, type, target, { path, uses: [], report: refuse });
}

function inputTypeOf(
  schema: GraphQLSchema,
  definition: VariableDefinitionNode,
): GraphQLInputType | undefined {
  const type = typeFromAST(schema, definition.type);
  return type && isInputType(type) ? type : undefined;
}

function checkUsage(
  schema: GraphQLSchema,
  definition: VariableDefinitionNode,
  usage: Usage,
  report: ValueReport,
): void {
  const type = inputTypeOf(schema, definition);
  if (!type || isAllowed(schema, type, definition, usage)) return;
  const message = `${mismatch(type, usage.type)} mismatch on variable $${usage.name} and argument ${usage.argument} (${String(type)} / ${String(usage.type)})`;
  report(usage.node, usage.path, message, 'variableMismatch', {
    variableName: usage.name,
    typeName: String(type),
    argumentName: usage.argument,
    errorMessage: `${mismatch(type, usage.type)} mismatch`,
  });
}

/** Section 5.8.5 of the GraphQL specification: a default makes up for a nullable variable. */
function isAllowed(
  schema: GraphQLSchema,
  type: GraphQLInputType,
  { defaultValue }: VariableDefinitionNode,
  usage: Usage,
): boolean {
  if (!isNonNullType(usage.type) || isNonNullType(type)) {
    return isTypeSubTypeOf(schema, type, usage.type);
  }
  const hasDefault = defaultValue !== undefined && defaultValue.kind !== Kind.NULL;
  return (hasDefault || usage.hasDefault) && isTypeSubTypeOf(schema, type, usage.type.ofType);
}

function mismatch(given: GraphQLType, expected: GraphQLType): string {
  if (getNamedType(given) !== getNamedType(expected)) return 'Type';
  return listDepth(given) === listDepth(expected) ? 'Nullability' : 'List dimension';
}

function listDepth(type: GraphQLType): number {
  if (isNonNullType(type)) return listDepth(type.ofType);
  return isListType(type) ? 1 + listDepth(type.ofType) : 0;
}

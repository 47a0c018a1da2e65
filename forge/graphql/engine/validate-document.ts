import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';

import type { Json } from '../../json/json-values.ts';
import { DocumentError, type DocumentProblem, locationOf } from './document-error.ts';
import { checkFragment, checkOperation, type Uses } from './validate-selections.ts';
import type { ValueReport } from './validate-values.ts';
import { checkVariables } from './validate-variables.ts';

/** Problems of a GraphQL document that are reported. */
const problemsMax = 50;

/** Operations and fragments of a GraphQL document. */
const definitionsMax = 100;

/**
 * Checks a document against the schema. graphql-js has rules for the same, but clients recognize errors by the texts and codes
 * of graphql-ruby, which GitHub's service runs.
 */
export function validateDocument(schema: GraphQLSchema, document: DocumentNode): void {
  if (document.definitions.length > definitionsMax) {
    const message = `The document has more than ${definitionsMax} operations and fragments.`;
    throw new DocumentError({ message });
  }
  const problems: DocumentProblem[] = [];
  const fragments = new Map<string, FragmentDefinitionNode>();
  const operations: OperationDefinitionNode[] = [];
  const report: ValueReport = (node, path, message, code, more = {}) => {
    if (problems.length >= problemsMax) return;
    const extensions: { [field: string]: Json } = { code, ...more };
    problems.push({ message, locations: [locationOf(node)], path, extensions });
  };
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(definition);
    else if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      const name = definition.name.value;
      if (fragments.has(name)) {
        const message = `Fragment name "${name}" must be unique`;
        report(definition, [], message, 'fragmentNotUnique', { fragmentName: name });
      }
      fragments.set(name, definition);
    } else report(definition, [], 'Only operations and fragments can be run', 'notExecutable');
  }
  checkOperationNames(operations, report);
  const checking = { schema, fragments, report };
  const usesOfFragments = new Map<string, Uses>();
  for (const [name, fragment] of fragments)
    usesOfFragments.set(name, checkFragment(checking, fragment));
  const used = new Set<string>();
  for (const operation of operations) {
    const uses = checkOperation(checking, operation);
    const reached = reachedFragments(uses, usesOfFragments);
    for (const name of reached) used.add(name);
    const usages = [uses, ...[...reached].flatMap((name) => usesOfFragments.get(name) ?? [])];
    checkVariables(
      schema,
      operation,
      usages.flatMap(({ variables }) => variables),
      report,
    );
  }
  for (const [name, fragment] of fragments) {
    if (reachedFragments(usesOfFragments.get(name), usesOfFragments).has(name)) {
      const message = `Fragment ${name} contains an infinite loop`;
      report(fragment, [`fragment ${name}`], message, 'infiniteLoop', { fragmentName: name });
    }
    if (!used.has(name)) {
      const message = `Fragment ${name} was defined, but not used`;
      report(fragment, [`fragment ${name}`], message, 'useAndDefineFragment', {
        fragmentName: name,
      });
    }
  }
  if (problems.length > 0) throw new DocumentError(...problems);
}

function checkOperationNames(
  operations: readonly OperationDefinitionNode[],
  report: ValueReport,
): void {
  const names = new Set<string>();
  for (const operation of operations) {
    const name = operation.name?.value;
    if (name === undefined && operations.length > 1) {
      const message = 'Operation name is required when multiple operations are present';
      report(operation, [], message, 'uniquelyNamedOperations');
    }
    if (name === undefined) continue;
    if (names.has(name)) {
      const message = `Operation name "${name}" must be unique`;
      report(operation, [], message, 'uniquelyNamedOperations', { operationName: name });
    }
    names.add(name);
  }
}

/** Every fragment that these uses lead to, each visited once. */
function reachedFragments(
  uses: Uses | undefined,
  usesOfFragments: ReadonlyMap<string, Uses>,
): Set<string> {
  const reached = new Set<string>();
  const waiting = [...(uses?.fragments ?? [])];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (reached.has(name)) continue;
    reached.add(name);
    waiting.push(...(usesOfFragments.get(name)?.fragments ?? []));
  }
  return reached;
}

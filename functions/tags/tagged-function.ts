import type { Sql } from '#platform/database.ts';

import { functionNotFound } from '../configuration/find-function.ts';
import { findFunction, type FunctionFacts } from '../configuration/function-store.ts';
import { FunctionsError, invalidParameter } from '../conventions/functions-error.ts';
import { readFunctionName, type Site } from '../identity/function-name.ts';

/** The function that a resource's ARN names: nothing else has tags here. */
export async function findTagged(sql: Sql, site: Site, arn: string): Promise<FunctionFacts> {
  const [, , , , , kind = ''] = arn.split(':');
  if (kind !== 'function') throw withoutTags(kind, arn);
  const { name, qualifier } = readFunctionName(arn, site);
  if (qualifier !== undefined) {
    throw invalidParameter(
      'Tags on function aliases and versions are not supported. Please specify a function ARN.',
    );
  }
  const found = await findFunction(sql, name);
  if (!found) throw functionNotFound(site, name);
  return found;
}

const nouns: Readonly<Record<string, string>> = {
  'event-source-mapping': 'Event source mapping',
  'capacity-provider': 'Capacity provider',
  'code-signing-config': 'Code signing config',
};

function withoutTags(kind: string, arn: string): FunctionsError {
  const noun = nouns[kind];
  return noun === undefined
    ? invalidParameter('Tags on layers are not supported here. Please specify a function ARN.')
    : new FunctionsError('ResourceNotFoundException', `${noun} not found: ${arn}`);
}

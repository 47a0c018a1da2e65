import type { Sql } from '#platform/database/database.ts';

import { configIdIn } from '../code-signing/code-signing-config.ts';
import {
  findCodeSigningConfig,
  replaceCodeSigningConfig,
} from '../code-signing/code-signing-store.ts';
import { findFunction } from '../configuration/function-store.ts';
import { FunctionsError, invalidParameter } from '../errors/functions-error.ts';
import { readFunctionName, type AccountRegion } from '../model/function-name.ts';
import { type Tags, replaceTags } from '../tags/tag-store.ts';
import { functionNotFound } from '../versions/find-function.ts';
import { mappingIdIn } from './event-source-mapping.ts';
import { findMapping, replaceMappingTags } from './event-source-mapping-store.ts';

/** What an ARN names that has tags. */
export interface Tagged {
  readonly tags: Tags;
  replace(tags: Tags): Promise<void>;
}

/** The function, code signing configuration or event source mapping that a resource's ARN names: nothing else has tags here. */
export async function findTagged(
  sql: Sql,
  accountRegion: AccountRegion,
  arn: string,
): Promise<Tagged> {
  const [, , , , , kind = ''] = arn.split(':');
  if (kind === 'function') return taggedFunction(sql, accountRegion, arn);
  if (kind === 'event-source-mapping') return taggedMapping(sql, accountRegion, arn);
  const configId = kind === 'code-signing-config' ? configIdIn(accountRegion, arn) : undefined;
  const config = configId === undefined ? undefined : await findCodeSigningConfig(sql, configId);
  if (!config) throw withoutTags(kind, arn);
  return {
    tags: config.tags,
    replace: (tags) => replaceCodeSigningConfig(sql, { ...config, tags }),
  };
}

async function taggedMapping(sql: Sql, accountRegion: AccountRegion, arn: string): Promise<Tagged> {
  const uuid = mappingIdIn(accountRegion, arn);
  const mapping = uuid === undefined ? undefined : await findMapping(sql, uuid);
  if (!mapping) throw withoutTags('event-source-mapping', arn);
  return { tags: mapping.tags, replace: (tags) => replaceMappingTags(sql, mapping.id, tags) };
}

async function taggedFunction(
  sql: Sql,
  accountRegion: AccountRegion,
  arn: string,
): Promise<Tagged> {
  const { name, qualifier } = readFunctionName(arn, accountRegion);
  if (qualifier !== undefined) {
    throw invalidParameter(
      'Tags on function aliases and versions are not supported. Please specify a function ARN.',
    );
  }
  const found = await findFunction(sql, name);
  if (!found) throw functionNotFound(accountRegion, name);
  return { tags: found.tags, replace: (tags) => replaceTags(sql, found.id, tags) };
}

const nouns: Readonly<Record<string, string>> = {
  'event-source-mapping': 'Event source mapping',
  'capacity-provider': 'Capacity provider',
  'code-signing-config': 'Code signing config',
};

function withoutTags(kind: string, arn: string): FunctionsError {
  const noun = nouns[kind];
  return noun === undefined
    ? invalidParameter('Tags on layers are not supported by this server. Specify a function ARN.')
    : new FunctionsError('ResourceNotFoundException', `${noun} not found: ${arn}`);
}

import { listTags, tagResource, untagResource } from '#functions-contract/operations/tags.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { invalidParameter } from '../errors/functions-error.ts';
import { findTagged } from '../event-source-mappings/tagged.ts';
import {
  bindOperation,
  type OperationHandler,
  type CreateHandler,
  type FunctionPorts,
} from '../http/call.ts';
import { checkTags } from './tag-store.ts';

/** Tags. */
export const tagRoutes: readonly CreateHandler[] = [
  serveListTags,
  serveTagResource,
  serveUntagResource,
];

type ListTagsOutput = StructureOf<(typeof listTags)['output']>;

function serveListTags({ database, settings }: FunctionPorts): OperationHandler {
  return bindOperation(listTags, async ({ Resource }): Promise<ListTagsOutput> => {
    const { tags } = await database.read((sql) => findTagged(sql, settings, Resource));
    return { Tags: tags };
  });
}

function serveTagResource({ database, settings }: FunctionPorts): OperationHandler {
  return bindOperation(tagResource, async ({ Resource, Tags }) => {
    await database.write(async (sql) => {
      const tagged = await findTagged(sql, settings, Resource);
      if (Object.keys(Tags).length === 0) {
        throw invalidParameter('An error occurred and the request cannot be processed.');
      }
      const next = { ...tagged.tags, ...Tags };
      checkTags(next);
      await tagged.replace(next);
    });
    return {};
  });
}

/** Removing a missing key succeeds. */
function serveUntagResource({ database, settings }: FunctionPorts): OperationHandler {
  return bindOperation(untagResource, async ({ Resource, TagKeys }) => {
    const removed = new Set(TagKeys);
    await database.write(async (sql) => {
      const tagged = await findTagged(sql, settings, Resource);
      const remaining = Object.entries(tagged.tags).filter(([key]) => !removed.has(key));
      await tagged.replace(Object.fromEntries(remaining));
    });
    return {};
  });
}

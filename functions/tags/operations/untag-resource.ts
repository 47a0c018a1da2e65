import { untagResource } from '#functions-contract/operations/tags.ts';

import { serve, type ServedOperation } from '../../conventions/call.ts';
import type { FunctionPorts } from '../../ports.ts';
import { replaceTags } from '../tag-store.ts';
import { findTagged } from '../tagged-function.ts';

/** Keys that the function does not have are removed already. */
export function serveUntagResource({ database, settings }: FunctionPorts): ServedOperation {
  return serve(untagResource, async ({ Resource, TagKeys }) => {
    const removed = new Set(TagKeys);
    await database.write(async (sql) => {
      const { id, tags } = await findTagged(sql, settings, Resource);
      const kept = Object.entries(tags).filter(([key]) => !removed.has(key));
      await replaceTags(sql, id, Object.fromEntries(kept));
    });
    return {};
  });
}

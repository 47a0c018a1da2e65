import { untagResource } from '#functions-contract/operations/tags.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { findTagged } from '../../code-signing/tagged.ts';

/** Keys that the function does not have are removed already. */
export function serveUntagResource({ database, settings }: FunctionPorts): ServedOperation {
  return serve(untagResource, async ({ Resource, TagKeys }) => {
    const removed = new Set(TagKeys);
    await database.write(async (sql) => {
      const tagged = await findTagged(sql, settings, Resource);
      const kept = Object.entries(tagged.tags).filter(([key]) => !removed.has(key));
      await tagged.replace(Object.fromEntries(kept));
    });
    return {};
  });
}

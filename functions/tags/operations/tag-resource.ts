import { tagResource } from '#functions-contract/operations/tags.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import { invalidParameter } from '../../errors/functions-error.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { checkTags } from '../check-tags.ts';
import { findTagged } from '../../code-signing/tagged.ts';

export function serveTagResource({ database, settings }: FunctionPorts): ServedOperation {
  return serve(tagResource, async ({ Resource, Tags }) => {
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

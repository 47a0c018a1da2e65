import { listTags } from '#functions-contract/operations/tags.ts';

import { serve, type ServedOperation } from '../../conventions/call.ts';
import type { FunctionPorts } from '../../ports.ts';
import { findTagged } from '../tagged-function.ts';

export function serveListTags({ database, settings }: FunctionPorts): ServedOperation {
  return serve(listTags, async ({ Resource }) => {
    const { tags } = await database.read((sql) => findTagged(sql, settings, Resource));
    return { Tags: tags };
  });
}

import { listTags } from '#functions-contract/operations/tags.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { findTagged } from '../../code-signing/tagged.ts';

type Output = StructureOf<(typeof listTags)['output']>;

export function serveListTags({ database, settings }: FunctionPorts): ServedOperation {
  return serve(listTags, async ({ Resource }): Promise<Output> => {
    const { tags } = await database.read((sql) => findTagged(sql, settings, Resource));
    return { Tags: tags };
  });
}

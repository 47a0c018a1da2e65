import {
  listVersionsByFunction,
  publishVersion as publishVersionOperation,
} from '#functions-contract/operations/functions.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { checkChangeable, versionNumberOf } from '../configuration/function-record.ts';
import { findFunction, listVersions } from '../configuration/function-store.ts';
import { representItem, represent } from '../configuration/configuration-json.ts';
import {
  bindOperation,
  type OperationHandler,
  type CreateHandler,
  type FunctionPorts,
} from '../http/call.ts';
import { pageOf, readNumberMarker } from '../json/paging.ts';
import { readFunctionName } from '../model/function-name.ts';
import { publishVersion } from '../provisioning/publish-version.ts';
import { functionNotFound, findLatest, refusePublishTo } from './find-function.ts';

/** Versions of a function. */
export const versionRoutes: readonly CreateHandler[] = [
  serveListVersionsByFunction,
  servePublishVersion,
];

type ListVersionsByFunctionOutput = StructureOf<(typeof listVersionsByFunction)['output']>;

/** $LATEST first; ARNs name the version. */
function serveListVersionsByFunction(ports: FunctionPorts): OperationHandler {
  const { database, settings } = ports;
  return bindOperation(
    listVersionsByFunction,
    async (input): Promise<ListVersionsByFunctionOutput> => {
      const { name } = readFunctionName(input.FunctionName, settings);
      const after = readNumberMarker(input.Marker, -1);
      const page = await pageOf(
        input.MaxItems,
        (limit) =>
          database.read(async (sql) => {
            const found = await findFunction(sql, name);
            if (!found) throw functionNotFound(settings, name);
            return listVersions(sql, found.id, after, limit);
          }),
        (last) => [String(versionNumberOf(last))],
      );
      const Versions = await Promise.all(
        page.items.map((item) => representItem(ports, item, item.version)),
      );
      return page.marker === undefined ? { Versions } : { Versions, NextMarker: page.marker };
    },
  );
}

function servePublishVersion(ports: FunctionPorts): OperationHandler {
  const { database, settings } = ports;
  return bindOperation(publishVersionOperation, async (input) => {
    refusePublishTo(input.PublishTo);
    const reference = readFunctionName(input.FunctionName, settings);
    for (;;) {
      const latest = await database.read((sql) => findLatest(sql, settings, reference));
      checkChangeable(latest, settings, input.RevisionId);
      const published = await publishVersion(ports, latest, {
        description: input.Description,
        codeSha256: input.CodeSha256,
      });
      if (published) return represent(ports, published, published.version);
    }
  });
}

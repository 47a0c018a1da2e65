import { publishVersion as publishVersionOperation } from '#functions-contract/operations/functions.ts';

import { checkChangeable } from '../../configuration/check-changeable.ts';
import { findLatest } from '../find-function.ts';
import { represent } from '../../configuration/represent.ts';
import { serve, type ServedOperation } from '../../http/call.ts';
import { readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { publishVersion } from '../../provisioning/publish-version.ts';
import { refusePublishTo } from '../refuse-publish-to.ts';

export function servePublishVersion(ports: FunctionPorts): ServedOperation {
  const { database, settings } = ports;
  return serve(publishVersionOperation, async (input) => {
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

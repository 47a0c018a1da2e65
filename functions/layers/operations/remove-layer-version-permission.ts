import { removeLayerVersionPermission } from '#functions-contract/operations/layers.ts';

import { checkRevision } from '../../configuration/check-changeable.ts';
import { serve, type ServedOperation } from '../../http/call.ts';
import { noPolicy, noStatement } from '../../permissions/policy-refusals.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { findPolicyLayer } from '../find-layer.ts';
import { deleteLayerStatement, findLayerPolicy } from '../layer-policy-store.ts';

export function serveRemoveLayerVersionPermission(ports: FunctionPorts): ServedOperation {
  const { database, settings, random } = ports;
  return serve(removeLayerVersionPermission, async (input) => {
    const next = random.id();
    await database.write(async (sql) => {
      const { id } = await findPolicyLayer(sql, settings, input);
      const policy = await findLayerPolicy(sql, id);
      if (!policy) throw noPolicy();
      checkRevision({ revisionId: policy.revision }, input.RevisionId, 'GetLayerPolicy');
      const deleted = await deleteLayerStatement(sql, id, input.StatementId, next);
      if (!deleted) throw noStatement(input.StatementId);
    });
    return {};
  });
}

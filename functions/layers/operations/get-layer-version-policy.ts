import { getLayerVersionPolicy } from '#functions-contract/operations/layers.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import { noPolicy } from '../../permissions/policy-refusals.ts';
import { policyText } from '../../permissions/statement.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { findPolicyLayer } from '../find-layer.ts';
import { findLayerPolicy } from '../layer-policy-store.ts';

type Output = StructureOf<(typeof getLayerVersionPolicy)['output']>;

export function serveGetLayerVersionPolicy(ports: FunctionPorts): ServedOperation {
  const { database, settings } = ports;
  return serve(getLayerVersionPolicy, async (named): Promise<Output> => {
    const policy = await database.read(async (sql) => {
      const { id } = await findPolicyLayer(sql, settings, named);
      return findLayerPolicy(sql, id);
    });
    if (!policy) throw noPolicy();
    return { Policy: policyText(policy.statements), RevisionId: policy.revision };
  });
}

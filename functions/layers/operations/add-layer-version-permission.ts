import { addLayerVersionPermission } from '#functions-contract/operations/layers.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { checkRevision } from '../../configuration/check-changeable.ts';
import { serve, type ServedOperation } from '../../http/call.ts';
import { invalidParameter } from '../../errors/functions-error.ts';
import { statementExists } from '../../permissions/policy-refusals.ts';
import { conditionOf, readPrincipal, type Statement } from '../../permissions/statement.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { findPolicyLayer } from '../find-layer.ts';
import { layerVersionArn } from '../layer.ts';
import { findLayerPolicy, insertLayerStatement } from '../layer-policy-store.ts';

type Output = StructureOf<(typeof addLayerVersionPermission)['output']>;

export function serveAddLayerVersionPermission(ports: FunctionPorts): ServedOperation {
  const { database, settings, random } = ports;
  return serve(addLayerVersionPermission, async (input): Promise<Output> => {
    const { OrganizationId, Principal, StatementId } = input;
    if (OrganizationId !== undefined && Principal !== '*') {
      throw invalidParameter('The principal must be * when OrganizationId is set.');
    }
    const condition = conditionOf(
      OrganizationId === undefined ? {} : { PrincipalOrgID: OrganizationId },
    );
    const RevisionId = random.id();
    return database.write(async (sql) => {
      const layer = await findPolicyLayer(sql, settings, input);
      const policy = await findLayerPolicy(sql, layer.id);
      checkRevision({ revisionId: policy?.revision ?? '' }, input.RevisionId, 'GetLayerPolicy');
      const statement: Statement = {
        Sid: StatementId,
        Effect: 'Allow',
        Principal: readPrincipal(Principal),
        Action: input.Action,
        Resource: layerVersionArn(settings, layer.name, layer.version),
        ...(condition && { Condition: condition }),
      };
      const Statement = JSON.stringify(statement);
      if (policy?.statements.some(({ id }) => id === StatementId)) {
        throw statementExists(StatementId);
      }
      await insertLayerStatement(sql, layer.id, { id: StatementId, text: Statement }, RevisionId);
      return { Statement, RevisionId };
    });
  });
}

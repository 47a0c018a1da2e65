import { addPermission } from '#functions-contract/operations/permissions.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { checkRevision } from '../../configuration/check-changeable.ts';
import { serve, type ServedOperation } from '../../http/call.ts';
import { functionArn, readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { findQualified } from '../../versions/find-qualified.ts';
import { statementExists } from '../policy-refusals.ts';
import { insertStatement } from '../policy-store.ts';
import { checkPolicyQualifier, policyQualifier, revise, revisionOf } from '../policy-target.ts';
import { conditionOf, readPrincipal, type Statement } from '../statement.ts';

type Output = StructureOf<(typeof addPermission)['output']>;

export function serveAddPermission({ database, settings, random }: FunctionPorts): ServedOperation {
  return serve(addPermission, async (input): Promise<Output> => {
    const reference = readFunctionName(input.FunctionName, settings, input.Qualifier);
    checkPolicyQualifier(reference);
    const condition = conditionOf(input);
    const statement: Statement = {
      Sid: input.StatementId,
      Effect: 'Allow',
      Principal: readPrincipal(input.Principal),
      Action: input.Action,
      Resource: functionArn(settings, reference.name, reference.qualifier),
      ...(condition && { Condition: condition }),
    };
    const stored = { id: statement.Sid, text: JSON.stringify(statement) };
    const revisionId = random.id();
    await database.write(async (sql) => {
      const target = await findQualified(sql, settings, reference);
      checkRevision({ revisionId: revisionOf(target) }, input.RevisionId, 'GetPolicy');
      const qualifier = policyQualifier(reference);
      const inserted = await insertStatement(sql, target.functionId, qualifier, stored);
      if (!inserted) throw statementExists(statement.Sid);
      await revise(sql, target, revisionId);
    });
    return { Statement: stored.text };
  });
}

import {
  getPolicy,
  addPermission,
  removePermission,
} from '#functions-contract/operations/permissions.ts';
import type { StructureOf } from '#functions-contract/shape.ts';
import type { Sql } from '#platform/database/database.ts';

import { checkRevision, latest } from '../configuration/function-record.ts';
import { findFunction, findVersion, reviseVersion } from '../configuration/function-store.ts';
import { noSuchResource, invalidParameter } from '../errors/functions-error.ts';
import {
  bindOperation,
  type OperationHandler,
  type CreateHandler,
  type FunctionPorts,
} from '../http/call.ts';
import {
  namesAlias,
  readFunctionName,
  functionArn,
  type FunctionReference,
} from '../model/function-name.ts';
import { reviseAlias } from '../versions/alias-store.ts';
import { findQualified, type Qualified } from '../versions/find-function.ts';
import {
  checkPolicyLength,
  statementExists,
  noPolicy,
  noPolicyOf,
  noStatement,
  policyText,
  conditionOf,
  readPrincipal,
  type Statement,
} from './statement.ts';
import { listStatements, insertStatement, deleteStatement } from './policy-store.ts';

/** The resource-based policy of a function. */
export const permissionRoutes: readonly CreateHandler[] = [
  serveGetPolicy,
  serveAddPermission,
  serveRemovePermission,
];

type GetPolicyOutput = StructureOf<(typeof getPolicy)['output']>;

/** A missing function or version has no policy. */
function serveGetPolicy({ database, settings }: FunctionPorts): OperationHandler {
  return bindOperation(getPolicy, async ({ FunctionName, Qualifier }): Promise<GetPolicyOutput> => {
    const reference = readFunctionName(FunctionName, settings, Qualifier);
    const { name, qualifier } = reference;
    return database.read(async (sql) => {
      const there =
        qualifier === undefined || namesAlias(qualifier)
          ? await findFunction(sql, name)
          : /^\d+$/.test(qualifier) && (await findVersion(sql, name, Number(qualifier)));
      if (!there) throw noSuchResource();
      const target = await findQualified(sql, settings, reference);
      const statements = await listStatements(sql, target.functionId, policyQualifier(reference));
      if (statements.length === 0) throw noSuchResource();
      return { Policy: policyText(statements), RevisionId: revisionOf(target) };
    });
  });
}

type AddPermissionOutput = StructureOf<(typeof addPermission)['output']>;

function serveAddPermission({ database, settings, random }: FunctionPorts): OperationHandler {
  return bindOperation(addPermission, async (input): Promise<AddPermissionOutput> => {
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
      checkPolicyLength(await listStatements(sql, target.functionId, qualifier));
      await revise(sql, target, revisionId);
    });
    return { Statement: stored.text };
  });
}

function serveRemovePermission(ports: FunctionPorts): OperationHandler {
  const { database, settings, random } = ports;
  return bindOperation(
    removePermission,
    async ({ FunctionName, StatementId, Qualifier, RevisionId }) => {
      const reference = readFunctionName(FunctionName, settings, Qualifier);
      const qualifier = policyQualifier(reference);
      const revisionId = random.id();
      await database.write(async (sql) => {
        if (!(await findFunction(sql, reference.name))) {
          throw noPolicyOf(functionArn(settings, reference.name));
        }
        const target = await findQualified(sql, settings, reference);
        const { length } = await listStatements(sql, target.functionId, qualifier);
        if (length === 0) throw noPolicy();
        checkRevision({ revisionId: revisionOf(target) }, RevisionId, 'GetPolicy');
        const deleted = await deleteStatement(sql, target.functionId, qualifier, StatementId);
        if (!deleted) throw noStatement(StatementId);
        await revise(sql, target, revisionId);
      });
      return {};
    },
  );
}

/** What a policy belongs to, as its statements are stored under; empty for the function itself. */
function policyQualifier({ qualifier = '' }: FunctionReference): string {
  return qualifier;
}

/** The unpublished version has no policy but the function's. */
function checkPolicyQualifier({ qualifier }: FunctionReference): void {
  if (qualifier === latest) {
    throw invalidParameter('We currently do not support adding policies for $LATEST.');
  }
}

/** A policy has the revision of what it belongs to. */
function revisionOf(target: Qualified): string {
  return target.kind === 'alias' ? target.alias.revisionId : target.version.revisionId;
}

async function revise(sql: Sql, target: Qualified, revisionId: string): Promise<void> {
  if (target.kind === 'alias') await reviseAlias(sql, target.alias.id, revisionId);
  else await reviseVersion(sql, target.version.id, revisionId);
}

import { getFunction } from '#functions-contract/operations/functions.ts';

import type { StructureOf } from '#functions-contract/shape.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import { codeLocation } from '../../code/code-location.ts';
import { readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import type { Configuration } from '../configuration.ts';
import { findReferred, functionNotFound } from '../../versions/find-function.ts';
import { findFunction } from '../function-store.ts';
import { represent } from '../represent.ts';

type Output = StructureOf<(typeof getFunction)['output']>;

export function serveGetFunction(ports: FunctionPorts): ServedOperation {
  const { database, settings } = ports;
  return serve(getFunction, async ({ FunctionName, Qualifier }): Promise<Output> => {
    const reference = readFunctionName(FunctionName, settings, Qualifier);
    const found = await database.read(async (sql) => {
      const version = await findReferred(sql, reference);
      const facts = version && (await findFunction(sql, version.name));
      return version && facts && { version, facts };
    });
    if (!found) throw functionNotFound(settings, reference.name, reference.qualifier);
    const { version, facts } = found;
    return {
      Configuration: await represent(ports, version, reference.qualifier),
      Code: representCode(version.described.configuration, ports),
      ...(Object.keys(facts.tags).length > 0 ? { Tags: facts.tags } : {}),
      ...(facts.reservedConcurrency === undefined
        ? {}
        : { Concurrency: { ReservedConcurrentExecutions: facts.reservedConcurrency } }),
    };
  });
}

function representCode({ Code }: Configuration, ports: FunctionPorts): NonNullable<Output['Code']> {
  if (!Code.image) return { RepositoryType: 'S3', Location: codeLocation(ports, Code.sha256) };
  const { uri, resolvedUri } = Code.image;
  return { RepositoryType: 'ECR', ImageUri: uri, ResolvedImageUri: resolvedUri };
}

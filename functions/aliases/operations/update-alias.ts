import { updateAlias } from '#functions-contract/operations/aliases.ts';

import { checkRevision } from '../../configuration/check-changeable.ts';
import { checkUnqualified } from '../../versions/find-function.ts';
import { readVersionName, versionName } from '../../configuration/function-record.ts';
import { findFunction } from '../../configuration/function-store.ts';
import { keepReadyLater } from '../../concurrency/ensure-provisioned.ts';
import { serve, type ServedOperation } from '../../http/call.ts';
import { FunctionsError } from '../../errors/functions-error.ts';
import { functionArn, readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { findAlias, replaceAlias } from '../../versions/alias-store.ts';
import { representAlias, type AliasConfiguration } from '../alias-json.ts';
import { checkRouting, readRouting } from '../check-routing.ts';

/** What is not given stays; an empty routing ends the sharing. */
export function serveUpdateAlias(ports: FunctionPorts): ServedOperation {
  const { database, settings, random } = ports;
  return serve(updateAlias, async (input): Promise<AliasConfiguration> => {
    const name = checkUnqualified(readFunctionName(input.FunctionName, settings));
    const revisionId = random.id();
    const given = readRouting(input.RoutingConfig);
    const { before, alias } = await database.write(async (sql) => {
      const found = await findFunction(sql, name);
      const current = found && (await findAlias(sql, found.id, input.Name));
      if (!current) {
        throw new FunctionsError(
          'ResourceNotFoundException',
          `Alias not found: ${functionArn(settings, name, input.Name)}`,
        );
      }
      checkRevision(current, input.RevisionId);
      const next = {
        ...current,
        number:
          input.FunctionVersion === undefined
            ? current.number
            : readVersionName(input.FunctionVersion),
        description: input.Description ?? current.description,
        other: input.RoutingConfig === undefined ? current.other : given,
        revisionId,
      };
      await checkRouting(sql, settings, name, next.number, next.other);
      await replaceAlias(sql, next);
      return { before: current, alias: next };
    });
    if (before.number !== alias.number) {
      // What was kept ready of the version before is kept ready of this one.
      keepReadyLater(ports, name, versionName(before.number));
      keepReadyLater(ports, name, alias.name);
    }
    return representAlias(alias, settings, name);
  });
}

import type { createAlias } from '#functions-contract/operations/aliases.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { versionName } from '../configuration/function-record.ts';
import { functionArn, type Site } from '../model/function-name.ts';
import type { Alias } from '../model/alias.ts';

export type AliasConfiguration = StructureOf<(typeof createAlias)['output']>;

export function representAlias(
  { name, number, description, other, revisionId }: Alias | Omit<Alias, 'id'>,
  site: Site,
  functionName: string,
): AliasConfiguration {
  return {
    AliasArn: functionArn(site, functionName, name),
    Name: name,
    FunctionVersion: versionName(number),
    Description: description,
    ...(other && {
      RoutingConfig: { AdditionalVersionWeights: { [String(other.number)]: other.weight } },
    }),
    RevisionId: revisionId,
  };
}

import { FunctionsError, invalidParameter } from '../errors/functions-error.ts';
import type { DeclaredResources } from '../declared/declared-resources.ts';
import type { Site } from '../model/function-name.ts';

/** The ARN of a capacity provider that the operator declared, by its name or ARN. */
export function declaredProvider(
  nameOrArn: string,
  site: Site,
  { capacityProviders }: DeclaredResources,
): string {
  const arn = nameOrArn.startsWith('arn:')
    ? nameOrArn
    : `arn:aws:lambda:${site.region}:${site.accountId}:capacity-provider:${nameOrArn}`;
  if (capacityProviders.has(arn)) return arn;
  throw new FunctionsError('ResourceNotFoundException', `Capacity provider not found: ${arn}`);
}

export function declaredOnly(): FunctionsError {
  return invalidParameter(
    'Capacity providers are declared by the operator of this server. This operation is not supported.',
  );
}

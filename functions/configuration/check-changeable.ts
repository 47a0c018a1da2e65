import { FunctionsError } from '../errors/functions-error.ts';
import { functionArn, type Site } from '../model/function-name.ts';
import type { FunctionVersion } from './function-record.ts';

/** Refuses a change while another is in progress, and one that was made for another revision (functions 4.3 and 4.4). */
export function checkChangeable(
  version: FunctionVersion,
  site: Site,
  revisionId: string | undefined,
): void {
  if (version.state.value === 'Pending') {
    throw new FunctionsError(
      'ResourceConflictException',
      `The operation cannot be performed at this time. The function is currently in the following state: ${version.state.value}`,
    );
  }
  if (version.lastUpdate?.value === 'InProgress') {
    throw new FunctionsError(
      'ResourceConflictException',
      `The operation cannot be performed at this time. An update is in progress for resource: ${functionArn(site, version.name)}`,
    );
  }
  checkRevision(version, revisionId);
}

/** Refuses a change that was made for another revision; an empty revision id is not checked. */
export function checkRevision(
  current: { readonly revisionId: string },
  revisionId: string | undefined,
  operation = 'GetFunction/GetAlias',
): void {
  if (!revisionId || revisionId === current.revisionId) return;
  throw new FunctionsError(
    'PreconditionFailedException',
    `The Revision Id provided does not match the latest Revision Id. Call the ${operation} API to retrieve the latest Revision Id`,
  );
}

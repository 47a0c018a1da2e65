import { functionNameLengthMax } from '#functions-contract/limits.ts';
import { aliasNamePattern } from '#functions-contract/patterns.ts';

import { detected, violation } from '../errors/constraints.ts';
import { FunctionsError, invalidParameter } from '../errors/functions-error.ts';

/** The account and region of this service, which names and ARNs may omit. */
export interface AccountRegion {
  readonly region: string;
  /** Twelve digits. */
  readonly accountId: string;
}

/** A function as a caller named it, with the version or alias of the name or the request. */
export interface FunctionReference {
  readonly name: string;
  readonly qualifier: string | undefined;
}

/**
 * Reads a name, a partial ARN or an ARN that already satisfies the contract's pattern. Another region's functions are not
 * found here, and another account's are not the caller's.
 */
export function readFunctionName(
  text: string,
  accountRegion: AccountRegion,
  qualifierParameter?: string,
): FunctionReference {
  const parts = form.exec(text)?.groups;
  if (!parts?.['name']) throw new Error('The name was not held against its pattern.');
  const { region, account, name, qualifier } = parts;
  if (region !== undefined && region !== accountRegion.region) {
    throw new FunctionsError(
      'ResourceNotFoundException',
      `Functions from '${region}' are not reachable in this region ('${accountRegion.region}')`,
    );
  }
  if (account !== undefined && account !== accountRegion.accountId) {
    throw new FunctionsError('AccessDeniedException', '', { withoutMessage: true });
  }
  if (
    qualifier !== undefined &&
    qualifierParameter !== undefined &&
    qualifier !== qualifierParameter
  ) {
    throw invalidParameter(
      'The derived qualifier from the function name does not match the specified qualifier.',
    );
  }
  return { name, qualifier: qualifier ?? qualifierParameter };
}

/** The name in what may be a name, a partial ARN or an ARN; undefined for anything else. */
export function functionNameIn(text: string): string | undefined {
  return form.exec(text)?.groups?.['name'];
}

const form =
  /^(?:arn:(?:aws[a-zA-Z-]*)?:lambda:)?(?:(?<region>(?:eusc-)?[a-z]{2}(?:-gov|-iso[a-z]?)?-[a-z]+-\d):)?(?:(?<account>\d{12}):)?(?:function:)?(?<name>[a-zA-Z0-9-_.]+)(?::(?<qualifier>[$a-zA-Z0-9-_.]+))?$/;

/** Whether a qualifier is spelled as aliases are; versions are numbers, and nothing else has a dollar sign. */
export function namesAlias(qualifier: string): boolean {
  return aliasForm.test(qualifier);
}

const aliasForm = new RegExp(`^(?:${aliasNamePattern})$`);

/** Checks the name of a new function: a bare name has a limit of its own. */
export function checkNewName(name: string): void {
  if (name.length <= functionNameLengthMax) return;
  const constraint = `Member must have length less than or equal to ${functionNameLengthMax}`;
  throw invalidParameter(detected([violation(`'${name}'`, 'functionName', constraint)]));
}

export function functionArn(
  { region, accountId }: AccountRegion,
  name: string,
  qualifier?: string,
): string {
  const arn = `arn:aws:lambda:${region}:${accountId}:function:${name}`;
  return qualifier === undefined ? arn : `${arn}:${qualifier}`;
}

/** Whether an ARN names a version or an alias. */
export function isQualified(arn: string): boolean {
  return arn.split(':').length > 7;
}

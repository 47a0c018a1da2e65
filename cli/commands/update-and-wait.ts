import type { Operation } from '#functions-contract/operation.ts';

import type { Output, Session } from '../calls/session.ts';
import { ServiceResponseError } from '../calls/service-response-error.ts';
import { waitUntilUpdated } from '../calls/wait-until-updated.ts';
import type { OptionValue } from '../input/argument-parser.ts';
import type { InputMap } from '../validation/input-value.ts';
import type { OperationArgs } from '../input/operation-args.ts';
import { readVariableChange, withVariables } from './variable-change.ts';

/** Tries of an update that conflicts with others; then the error is reported. */
const triesMax = 5;

/** An update with `--set-env`, `--unset-env` or `--wait`. */
export async function runUpdate(
  operation: Operation,
  { given }: OperationArgs,
  input: InputMap,
  session: Session,
): Promise<number> {
  const response = await changed(operation, given, input, session);
  return session.print(given.has('wait') ? await waitUntilUpdated(response, session) : response);
}

/**
 * Variables are replaced all together, so one is changed by reading them and sending all back. The revision that was read
 * guards the others: when it is no longer the current one, everything is read again.
 */
async function changed(
  operation: Operation,
  given: ReadonlyMap<string, OptionValue>,
  input: InputMap,
  session: Session,
): Promise<Output> {
  const change = readVariableChange(given, input);
  if (change === undefined) return session.call(operation, input);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await session.call(operation, await withVariables(change, input, session));
    } catch (error) {
      const overtaken =
        error instanceof ServiceResponseError && error.code === 'PreconditionFailedException';
      if (!overtaken || attempt >= triesMax || Object.hasOwn(input, 'RevisionId')) throw error;
    }
  }
}

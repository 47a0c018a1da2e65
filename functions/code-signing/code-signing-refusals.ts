import { FunctionsError } from '../conventions/functions-error.ts';

/** For operations that would give a function a configuration: there are none here. */
export function noSuchConfigForFunction(arn: string): FunctionsError {
  return new FunctionsError(
    'CodeSigningConfigNotFoundException',
    `The code signing configuration cannot be found. Check that the provided configuration is not deleted: ${arn}.`,
  );
}

export function noSuchConfig(arn: string): FunctionsError {
  return new FunctionsError(
    'ResourceNotFoundException',
    `The Lambda code signing configuration ${arn} can not be found.`,
  );
}

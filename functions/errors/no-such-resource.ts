import { FunctionsError } from './functions-error.ts';

/** What policies, layers and function URLs say of what is not there. */
export function noSuchResource(): FunctionsError {
  return new FunctionsError(
    'ResourceNotFoundException',
    'The resource you requested does not exist.',
  );
}

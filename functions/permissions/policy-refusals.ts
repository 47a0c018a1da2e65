/** Refusals that the policies of functions and of layers share (recorded). */
import { FunctionsError } from '../errors/functions-error.ts';

export function statementExists(id: string): FunctionsError {
  return new FunctionsError(
    'ResourceConflictException',
    `The statement id (${id}) provided already exists. Please provide a new statement id, or remove the existing statement.`,
  );
}

export function noPolicy(): FunctionsError {
  return notFound('No policy is associated with the given resource.');
}

export function noPolicyOf(arn: string): FunctionsError {
  return notFound(`No policy found for: ${arn}`);
}

export function noStatement(id: string): FunctionsError {
  return notFound(`Statement ${id} is not found in resource policy.`);
}

function notFound(message: string): FunctionsError {
  return new FunctionsError('ResourceNotFoundException', message);
}

import type { Operation } from '#functions-contract/operation.ts';

import { isServiceError } from '../connection/service-error.ts';
import type { InputMap } from '../validation/input-value.ts';
import { validateInput } from '../validation/validate-input.ts';
import { buildRequest } from '../wire/build-request.ts';
import { parseAnswer } from '../wire/parse-answer.ts';
import type { Service } from './service.ts';

export type Output = Readonly<Record<string, unknown>>;

/** Sends one request and reads its answer; an answer that is an error is thrown. */
export async function callOperation(
  service: Service,
  operation: Operation,
  input: InputMap,
): Promise<Output> {
  validateInput(input, operation.input);
  const reply = await service.send(buildRequest(operation, input));
  if (!isServiceError(reply)) return parseAnswer(operation, reply);
  const { ServiceFailure } = await import('./service-failure.ts');
  throw new ServiceFailure(operation.name, reply);
}

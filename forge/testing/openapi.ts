import { descriptionOfThen } from './openapi-then.ts';
import { descriptionOfToday } from './openapi-today.ts';
import type { DescribedOperation } from './published-description.ts';

/** Problems of a 2xx JSON response by two published descriptions, an early one and that of today. */
export function describeMisfits(
  operation: DescribedOperation,
  status: number,
  body: unknown,
): string[] {
  return [
    ...descriptionOfThen.violations(operation, status, body),
    ...descriptionOfToday
      .violations(operation, status, body)
      .map((violation) => `today: ${violation}`),
  ];
}

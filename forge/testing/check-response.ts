import assert from 'node:assert/strict';

import type { Declaration } from '../routing/endpoint.ts';
import { describeMisfits } from './openapi.ts';
import type { TestResponse } from './test-forge.ts';

/** Fails where the server failed, and where a JSON response does not fit the published description of its operation. */
export function checkResponse(
  response: TestResponse,
  method: string,
  path: string,
  operations: ReadonlyMap<string, Declaration>,
): void {
  // 501 is never a fault: it is what is said of what there is none of.
  const fault = response.status >= 500 && response.status !== 501;
  assert.ok(!fault, `${method} ${path} answered ${response.status}: ${response.text}`);
  const operation = operations.get(response.headers['x-github-request-id'] ?? '');
  if (operation === undefined || response.body === undefined || response.status >= 300) return;
  // The description is of the default form; other media type parameters rename fields.
  if (/param=(?:text|html|star)/.test(response.headers['x-github-media-type'] ?? '')) return;
  const violations = describeMisfits(operation, response.status, response.body);
  assert.deepEqual(violations, [], `${method} ${path} does not fit the published descriptions`);
}

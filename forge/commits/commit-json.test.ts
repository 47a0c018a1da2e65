import assert from 'node:assert/strict';
import { test } from 'node:test';

import { representVerification } from './commit-json.ts';

test('a signed commit is never shown as unsigned, however much of it is read', () => {
  const reasonOf = (signature: string | null | undefined): unknown =>
    representVerification({ signature, payload: undefined })['reason'];
  assert.equal(reasonOf('-----BEGIN PGP SIGNATURE-----'), 'unknown_key');
  assert.equal(reasonOf(null), 'malformed_signature');
  assert.equal(reasonOf(undefined), 'unsigned');
});

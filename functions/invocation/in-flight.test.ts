import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { InFlight, type Concurrency } from './in-flight.ts';

describe('invocations under way', () => {
  const own: Concurrency = {
    functionId: 1,
    versionId: 10,
    reservedConcurrency: 3,
    reservedInAll: 3,
    provisioned: 1,
    provisionedInAll: 2,
  };
  const started = (inFlight: InFlight, of: Concurrency): (() => void) => {
    const result = inFlight.begin(of);
    assert.equal(result.kind, 'started');
    return result.kind === 'started' ? result.end : () => {};
  };
  const reason = (inFlight: InFlight, of: Concurrency) => {
    const result = inFlight.begin(of);
    return result.kind === 'throttled' ? result.reason : undefined;
  };
  const reservedExceeded = 'ReservedFunctionConcurrentInvocationLimitExceeded';

  it('are throttled past what is provisioned and what the reservation leaves next to it', () => {
    const inFlight = new InFlight();
    const endReady = started(inFlight, own);
    const endOther = started(inFlight, own);
    assert.equal(reason(inFlight, own), reservedExceeded);
    const unready = { ...own, versionId: 11, provisioned: 0 };
    assert.equal(reason(inFlight, unready), reservedExceeded);
    endReady();
    assert.equal(reason(inFlight, unready), reservedExceeded);
    started(inFlight, own);
    endOther();
    started(inFlight, unready);
  });

  it('without a reservation are throttled past the unreserved concurrency', () => {
    const inFlight = new InFlight();
    const shared = { ...own, reservedConcurrency: undefined, reservedInAll: 999 };
    const end = started(inFlight, shared);
    assert.equal(
      reason(inFlight, { ...shared, functionId: 2 }),
      'ConcurrentInvocationLimitExceeded',
    );
    end();
    started(inFlight, shared);
  });
});

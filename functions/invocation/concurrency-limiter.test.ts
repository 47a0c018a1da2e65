import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { onlyNode } from '../ports/home-nodes.ts';
import { ConcurrencyLimiter, type Concurrency } from './concurrency-limiter.ts';

describe('invocations under way', () => {
  const own: Concurrency = {
    functionId: 1,
    versionId: 10,
    reservedConcurrency: 3,
    reservedInAll: 3,
    provisioned: 1,
    provisionedInAll: 2,
  };
  const started = (limiter: ConcurrencyLimiter, of: Concurrency): (() => void) => {
    const result = limiter.begin(of);
    assert.equal(result.kind, 'started');
    return result.kind === 'started' ? result.end : () => {};
  };
  const reason = (limiter: ConcurrencyLimiter, of: Concurrency) => {
    const result = limiter.begin(of);
    return result.kind === 'throttled' ? result.reason : undefined;
  };
  const reservedExceeded = 'ReservedFunctionConcurrentInvocationLimitExceeded';

  it('without a reservation have a share of the rest on each of several servers', () => {
    const shared: Concurrency = { ...own, reservedConcurrency: undefined, reservedInAll: 994 };
    const limiter = new ConcurrencyLimiter({ count: 3 });
    const ends = [started(limiter, shared), started(limiter, shared)];
    assert.equal(reason(limiter, shared), 'ConcurrentInvocationLimitExceeded');
    for (const end of ends) end();
    // A reservation is that of the home alone, and not divided.
    for (let count = 0; count < 2; count += 1) started(limiter, own);
    assert.equal(reason(limiter, own), reservedExceeded);
  });

  it('are throttled past what is provisioned and what the reservation leaves next to it', () => {
    const limiter = new ConcurrencyLimiter(onlyNode);
    const endReady = started(limiter, own);
    const endOther = started(limiter, own);
    assert.equal(reason(limiter, own), reservedExceeded);
    const unready = { ...own, versionId: 11, provisioned: 0 };
    assert.equal(reason(limiter, unready), reservedExceeded);
    endReady();
    assert.equal(reason(limiter, unready), reservedExceeded);
    started(limiter, own);
    endOther();
    started(limiter, unready);
  });

  it('without a reservation are throttled past the unreserved concurrency', () => {
    const limiter = new ConcurrencyLimiter(onlyNode);
    const shared = { ...own, reservedConcurrency: undefined, reservedInAll: 999 };
    const end = started(limiter, shared);
    assert.equal(
      reason(limiter, { ...shared, functionId: 2 }),
      'ConcurrentInvocationLimitExceeded',
    );
    end();
    started(limiter, shared);
  });
});

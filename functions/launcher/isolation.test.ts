import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { checkInternet, isolationTiers, checkIsolation, refusalToRun } from './isolation.ts';

describe('the isolation that an operator requires', () => {
  it('ends the start on every host that gives less, and on no other', () => {
    for (const [at, required] of isolationTiers.entries()) {
      for (const [found, tier] of isolationTiers.entries()) {
        const check = (): void => checkIsolation(tier, required);
        if (found <= at) check();
        else {
          assert.throws(check, {
            name: 'OperatorError',
            message: new RegExp(
              `isolation tier "${tier}", but "${required}" is required\\..*doctor`,
            ),
          });
        }
      }
    }
    for (const tier of isolationTiers) checkIsolation(tier, undefined);
  });

  it('is some, unless the operator wants none', () => {
    assert.match(
      refusalToRun('bare', false) ?? '',
      /^Functions are disabled: .* --insecure-functions\./,
    );
    assert.equal(refusalToRun('bare', true), undefined);
    for (const tier of ['full', 'user', 'container'] as const) {
      assert.equal(refusalToRun(tier, false), undefined);
    }
  });

  it('has the network internet where the operator asks for it, or does not start', () => {
    checkInternet({});
    assert.throws(() => checkInternet({ noInternet: 'Install pasta (package passt).' }), {
      name: 'OperatorError',
      message: /HOB_FUNCTION_NETWORK=internet.*Install pasta/,
    });
  });
});

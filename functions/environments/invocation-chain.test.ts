import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { InvocationChain } from './invocation-chain.ts';

const header = (lineage: string): string => `Root=1-0-0;Sampled=0;Lineage=${lineage}`;

describe('the chain that requests of an environment continue', () => {
  it('is that of its start before the first event', () => {
    assert.equal(new InvocationChain(header('0a1b2c3d:1')).lineage(), '0a1b2c3d:1');
  });

  it('is that of the event, and after its response still', () => {
    const chain = new InvocationChain(header('8a9b0c1d:1'));
    const ended = chain.begin(header('0a1b2c3d:3'));
    assert.equal(chain.lineage(), '0a1b2c3d:3');
    ended();
    assert.equal(chain.lineage(), '0a1b2c3d:3');
    chain.begin(header('4e5f6071:1'));
    assert.equal(chain.lineage(), '4e5f6071:1');
  });

  it('is the longer one, function by function, while events are processed at the same time', () => {
    const chain = new InvocationChain(header('8a9b0c1d:1'));
    const ended = chain.begin(header('0a1b2c3d:3|4e5f6071:1'));
    chain.begin(header('4e5f6071:2'));
    assert.equal(chain.lineage(), '0a1b2c3d:3|4e5f6071:2');
    ended();
    assert.equal(chain.lineage(), '4e5f6071:2');
  });
});

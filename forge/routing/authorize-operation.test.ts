import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { refuse } from '../errors/api-error.ts';
import type { Caller } from '../model/caller.ts';
import { type AccessDecision, AccessDecisions } from './authorize-operation.ts';

const locator = { owner: 'octo', name: 'hello' };

describe('decisions about access', () => {
  let dataVersion = 1;
  let asked = 0;
  const decide = async (): Promise<AccessDecision> => {
    asked += 1;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing looks into it here
    return { networkId: asked } as AccessDecision;
  };
  const caller = (): Caller => ({ kind: 'application', applicationId: 1 });

  it('does not cache a refusal', async () => {
    const decisions = new AccessDecisions({ dataVersion: () => dataVersion });
    const me = caller();
    const refusing = async (): Promise<AccessDecision> => refuse({ kind: 'not-found' });
    await assert.rejects(decisions.find(me, 'pulls/get', locator, refusing));
    await assert.doesNotReject(decisions.find(me, 'pulls/get', locator, decide));
  });

  it('asks anew after a commit, for another caller, operation or repository', async () => {
    const decisions = new AccessDecisions({ dataVersion: () => dataVersion });
    const me = caller();
    const first = await decisions.find(me, 'pulls/get', locator, decide);
    assert.equal(await decisions.find(me, 'pulls/get', { ...locator }, decide), first);
    const others = [
      await decisions.find(caller(), 'pulls/get', locator, decide),
      await decisions.find(me, 'pulls/merge', locator, decide),
      await decisions.find(me, 'pulls/get', { owner: 'octo', name: 'other' }, decide),
      await decisions.find(me, 'pulls/get', { id: 7 }, decide),
    ];
    dataVersion += 1;
    others.push(await decisions.find(me, 'pulls/get', locator, decide));
    assert.equal(new Set([first, ...others]).size, 6);
  });

  it('asks each time for an installation, whose rights depend on more', async () => {
    const decisions = new AccessDecisions({ dataVersion: () => dataVersion });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only that there is an installation counts
    const bot = { kind: 'user', installation: {} } as unknown as Caller;
    const first = await decisions.find(bot, 'pulls/get', locator, decide);
    assert.notEqual(await decisions.find(bot, 'pulls/get', locator, decide), first);
  });

  it('asks each time where the database does not count commits', async () => {
    const decisions = new AccessDecisions({ dataVersion: () => undefined });
    const me = caller();
    const first = await decisions.find(me, 'pulls/get', locator, decide);
    assert.notEqual(await decisions.find(me, 'pulls/get', locator, decide), first);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { systemClock } from '#platform/clock.ts';
import { systemRandom } from '#platform/random.ts';

import { Extensions } from '../runtime-api/extensions.ts';
import type { DeliveredEvent, RuntimeResponse } from '../runtime-api/runtime-channel.ts';
import { createTelemetry } from '../runtime-api/telemetry.ts';
import { EnvironmentLostError } from './execution-environment.ts';
import type { ExtensionSession } from './extension-host.ts';
import {
  environmentOf,
  type FakeRun,
  timeoutSeconds,
  unexpected,
} from './testing/fake-programs.ts';

const event = { requestId: 'one', functionArn: 'arn', traceHeader: '', payload: Buffer.alloc(0) };

describe('an event whose environment is lost', () => {
  for (const delivered of [true, false]) {
    it(`${delivered ? 'is not repeated' : 'goes to another one'} where its program ${delivered ? 'may have' : 'cannot have'} read it`, async () => {
      const environment = environmentOf({
        async exchange(end) {
          end({ kind: 'lost' });
          return { kind: 'gone', delivered };
        },
      });
      assert.equal(await environment.initialise(), undefined);
      const lost = await environment.process(event).then(unexpected, (error: unknown) => error);
      assert.ok(lost instanceof EnvironmentLostError);
      assert.equal(lost.delivered, delivered);
    });
  }
});

describe('the time of an event', () => {
  const flushMilliseconds = 50;
  /** None, but they take time to end. */
  const extensions: ExtensionSession = {
    programs: [],
    calls: new Extensions({
      functionName: 'f',
      functionVersion: '$LATEST',
      handler: '',
      accountId: '123456789012',
      external: [],
      random: systemRandom,
      telemetry: createTelemetry(unexpected),
    }),
    clock: systemClock,
    terminationMilliseconds: 0,
    flush: () => new Promise((resolve) => setTimeout(resolve, flushMilliseconds)),
  };
  const firstRuns: Record<string, FakeRun> = {
    'failed to start': {
      extensions,
      initialised: Promise.resolve({
        kind: 'failed',
        error: { type: 'Error', payload: Buffer.from('{}') },
      }),
    },
    'ended before it read the event': {
      extensions,
      async exchange(end) {
        end({ kind: 'exited', status: 0 });
        return { kind: 'gone', delivered: false };
      },
    },
  };
  for (const [what, first] of Object.entries(firstRuns)) {
    it(`is whole where the program ${what}, however long its extensions take to end`, async () => {
      const deadlines: number[] = [];
      const response: RuntimeResponse = { kind: 'response', payload: Buffer.alloc(0) };
      const exchange = async (_: unknown, { deadline }: DeliveredEvent) => {
        deadlines.push(deadline);
        return response;
      };
      const environment = environmentOf(first, { exchange });
      const startedAt = Date.now();
      await environment.initialise();
      const { outcome } = await environment.process(event);
      assert.equal(outcome.kind, 'response');
      const given = (deadlines[0] ?? 0) - startedAt;
      assert.ok(given >= timeoutSeconds * 1000 + flushMilliseconds - 5, `${given} ms`);
    });
  }
});

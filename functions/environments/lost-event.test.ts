import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { systemClock } from '#platform/clock.ts';

import type { ProgramEnd, RunningProgram, Sandbox } from '../launcher/launcher.ts';
import { noLog, type EnvironmentLog } from '../logs/environment-log.ts';
import type { RuntimeChannel } from '../runtime-api/runtime-channel.ts';
import { EnvironmentLostError } from './execution-environment.ts';
import { InvocationChain } from './invocation-chain.ts';
import { SandboxedEnvironment } from './sandboxed-environment.ts';

const unexpected = (): never => assert.fail('The environment asked for something unexpected.');

/** Is lost with an event, which its program has been sent or has not. */
function lostEnvironment(delivered: boolean): SandboxedEnvironment {
  const ended = Promise.withResolvers<ProgramEnd>();
  const program: RunningProgram = {
    ended: ended.promise,
    kill: async () => {},
    terminate() {},
    throttle() {},
    peakMemory: async () => 0,
  };
  const sandbox: Sandbox = {
    start: async () => program,
    onLost() {},
    close: async () => {},
    listenOnLoopback: unexpected,
    serveOnLoopback: unexpected,
    connectToLoopback: unexpected,
  };
  const channel: RuntimeChannel = {
    accept: unexpected,
    initialised: Promise.resolve({ kind: 'ready' }),
    async exchange() {
      ended.resolve({ kind: 'lost' });
      return { kind: 'gone', delivered };
    },
    programEnded() {},
    close() {},
  };
  const log: EnvironmentLog = {
    output() {},
    initStarted() {},
    initEnded() {},
    invocationStarted() {},
    invocationEnded: () => noLog,
    close: async () => {},
  };
  return new SandboxedEnvironment({
    sandbox,
    program: { command: ['/bin/true'], environment: {}, directory: '/', output: '' },
    newSession: () => ({ channel, extensions: undefined }),
    log,
    chain: new InvocationChain('Lineage=00000000:1'),
    clock: systemClock,
    initStart: { initializationType: 'on-demand', runtime: 'provided', runtimeVersionArn: '' },
    version: '$LATEST',
    timeoutSeconds: 3,
    memorySizeMiB: 128,
    isExpired: () => false,
    release: async () => {},
  });
}

describe('an event whose environment is lost', () => {
  for (const delivered of [true, false]) {
    it(`${delivered ? 'is not repeated' : 'goes to another one'} where its program ${delivered ? 'may have' : 'cannot have'} read it`, async () => {
      const environment = lostEnvironment(delivered);
      assert.equal(await environment.initialise(), undefined);
      const event = {
        requestId: 'one',
        functionArn: 'arn',
        traceHeader: '',
        payload: Buffer.alloc(0),
      };
      const lost = await environment.process(event).then(unexpected, (error: unknown) => error);
      assert.ok(lost instanceof EnvironmentLostError);
      assert.equal(lost.delivered, delivered);
    });
  }
});

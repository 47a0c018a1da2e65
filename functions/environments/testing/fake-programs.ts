import assert from 'node:assert/strict';

import { systemClock } from '#platform/clock.ts';

import type { ProgramEnd, Sandbox } from '../../launcher/launcher.ts';
import { noLog, type EnvironmentLog } from '../../logs/environment-log.ts';
import type { RuntimeChannel } from '../../runtime-api/runtime-channel.ts';
import { InvocationChain } from '../invocation-chain.ts';
import type { RuntimeSession } from '../runtime-process.ts';
import { SandboxedEnvironment } from '../sandboxed-environment.ts';

export const unexpected = (): never =>
  assert.fail('The environment asked for something unexpected.');

export const timeoutSeconds = 20;

/** What the program of one start does. */
export interface FakeRun {
  /** By default it requests an event. */
  readonly initialised?: RuntimeChannel['initialised'];
  readonly exchange?: (
    end: (how: ProgramEnd) => void,
    ...args: Parameters<RuntimeChannel['exchange']>
  ) => ReturnType<RuntimeChannel['exchange']>;
  readonly extensions?: RuntimeSession['extensions'];
}

/** An environment whose programs do this, a start each. */
export function environmentOf(...runs: readonly FakeRun[]): SandboxedEnvironment {
  let starts = 0;
  let end: (how: ProgramEnd) => void = unexpected;
  const sandbox: Sandbox = {
    async start() {
      const { promise: ended, resolve } = Promise.withResolvers<ProgramEnd>();
      end = resolve;
      return {
        ended,
        kill: async () => resolve({ kind: 'killed', signal: 'SIGKILL', outOfMemory: false }),
        terminate() {},
        throttle() {},
        peakMemory: async () => 0,
      };
    },
    onLost() {},
    close: async () => {},
    listenOnLoopback: unexpected,
    serveOnLoopback: unexpected,
    connectToLoopback: unexpected,
  };
  function newSession(): RuntimeSession {
    const { initialised, exchange, extensions } = runs[starts] ?? unexpected();
    starts += 1;
    const channel: RuntimeChannel = {
      accept: unexpected,
      initialised: initialised ?? Promise.resolve({ kind: 'ready' }),
      exchange: async (...args) => (exchange ?? unexpected)(end, ...args),
      programEnded() {},
      close() {},
    };
    return { channel, extensions };
  }
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
    newSession,
    log,
    chain: new InvocationChain('Lineage=00000000:1'),
    clock: systemClock,
    initStart: { initializationType: 'on-demand', runtime: 'provided', runtimeVersionArn: '' },
    version: '$LATEST',
    timeoutSeconds,
    memorySizeMiB: 128,
    isExpired: () => false,
    release: async () => {},
  });
}

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Logging } from '../configuration/configuration.ts';
import { createEnvironmentLog } from './create-environment-log.ts';
import type { EnvironmentLog, InvocationReport } from './environment-log.ts';

const now = Date.parse('2026-01-02T03:04:05.678Z');

const initializationType = 'on-demand';

const report: InvocationReport = {
  requestId: 'r-1',
  milliseconds: 3.0061,
  memorySizeMiB: 128,
  peakMemoryBytes: 36 * 1_048_576 - 5,
};

const text: Logging = { LogFormat: 'Text', LogGroup: '/aws/lambda/f' };

function openLog(logging: Logging = text): { log: EnvironmentLog; lines: string[] } {
  const lines: string[] = [];
  const log = createEnvironmentLog({
    logging,
    clock: { now: () => now },
    stream: {
      append: (line) => void lines.push(line),
      close: async () => {},
    },
  });
  return { log, lines };
}

function jsonLines(lines: readonly string[]): unknown[] {
  return lines.map((line): unknown => JSON.parse(line));
}

describe('the log of an environment', () => {
  describe('in the Text format', () => {
    it('keeps the type of an error in its field', () => {
      const { log, lines } = openLog();
      log.invocationStarted('r-1', '1');
      const errorType = 'Extension.Odd\tStatus: success\nREPORT RequestId: r-2';
      log.invocationEnded({ ...report, failure: { status: 'error', errorType } });
      assert.match(lines.at(-1) ?? '', /\tError Type: Extension\.Odd Status: success REPORT Req/);
      assert.equal(lines.length, 3);
    });

    it('reports a cold invocation as the service does', () => {
      const { log, lines } = openLog();
      log.initStarted({
        initializationType,
        runtime: 'python:3.13.v1',
        runtimeVersionArn: 'arn:aws:lambda:r::runtime:0',
      });
      log.output(Buffer.from('imported\n'));
      log.initEnded({ initializationType, phase: 'init', milliseconds: 110.1 });
      log.invocationStarted('r-1', '$LATEST');
      log.output(Buffer.from('hello\nwor'));
      log.output(Buffer.from('ld'));
      const tail = log.invocationEnded({ ...report, initMilliseconds: 110.1 });
      const invocation = [
        'START RequestId: r-1 Version: $LATEST',
        'hello',
        'world',
        'END RequestId: r-1',
        'REPORT RequestId: r-1\tDuration: 3.01 ms\tBilled Duration: 4 ms\tMemory Size: 128 MB\tMax Memory Used: 36 MB\tInit Duration: 110.10 ms\t',
      ];
      assert.deepEqual(lines, [
        'INIT_START Runtime Version: python:3.13.v1\tRuntime Version ARN: arn:aws:lambda:r::runtime:0',
        'imported',
        ...invocation,
      ]);
      assert.equal(tail.bytes().toString(), invocation.map((line) => `${line}\n`).join(''));
    });

    it('reports a start that failed', () => {
      const { log, lines } = openLog();
      const failure = { status: 'error', errorType: 'Runtime.ExitError' } as const;
      log.initEnded({ initializationType, phase: 'init', milliseconds: 154.031, failure });
      assert.deepEqual(lines, [
        'INIT_REPORT Init Duration: 154.03 ms\tPhase: init\tStatus: error\tError Type: Runtime.ExitError',
      ]);
    });

    it('reports when the time ran out', () => {
      const { log, lines } = openLog();
      log.invocationStarted('r-1', '7');
      log.invocationEnded({
        ...report,
        milliseconds: 3000,
        failure: { status: 'timeout', timeoutSeconds: 3 },
      });
      assert.deepEqual(lines.slice(1), [
        '2026-01-02T03:04:05.678Z r-1 Task timed out after 3.00 seconds',
        'END RequestId: r-1',
        'REPORT RequestId: r-1\tDuration: 3000.00 ms\tBilled Duration: 3000 ms\tMemory Size: 128 MB\tMax Memory Used: 36 MB\tStatus: timeout',
      ]);
    });

    it('names the error and the trace in the report', () => {
      const { log, lines } = openLog();
      log.invocationStarted('r-1', '7');
      log.invocationEnded({
        ...report,
        failure: { status: 'error', errorType: 'Runtime.ExitError' },
        traceHeader: 'Root=1-5e34a614-10bd0000000000000000a5a1;Parent=07f5000000000085;Sampled=1',
      });
      assert.match(
        lines.at(-2) ?? '',
        /Max Memory Used: 36 MB\tStatus: error\tError Type: Runtime\.ExitError$/,
      );
      assert.equal(
        lines.at(-1),
        'XRAY TraceId: 1-5e34a614-10bd0000000000000000a5a1\tSegmentId: 07f5000000000085\tSampled: true\t',
      );
    });
  });

  it('keeps 256 KiB of what an invocation prints and says what it drops', () => {
    const { log, lines } = openLog();
    log.invocationStarted('r-1', '7');
    const retained = 256 * 1024;
    for (let printed = 0; printed < retained; printed += 1024) {
      log.output(Buffer.from(`${'x'.repeat(1023)}\n`));
    }
    log.output(Buffer.from('dropped\n'));
    log.output(Buffer.from('too\n'));
    log.invocationEnded(report);
    assert.equal(lines.length, 1 + 256 + 3);
    assert.equal(
      lines[257],
      'LOGS_DROPPED RequestId: r-1\tDropped Bytes: 12\tReason: Output exceeded 262144 bytes per invocation',
    );
    log.invocationStarted('r-2', '7');
    log.output(Buffer.from('again\n'));
    assert.equal(lines.at(-1), 'again');
  });

  it('answers with the last 4096 bytes', () => {
    const { log } = openLog();
    log.invocationStarted('r-1', '7');
    for (let line = 0; line < 3000; line += 1) log.output(Buffer.from(`line ${line}\n`));
    const tail = log.invocationEnded(report);
    assert.equal(tail.bytes().length, 4096);
    assert.match(tail.bytes().toString(), /line 2999\nEND RequestId: r-1\nREPORT .*\n$/);
  });

  it('keeps the tails of invocations apart that run at once', () => {
    const { log } = openLog();
    log.invocationStarted('r-1', '7');
    log.output(Buffer.from('of one\n'));
    log.invocationStarted('r-2', '7');
    log.output(Buffer.from('of any\n'));
    const one = log.invocationEnded(report).bytes().toString().split('\n');
    const two = log
      .invocationEnded({ ...report, requestId: 'r-2' })
      .bytes()
      .toString()
      .split('\n');
    assert.deepEqual(one.slice(0, 4), [
      'START RequestId: r-1 Version: 7',
      'of one',
      'of any',
      'END RequestId: r-1',
    ]);
    assert.deepEqual(two.slice(0, 3), [
      'START RequestId: r-2 Version: 7',
      'of any',
      'END RequestId: r-2',
    ]);
  });

  it('puts signs together that came in pieces', () => {
    const { log, lines } = openLog();
    const bytes = Buffer.from('grüße\n');
    for (const byte of bytes) log.output(Buffer.from([byte]));
    assert.deepEqual(lines, ['grüße']);
  });

  describe('in the JSON format', () => {
    const json = {
      LogFormat: 'JSON',
      LogGroup: '/aws/lambda/f',
      ApplicationLogLevel: 'INFO',
      SystemLogLevel: 'INFO',
    } as const;

    it('reports the events of the platform that INFO lets through', () => {
      const { log, lines } = openLog(json);
      log.initStarted({ initializationType, runtime: 'r', runtimeVersionArn: 'a' });
      log.initEnded({ initializationType, phase: 'init', milliseconds: 1 });
      log.invocationStarted('r-1', '$LATEST');
      log.invocationEnded({ ...report, milliseconds: 18.5931, initMilliseconds: 2 });
      const time = '2026-01-02T03:04:05.678Z';
      assert.deepEqual(jsonLines(lines), [
        { time, type: 'platform.start', record: { requestId: 'r-1', version: '$LATEST' } },
        {
          time,
          type: 'platform.report',
          record: {
            requestId: 'r-1',
            metrics: {
              durationMs: 18.593,
              billedDurationMs: 19,
              memorySizeMB: 128,
              maxMemoryUsedMB: 36,
              initDurationMs: 2,
            },
            status: 'success',
          },
        },
      ]);
    });

    const types = (level: 'DEBUG' | 'INFO' | 'WARN', failed: boolean): unknown[] => {
      const { log, lines } = openLog({ ...json, SystemLogLevel: level });
      const failure = failed ? { failure: { status: 'error', errorType: 'E' } as const } : {};
      log.initStarted({ initializationType, runtime: 'r', runtimeVersionArn: 'a' });
      log.initEnded({ initializationType, phase: 'init', milliseconds: 1, ...failure });
      log.invocationStarted('r-1', '$LATEST');
      log.invocationEnded({ ...report, ...failure });
      return lines.map((line) => /"platform\.(\w+)"/.exec(line)?.[1]);
    };

    it('reports everything at DEBUG and only failures at WARN', () => {
      const all = ['initStart', 'initRuntimeDone', 'initReport', 'start', 'runtimeDone', 'report'];
      assert.deepEqual(types('DEBUG', false), all);
      assert.deepEqual(types('WARN', false), []);
      assert.deepEqual(types('INFO', true), all.slice(1));
      assert.deepEqual(types('WARN', true), [
        'initRuntimeDone',
        'initReport',
        'runtimeDone',
        'report',
      ]);
    });

    for (const type of [
      'on-demand',
      'provisioned-concurrency',
      'snap-start',
      'lambda-managed-instances',
    ] as const) {
      it(`names why the program is started (${type})`, () => {
        const { log, lines } = openLog({ ...json, SystemLogLevel: 'DEBUG' });
        log.initStarted({ initializationType: type, runtime: 'r', runtimeVersionArn: 'a' });
        log.initEnded({ initializationType: type, phase: 'init', milliseconds: 1 });
        const records = lines.map((line): { record: unknown } => JSON.parse(line));
        assert.deepEqual(
          records.map(({ record }) => record),
          [
            {
              initializationType: type,
              phase: 'init',
              runtimeVersion: 'r',
              runtimeVersionArn: 'a',
            },
            { initializationType: type, phase: 'init', status: 'success' },
            {
              initializationType: type,
              phase: 'init',
              status: 'success',
              metrics: { durationMs: 1 },
            },
          ],
        );
      });
    }

    const time = '2026-01-02T03:04:05Z';
    const printed = [
      'plain text',
      `{"timestamp":"${time}","level":"debug","message":1}`,
      `{"timestamp":"${time}","Level":"warn","message":2}`,
      `{"timestamp":"${time}","log_level":"ERROR","message":3}`,
      `{"timestamp":"${time}","level":"loud","message":4}`,
      '{"level":"FATAL","message":5}',
      `{"timestamp":"yesterday","message":6}`,
      '{not json',
    ];
    const retained = (level: 'TRACE' | 'INFO' | 'WARN' | 'ERROR'): string[] => {
      const { log, lines } = openLog({ ...json, ApplicationLogLevel: level });
      log.output(Buffer.from(printed.map((line) => `${line}\n`).join('')));
      return lines;
    };

    it('keeps the lines that are severe enough', () => {
      assert.deepEqual(retained('WARN'), [printed[2], printed[3]]);
      assert.deepEqual(retained('ERROR'), [printed[3]]);
      assert.equal(retained('INFO').length, printed.length - 1);
    });

    it('gives a record a time and then takes it for INFO', () => {
      assert.deepEqual(
        retained('TRACE')
          .slice(5, 7)
          .map((line): unknown => JSON.parse(line)),
        [
          { message: 5, timestamp: '2026-01-02T03:04:05.678Z', level: 'INFO' },
          { message: 6, timestamp: '2026-01-02T03:04:05.678Z', level: 'INFO' },
        ],
      );
    });
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { seccompFilter } from './seccomp-filter.ts';
import type { FilteredArchitecture } from './seccomp-filter.ts';
import { refusedCalls } from './system-calls.ts';

const audit = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const;
const allowed = 'allowed';

describe('the system call filter', () => {
  for (const architecture of ['x64', 'arm64'] as const) {
    test(`refuses what it lists and nothing else, on ${architecture}`, () => {
      const refused = new Map(refusedCalls.map((call) => [call[architecture], call.missing]));
      for (let number = 0; number < 470; number += 1) {
        const missing = refused.get(number);
        const expected = refused.has(number) ? (missing ? 'error 38' : 'error 1') : allowed;
        assert.equal(verdict(architecture, number), expected, `call ${number}`);
      }
    });

    test(`lets threads and processes be made, but no namespaces, on ${architecture}`, () => {
      const clone = architecture === 'x64' ? 56 : 220;
      const threadFlags = 0x003d_0f00;
      assert.equal(verdict(architecture, clone, threadFlags), allowed);
      for (const flag of [0x0002_0000, 0x1000_0000, 0x4000_0000]) {
        assert.equal(verdict(architecture, clone, threadFlags | flag), 'error 1');
      }
    });
  }

  test('kills what speaks for another architecture, or for x32', () => {
    assert.equal(verdict('x64', 1, 0, 0x4000_0003), 'killed');
    assert.equal(verdict('x64', 0x4000_0001), 'killed');
    assert.equal(verdict('arm64', 1, 0, audit.x64), 'killed');
  });
});

/** Runs the filter as the kernel would (seccomp(2)). */
function verdict(
  architecture: FilteredArchitecture,
  number: number,
  argument = 0,
  auditOf: number = audit[architecture],
): string {
  const filter = seccompFilter(architecture);
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(auditOf, 4);
  data.writeUInt32LE(argument, 16);
  let accumulator = 0;
  for (let at = 0; at < filter.length / 8; at += 1) {
    const code = filter.readUInt16LE(at * 8);
    const [ifTrue, ifFalse] = [filter.readUInt8(at * 8 + 2), filter.readUInt8(at * 8 + 3)];
    const operand = filter.readUInt32LE(at * 8 + 4);
    if (code === 0x06) return named(operand);
    if (code === 0x20) accumulator = data.readUInt32LE(operand);
    else at += jumps(code, accumulator, operand) ? ifTrue : ifFalse;
  }
  return 'ran off the end';
}

function jumps(code: number, accumulator: number, operand: number): boolean {
  if (code === 0x15) return accumulator === operand;
  if (code === 0x35) return accumulator >= operand;
  assert.equal(code, 0x45);
  return (accumulator & operand) !== 0;
}

function named(result: number): string {
  if (result === 0x7fff_0000) return allowed;
  if (result === 0x8000_0000) return 'killed';
  return `error ${result & 0xffff}`;
}

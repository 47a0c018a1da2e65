import { allowedCalls, checkedCalls, lastCall, missingCalls } from './system-calls.ts';
import type { CheckedCall } from './system-calls.ts';

export type FilteredArchitecture = 'x64' | 'arm64';

export function filteredArchitecture(architecture: string): FilteredArchitecture | undefined {
  return architecture === 'x64' || architecture === 'arm64' ? architecture : undefined;
}

/**
 * The filter of system calls as the kernel takes it: an array of 8-byte instructions (seccomp(2), "struct sock_filter"). What is not
 * allowed is refused. A program that makes calls of another architecture, whose numbers mean other calls, is killed.
 */
export function seccompFilter(architecture: FilteredArchitecture): Buffer {
  const verdicts = verdictsOf(architecture);
  const instructions: Instruction[] = [
    load(architectureOffset),
    [jumpIfEqual, 1, 0, auditArchitecture[architecture]],
    giveBack(kill),
    load(numberOffset),
  ];
  if (architecture === 'x64') instructions.push([jumpIfAtLeast, 0, 1, x32Bit], giveBack(kill));
  // From the lowest number on, what has the same verdict in one step.
  for (let number = 0; number <= lastCall;) {
    const verdict = verdicts.get(number) ?? refused;
    let next = number + 1;
    while (next <= lastCall && (verdicts.get(next) ?? refused) === verdict) next += 1;
    instructions.push([jumpIfAtLeast, verdict.length, 0, next], ...verdict);
    number = next;
  }
  return encoded([...instructions, ...missing]);
}

/** Instructions that return a result regardless of the arguments. */
type Verdict = readonly Instruction[];

function verdictsOf(architecture: FilteredArchitecture): ReadonlyMap<number, Verdict> {
  const column = architecture === 'x64' ? 1 : 2;
  const verdicts = new Map<number, Verdict>();
  for (const [calls, verdict] of [
    [allowedCalls, allowed],
    [missingCalls, missing],
  ] as const) {
    for (const call of calls) {
      const number = call[column];
      if (number !== undefined) verdicts.set(number, verdict);
    }
  }
  for (const call of checkedCalls) verdicts.set(call[architecture], checkOf(call));
  return verdicts;
}

function checkOf({ argument, allowed: comparison, error }: CheckedCall): Verdict {
  const argumentLow = load(argumentsOffset + 8 * argument);
  const refusal = giveBack(failWith(error));
  if ('withoutBits' in comparison) {
    return [argumentLow, [jumpIfAnyBit, 0, 1, comparison.withoutBits], refusal, ...allowed];
  }
  const values = 'values' in comparison ? comparison.values : comparison.allBut;
  // The comparisons, each of which jumps over the others and the first answer to the second.
  const comparisons = values.map((value, index): Instruction => {
    return [jumpIfEqual, values.length - index, 0, value];
  });
  const answers = 'values' in comparison ? [refusal, ...allowed] : [...allowed, refusal];
  return [argumentLow, ...comparisons, ...answers];
}

/** Code, jump if true, jump if false, operand. */
type Instruction = readonly [number, number, number, number];

const loadWord = 0x20;
const jumpIfEqual = 0x15;
const jumpIfAtLeast = 0x35;
const jumpIfAnyBit = 0x45;
const returnConstant = 0x06;

const numberOffset = 0;
const architectureOffset = 4;
/** Each has 8 bytes, the low half first: both architectures are little-endian. */
const argumentsOffset = 16;

const auditArchitecture = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const;
const x32Bit = 0x4000_0000;

const allow = 0x7fff_0000;
const kill = 0x8000_0000;
const notPermitted = 1;
const noSuchCall = 38;

function failWith(error: number): number {
  return 0x0005_0000 | error;
}

function giveBack(result: number): Instruction {
  return [returnConstant, 0, 0, result];
}

function load(offset: number): Instruction {
  return [loadWord, 0, 0, offset];
}

const allowed: Verdict = [giveBack(allow)];
const refused: Verdict = [giveBack(failWith(notPermitted))];
const missing: Verdict = [giveBack(failWith(noSuchCall))];

function encoded(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(instructions.length * 8);
  for (const [index, [code, ifTrue, ifFalse, operand]] of instructions.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(operand >>> 0, index * 8 + 4);
  }
  return bytes;
}

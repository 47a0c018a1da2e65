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
  const actions = actionsOf(architecture);
  const instructions: Instruction[] = [
    load(architectureOffset),
    [jumpIfEqual, 1, 0, auditArchitecture[architecture]],
    returnValue(kill),
    load(numberOffset),
  ];
  if (architecture === 'x64') instructions.push([jumpIfAtLeast, 0, 1, x32Bit], returnValue(kill));
  // From the lowest number on, what has the same action in one step.
  for (let number = 0; number <= lastCall;) {
    const action = actions.get(number) ?? refused;
    let next = number + 1;
    while (next <= lastCall && (actions.get(next) ?? refused) === action) next += 1;
    instructions.push([jumpIfAtLeast, action.length, 0, next], ...action);
    number = next;
  }
  return encoded([...instructions, ...missing]);
}

/** Instructions that return a result regardless of the arguments. */
type Action = readonly Instruction[];

function actionsOf(architecture: FilteredArchitecture): ReadonlyMap<number, Action> {
  const column = architecture === 'x64' ? 1 : 2;
  const actions = new Map<number, Action>();
  for (const [calls, action] of [
    [allowedCalls, allowed],
    [missingCalls, missing],
  ] as const) {
    for (const call of calls) {
      const number = call[column];
      if (number !== undefined) actions.set(number, action);
    }
  }
  for (const call of checkedCalls) actions.set(call[architecture], checkOf(call));
  return actions;
}

function checkOf({ argument, allowed: comparison, error }: CheckedCall): Action {
  const argumentLow = load(argumentsOffset + 8 * argument);
  const refusal = returnValue(failWith(error));
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

function returnValue(result: number): Instruction {
  return [returnConstant, 0, 0, result];
}

function load(offset: number): Instruction {
  return [loadWord, 0, 0, offset];
}

const allowed: Action = [returnValue(allow)];
const refused: Action = [returnValue(failWith(notPermitted))];
const missing: Action = [returnValue(failWith(noSuchCall))];

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

import { cloneCall, namespaceFlags, refusedCalls } from './system-calls.ts';

export type FilteredArchitecture = 'x64' | 'arm64';

export function filteredArchitecture(architecture: string): FilteredArchitecture | undefined {
  return architecture === 'x64' || architecture === 'arm64' ? architecture : undefined;
}

/**
 * The filter of system calls as the kernel takes it: an array of 8-byte instructions (seccomp(2), "struct sock_filter"). A program
 * that speaks for another architecture, whose numbers mean other calls, is killed.
 */
export function seccompFilter(architecture: FilteredArchitecture): Buffer {
  const instructions: Instruction[] = [
    load(architectureOffset),
    ...unlessEqual(auditArchitecture[architecture], kill),
    load(numberOffset),
  ];
  if (architecture === 'x64') instructions.push(...ifAtLeast(x32Bit, kill));
  for (const call of refusedCalls) {
    const number = call[architecture];
    if (number === undefined) continue;
    instructions.push(...ifEqual(number, failWith(call.missing ? noSuchCall : notPermitted)));
  }
  instructions.push(
    [jumpIfEqual, 0, 3, cloneCall[architecture]],
    load(firstArgumentOffset),
    [jumpIfAnyBit, 0, 1, namespaceFlags],
    [giveBack, 0, 0, failWith(notPermitted)],
    [giveBack, 0, 0, allow],
  );
  return encoded(instructions);
}

/** Code, jump if true, jump if false, operand. */
type Instruction = readonly [number, number, number, number];

const loadWord = 0x20;
const jumpIfEqual = 0x15;
const jumpIfAtLeast = 0x35;
const jumpIfAnyBit = 0x45;
const giveBack = 0x06;

const numberOffset = 0;
const architectureOffset = 4;
/** The low half: both architectures are little-endian. */
const firstArgumentOffset = 16;

const auditArchitecture = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const;
const x32Bit = 0x4000_0000;

const allow = 0x7fff_0000;
const kill = 0x8000_0000;
const notPermitted = 1;
const noSuchCall = 38;

function failWith(error: number): number {
  return 0x0005_0000 | error;
}

function load(offset: number): Instruction {
  return [loadWord, 0, 0, offset];
}

function ifEqual(value: number, result: number): Instruction[] {
  return [
    [jumpIfEqual, 0, 1, value],
    [giveBack, 0, 0, result],
  ];
}

function unlessEqual(value: number, result: number): Instruction[] {
  return [
    [jumpIfEqual, 1, 0, value],
    [giveBack, 0, 0, result],
  ];
}

function ifAtLeast(value: number, result: number): Instruction[] {
  return [
    [jumpIfAtLeast, 0, 1, value],
    [giveBack, 0, 0, result],
  ];
}

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

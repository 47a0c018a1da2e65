export type Language = 'node' | 'python' | 'java' | 'ruby' | 'dotnet';

/** A program of the host that runs functions of one language. */
export interface Interpreter {
  readonly language: Language;
  /** Of the program itself, every link followed. */
  readonly path: string;
  /** As far as it is known: `22`, `3.11` or `22.4.1`. */
  readonly version: string;
}

/** Compares versions number by number, as far as both go. */
export function sameVersion(interpreter: Interpreter, wanted: string): boolean {
  const have = interpreter.version.split('.');
  return wanted.split('.').every((number, index) => have[index] === number);
}

export function atLeast(interpreter: Interpreter, least: string): boolean {
  const have = interpreter.version.split('.').map(Number);
  for (const [index, number] of least.split('.').map(Number).entries()) {
    const mine = have[index] ?? 0;
    if (mine !== number) return mine > number;
  }
  return true;
}

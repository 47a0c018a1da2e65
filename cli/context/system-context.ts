import { isatty } from 'node:tty';

import type { CliContext } from './cli-context.ts';

/** The world of a client that was started from a shell. */
export function systemContext(version: () => string): CliContext {
  const { stdout, stderr } = process;
  // Where Node keeps what it has compiled of Hob concerns none of the programs that the client starts.
  const { NODE_COMPILE_CACHE: _, ...environment } = process.env;
  return {
    environment,
    // Opened only when it is read: nobody waits for a client that never does.
    get stdin() {
      return process.stdin;
    },
    stdout,
    stderr,
    isTerminal: { stdin: isatty(0), stdout: isatty(1), stderr: isatty(2) },
    columns: stdout.columns ?? 80,
    home: environment['HOME'] ?? process.getBuiltinModule('node:os').homedir(),
    directory: process.cwd(),
    version,
    now: () => Date.now(),
    random: () => Math.random(),
    pause: (milliseconds) =>
      new Promise((resolve) => {
        setTimeout(resolve, milliseconds);
      }),
  };
}

import { isatty } from 'node:tty';

import type { CliContext } from './cli-context.ts';

/** The context of a client that was started from a shell. */
export function systemContext(version: () => string): CliContext {
  const { stdout, stderr } = process;
  // The compile cache of Hob must not affect programs that the client starts.
  const { NODE_COMPILE_CACHE: _, ...environment } = process.env;
  return {
    environment,
    // Opened only when it is read, so that clients without input do not wait for it.
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

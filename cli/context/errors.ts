/**
 * 252: the command line is wrong; 253: the configuration is; 254: the service answered with an error; 255: all else; 130: Ctrl-C.
 */
export type ExitCode = 130 | 252 | 253 | 254 | 255;

/** Ends the command with a text on stderr: thrown anywhere in the client, printed by `main`. */
export class CliError extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.name = 'CliError';
    this.exitCode = exitCode;
  }
}

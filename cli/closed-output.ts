/**
 * Ends the process when its standard output cannot be written: silently when the reader has closed it, as `head` does, and with a
 * message when the disk is full, for example. Node ignores SIGPIPE, which ends other programs, and reports EPIPE instead.
 */
export function exitOnOutputError(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(sigpipeStatus);
    process.stderr.write(`hob: cannot write to standard output: ${error.message}\n`);
    process.exit(1);
  });
}

/** What a shell reports of a program that SIGPIPE has ended: 128 and the number of the signal. */
const sigpipeStatus = 141;

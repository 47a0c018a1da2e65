/** What the client's executable file runs. */
import about from '../package.json' with { type: 'json' };
import { startClient } from '../cli/main.ts';
import { exitOnOutputError } from '../cli/closed-output.ts';

exitOnOutputError();

// No top-level await: Node's single executable applications start a script faster than a module.
startClient(process.argv.slice(2), () => about.version).then(
  (status) => {
    process.exitCode = status;
  },
  (error: unknown) => {
    process.nextTick(() => {
      throw error;
    });
  },
);

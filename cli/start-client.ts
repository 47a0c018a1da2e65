import { runFunctionsClient } from './main.ts';
import { systemContext } from './context/system-context.ts';

/** The client as a shell starts it: with the signals and the streams of this process. */
export function startClient(args: readonly string[], version: () => string): Promise<number> {
  process.once('SIGINT', () => {
    process.stdout.write('\n');
    process.exit(130);
  });
  return runFunctionsClient(args, systemContext(version));
}

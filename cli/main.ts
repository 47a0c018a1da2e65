import type { CliContext } from './context/cli-context.ts';

/**
 * The client of the function service; `words` is the whole command line, the service's word included. Resolves with the exit
 * code. Whatever goes wrong is printed here.
 */
export async function runFunctionsClient(
  words: readonly string[],
  world: CliContext,
): Promise<number> {
  // The most frequent question of scripts is answered before anything is loaded.
  if (words.length <= 2 && words.at(-1) === '--version') return printVersion(world);
  try {
    const { parseGlobalWords } = await import('./input/global-args.ts');
    const parsed = parseGlobalWords(words);
    if (parsed.kind === 'version') return printVersion(world);
    if (parsed.globals.debug) (await import('./connection/debug-log.ts')).noteCommand(words, world);
    return await (await import('./commands/run-top-command.ts')).runTopCommand(parsed, world);
  } catch (error) {
    return (await import('./print-failure.ts')).printFailure(error, words, world);
  }
}

function printVersion(world: CliContext): number {
  const { node } = process.versions;
  world.stdout.write(`hob/${world.version()} Node/${node} ${process.platform}/${process.arch}\n`);
  return 0;
}

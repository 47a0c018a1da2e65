import { refusalSentence } from '#forge/errors/error-message.ts';
import { RefusalError } from '#forge/errors/api-error.ts';
import { didYouMean } from '#platform/did-you-mean.ts';
import { visibleControls } from '#platform/visible-controls.ts';
import {
  databaseSettingNames,
  readSharedSettings,
  settingFlags,
  settingsHelp,
} from '#settings/settings.ts';

import { administer } from './administration.ts';
import { readArgs, type Subcommand } from './subcommand.ts';
import { subcommands } from './subcommands.ts';

/** `hob admin …`, on the data of a server that runs or does not. Resolves with the exit code. */
export async function runAdmin(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || rest.includes('--help')) {
    (name === undefined ? process.stderr : process.stdout).write(usage());
    return name === undefined ? 2 : 0;
  }
  const subcommand = subcommands.find((candidate) => candidate.name === name);
  if (!subcommand) return printError(unknown(name));
  const read = readArgs(subcommand, rest, settingFlags(databaseSettingNames));
  if (read.kind === 'problem') return printError(`${read.problem}\n${usageOf(subcommand)}`);
  const settings = readSharedSettings(read.rest);
  if (settings.kind === 'problems') return printError(settings.problems.join('\n'));
  try {
    const outcome = await administer(settings.settings, (ports) =>
      subcommand.run(ports, read.args),
    );
    const lines = read.json ? [JSON.stringify(outcome.json, null, 2)] : outcome.lines;
    for (const line of lines) process.stdout.write(`${visibleControls(line)}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    process.stderr.write(`hob: ${visibleControls(refusalSentence(error.refusal))}\n`);
    return 1;
  }
}

function printError(problem: string): number {
  for (const line of visibleControls(problem).split('\n')) process.stderr.write(`hob: ${line}\n`);
  return 2;
}

function unknown(name: string): string {
  const nearest = didYouMean(
    name,
    subcommands.map((subcommand) => subcommand.name),
  );
  return `unknown subcommand "${name}".${nearest === undefined ? '' : ` Did you mean ${nearest}?`}`;
}

function usage(): string {
  const lines = subcommands.flatMap((subcommand) => [
    `  ${usageOf(subcommand)}`,
    `      ${subcommand.description}`,
  ]);
  return `Usage: hob admin SUBCOMMAND [--json]\n\n${lines.join('\n')}\n\n${settingsHelp(databaseSettingNames)}\n`;
}

function usageOf(subcommand: Subcommand): string {
  return [subcommand.name, ...subcommand.positionals, subcommand.usage].join(' ').trim();
}

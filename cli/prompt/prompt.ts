import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

import { CliError } from '../context/errors.ts';
import type { CliContext } from '../context/cli-context.ts';

export interface Question {
  readonly question: string;
  /** What the Tab key completes to. */
  readonly candidates: readonly string[];
  /** What is typed is not shown. */
  readonly secret?: true;
}

export interface Prompt {
  /** Ctrl-C and the end of the input end the command. */
  readonly ask: (question: Question) => Promise<string>;
  readonly close: () => void;
}

/** Questions on stderr, since stdout is for data. Lines typed ahead answer the questions to come. */
export function openPrompt(context: CliContext): Prompt {
  let candidates: readonly string[] = [];
  let waiting: PromiseWithResolvers<string> | undefined;
  let ended = false;
  let secret = false;
  const typedAhead: string[] = [];
  const lines = createInterface({
    input: context.stdin,
    output: stderrOf(context, () => !secret),
    terminal: context.isTerminal.stdin,
    completer: (line: string) => completion(line, candidates),
  });
  lines.on('line', (line) => {
    if (secret) context.stderr.write('\n');
    secret = false;
    if (waiting === undefined) typedAhead.push(line);
    else waiting.resolve(line);
    waiting = undefined;
  });
  lines.on('SIGINT', () => lines.close());
  lines.on('close', () => {
    ended = true;
    waiting?.reject(new CliError(130, ''));
  });
  return {
    ask: async (question) => {
      ({ candidates } = question);
      const ready = typedAhead.shift();
      if (ready !== undefined) return ready;
      if (ended) throw new CliError(130, '');
      waiting = Promise.withResolvers<string>();
      lines.setPrompt(question.question);
      lines.prompt();
      secret = question.secret === true;
      return waiting.promise;
    },
    close: () => lines.close(),
  };
}

function stderrOf(context: CliContext, shown: () => boolean): Writable {
  return new Writable({
    write: (chunk: Uint8Array, _encoding, done) => {
      if (shown()) context.stderr.write(chunk);
      done();
    },
  });
}

/** Completes the last word of the line. */
function completion(line: string, candidates: readonly string[]): [string[], string] {
  const command = line.slice(line.lastIndexOf(' ') + 1);
  return [candidates.filter((candidate) => candidate.startsWith(command)), command];
}

import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

import { ClientError } from '../errors.ts';
import type { World } from '../world.ts';

export interface Question {
  readonly question: string;
  /** What the Tab key completes to. */
  readonly candidates: readonly string[];
}

/** Asks on stderr, since stdout is for data. Ctrl-C and the end of the input end the command. */
export function ask({ question, candidates }: Question, world: World): Promise<string> {
  const output = new Writable({
    write: (chunk: Uint8Array, _encoding, done) => {
      world.stderr.write(chunk);
      done();
    },
  });
  const lines = createInterface({
    input: world.stdin,
    output,
    terminal: world.isTerminal.stdin,
    completer: (line: string) => completion(line, candidates),
  });
  return new Promise((resolve, reject) => {
    lines.once('SIGINT', () => lines.close());
    lines.once('close', () => reject(new ClientError(130, '')));
    lines.question(question, (answer) => {
      resolve(answer);
      lines.close();
    });
  });
}

/** Completes the last word of the line. */
function completion(line: string, candidates: readonly string[]): [string[], string] {
  const word = line.slice(line.lastIndexOf(' ') + 1);
  const matches = candidates.filter((candidate) => candidate.startsWith(word));
  return [matches.length === 0 && word === '' ? [...candidates] : matches, word];
}

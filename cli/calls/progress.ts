import { visibleControls } from '../output/visible-controls.ts';
import type { CliContext } from '../context/cli-context.ts';

export interface Progress {
  readonly tick: (seconds: number, state: string) => void;
  /** Takes the line away. */
  readonly end: () => void;
}

/** One line on a person's terminal that tells how long a wait has taken; nothing elsewhere. */
export function showProgress(world: CliContext, what: string): Progress {
  if (!world.isTerminal.stderr) return { tick: () => undefined, end: () => undefined };
  const clear = `\r${' '.repeat(Math.max(0, world.columns - 1))}\r`;
  return {
    tick: (seconds, state) => {
      const line = visibleControls(`${what}: ${state}, ${seconds} s`);
      world.stderr.write(clear + line.slice(0, Math.max(0, world.columns - 1)));
    },
    end: () => {
      world.stderr.write(clear);
    },
  };
}

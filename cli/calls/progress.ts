import { visibleControls } from '#platform/visible-controls.ts';
import type { CliContext } from '../context/cli-context.ts';

export interface Progress {
  readonly tick: (seconds: number, state: string) => void;
  /** Takes the line away. */
  readonly end: () => void;
}

/** One line on a person's terminal that shows how long a wait has taken; nothing elsewhere. */
export function showProgress(context: CliContext, activity: string): Progress {
  if (!context.isTerminal.stderr) return { tick: () => undefined, end: () => undefined };
  const clear = `\r${' '.repeat(Math.max(0, context.columns - 1))}\r`;
  return {
    tick: (seconds, state) => {
      const line = visibleControls(`${activity}: ${state}, ${seconds} s`);
      context.stderr.write(clear + line.slice(0, Math.max(0, context.columns - 1)));
    },
    end: () => {
      context.stderr.write(clear);
    },
  };
}

import { visibleControls } from '#platform/visible-controls.ts';

/** What a long command says while it works: a line that changes on a terminal, a line a step elsewhere. */
export interface Progress {
  /** Begins the next step. Its text may contain what a server or git wrote. */
  step(text: string): void;
  /** How far the step is, as text; on a terminal only. */
  at(text: string): void;
  /** Nothing more is said. */
  end(): void;
}

export interface ProgressOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Time between two updates of the progress on a terminal. */
const redrawMilliseconds = 100;

export function showProgress(output: ProgressOutput, now: () => number): Progress {
  const terminal = output.isTTY === true;
  let step = '';
  let drawnAt = Number.NEGATIVE_INFINITY;
  return {
    step(text) {
      const name = visibleControls(text);
      if (terminal && step !== '') output.write(`\r\u001b[K${step}\n`);
      step = name;
      drawnAt = Number.NEGATIVE_INFINITY;
      output.write(terminal ? `${name} …` : `${name}\n`);
    },
    at(text) {
      if (!terminal || now() - drawnAt < redrawMilliseconds) return;
      drawnAt = now();
      output.write(`\r\u001b[K${step}: ${text}`);
    },
    end() {
      if (terminal && step !== '') output.write(`\r\u001b[K${step}\n`);
      step = '';
    },
  };
}

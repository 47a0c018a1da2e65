import type { Place, Program, ProgramEnd, RunningProgram } from '../launcher/launcher.ts';
import type {
  RuntimeAnswer,
  RuntimeChannel,
  RuntimeError,
  RuntimeEvent,
} from '../runtime-api/runtime-channel.ts';

/** Why a program did not get as far as asking for work. */
export type InitFailure =
  /** It said so itself. */
  | { readonly kind: 'reported'; readonly error: RuntimeError }
  | { readonly kind: 'ended'; readonly end: ProgramEnd }
  | { readonly kind: 'timeout' };

export type Settled =
  | Exclude<RuntimeAnswer, { kind: 'gone' }>
  | { readonly kind: 'ended'; readonly end: ProgramEnd }
  | { readonly kind: 'timeout' };

/** One start of a program, until it ends. */
export class Run {
  readonly program: RunningProgram;
  readonly #channel: RuntimeChannel;

  static async start(place: Place, program: Program, channel: RuntimeChannel): Promise<Run> {
    return new Run(await place.start(program), channel);
  }

  private constructor(program: RunningProgram, channel: RuntimeChannel) {
    this.program = program;
    this.#channel = channel;
    void program.ended.then(() => channel.close());
  }

  /** Waits until the program asks for work; undefined when it does. What fails is killed. */
  async initialised(milliseconds: number): Promise<InitFailure | undefined> {
    const outcome = await within(milliseconds, this.#channel.initialised);
    switch (outcome?.kind) {
      case 'ready':
        this.program.throttle();
        return undefined;
      case 'gone':
        return { kind: 'ended', end: await this.program.ended };
      case 'failed':
        await this.program.kill();
        return { kind: 'reported', error: outcome.error };
      case undefined:
        await this.program.kill();
        return { kind: 'timeout' };
    }
  }

  /** Hands over an event. A program that takes longer is killed, with everything that it started. */
  async converse(event: RuntimeEvent, milliseconds: number): Promise<Settled> {
    const answer = await within(milliseconds, this.#channel.invoke(event));
    if (answer === undefined) {
      await this.program.kill();
      return { kind: 'timeout' };
    }
    return answer.kind === 'gone' ? { kind: 'ended', end: await this.program.ended } : answer;
  }
}

/** Undefined when it takes longer than that. */
function within<T>(milliseconds: number, promise: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds, undefined);
    promise.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}

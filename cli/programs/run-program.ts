/** Runs a program to its end and reads all that it prints; a port, so that tests start none. */
export type ProgramRunner = (call: ProgramCall) => Promise<ProgramResult>;

export interface ProgramCall {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly input: string;
}

export type ProgramResult =
  | {
      readonly kind: 'ended';
      /** Undefined when a signal ended it. */
      readonly status: number | undefined;
      readonly output: string;
      readonly errors: string;
    }
  | { readonly kind: 'unstartable'; readonly message: string };

import type { Operation } from '#functions-contract/operation.ts';
import type { Globals } from '../input/globals.ts';
import type { InputMap } from '../validation/input-value.ts';
import type { Profile } from '../profile/profile.ts';
import type { CliContext } from '../context/cli-context.ts';
import type { Output } from './call-operation.ts';

/** What a command works with once the global options and the profile are read. */
export interface Session {
  readonly globals: Globals;
  readonly context: CliContext;
  readonly profile: Profile;
  /** Sends one request; an answer that is an error is thrown. */
  readonly call: (operation: Operation, input: InputMap) => Promise<Output>;
  /** Filters and formats as the options say; resolves with the exit code. */
  readonly print: (value: unknown) => Promise<number>;
  readonly query: ((value: unknown) => unknown) | undefined;
  /** Name of the command's operation. */
  readonly title: string;
}

import { ClientError } from '../context/errors.ts';

/** The value of an option cannot be read. */
export class ParameterProblem extends ClientError {
  /** What could be meant, shown to people. */
  readonly hint: string | undefined;

  constructor(parameter: string, problem: string, hint?: string) {
    super(252, `Error parsing parameter '${parameter}': ${problem}`);
    this.name = 'ParameterProblem';
    this.hint = hint;
  }
}

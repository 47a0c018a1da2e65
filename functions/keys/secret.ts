import { inspect } from 'node:util';

/** A value that neither a log line nor JSON can show by accident; only `reveal` gives it. */
export class Secret<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  reveal(): T {
    return this.#value;
  }

  toJSON(): undefined {
    return undefined;
  }

  toString(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}

import { didYouMean } from '#platform/did-you-mean.ts';
import { OperatorError } from '#platform/operator-error.ts';

/** A value in the operator's file, and its position: `subnets["subnet-1"].reaches[0].port`. */
export class ConfiguredValue {
  readonly #value: unknown;
  readonly #file: string;
  readonly #path: string;
  readonly #known = new Set<string>();

  static parse(text: string, file: string): ConfiguredValue {
    try {
      return new ConfiguredValue(JSON.parse(text), file, '');
    } catch (error) {
      throw new OperatorError(`${file} is not JSON: ${withoutQuotation(error)}.`);
    }
  }

  private constructor(value: unknown, file: string, path: string) {
    this.#value = value;
    this.#file = file;
    this.#path = path;
  }

  /** `file: position` */
  get where(): string {
    return `${this.#file}: ${this.#path === '' ? 'the document' : this.#path}`;
  }

  member<T>(name: string, read: (value: ConfiguredValue) => T): T {
    const value = this.optional(name, read);
    if (value === undefined) throw wrong(this, `an object with a member "${name}"`);
    return value;
  }

  optional<T>(name: string, read: (value: ConfiguredValue) => T): T | undefined {
    const value = this.#entries().get(name);
    this.#known.add(name);
    const path = this.#path === '' ? name : `${this.#path}.${name}`;
    return value === undefined ? undefined : this.#read(value, path, read);
  }

  /** An object as a map of its members; empty when it is absent. */
  map<T>(name: string, key: RegExp, read: (value: ConfiguredValue) => T): ReadonlyMap<string, T> {
    const found = this.optional(name, (map) =>
      [...map.#entries()].map(([id, value]): [string, T] => {
        const path = `${name}[${JSON.stringify(id)}]`;
        if (!key.test(id)) {
          throw new OperatorError(`${this.#file}: the name of ${path} must match ${key.source}.`);
        }
        return [id, this.#read(value, path, read)];
      }),
    );
    return new Map(found);
  }

  list<T>(read: (value: ConfiguredValue) => T): T[] {
    if (!Array.isArray(this.#value)) throw wrong(this, 'a list');
    return this.#value.map((item: unknown, index) =>
      this.#read(item, `${this.#path}[${index}]`, read),
    );
  }

  text(form: RegExp, expected: string): string {
    if (typeof this.#value === 'string' && form.test(this.#value)) return this.#value;
    throw wrong(this, expected);
  }

  whole(least: number, most: number): number {
    const value = this.#value;
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) {
      return value;
    }
    throw wrong(this, `a whole number from ${least} to ${most}`);
  }

  url(schemes: readonly string[]): string {
    const value = this.#value;
    if (typeof value === 'string' && schemes.includes(URL.parse(value)?.protocol ?? '')) {
      return value;
    }
    throw wrong(
      this,
      `a URL that begins with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`,
    );
  }

  /** Refuses unknown members: a misspelled one would otherwise be ignored silently. */
  nothingElse(): void {
    for (const name of this.#entries().keys()) {
      if (this.#known.has(name)) continue;
      const nearest = didYouMean(name, [...this.#known]);
      const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
      throw new OperatorError(`${this.where} has the unknown member "${name}".${hint}`);
    }
  }

  #read<T>(value: unknown, path: string, read: (value: ConfiguredValue) => T): T {
    const inner = new ConfiguredValue(value, this.#file, path);
    const result = read(inner);
    if (inner.#known.size > 0) inner.nothingElse();
    return result;
  }

  #entries(): ReadonlyMap<string, unknown> {
    const value = this.#value;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw wrong(this, 'an object');
    }
    return new Map(Object.entries(value));
  }
}

export function wrong(value: ConfiguredValue, expected: string): OperatorError {
  return new OperatorError(`${value.where} must be ${expected}.`);
}

/** The parser quotes the text around the error, which may contain a secret. */
function withoutQuotation(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return /^[^"]*[^",. ]/.exec(reason)?.[0] ?? 'it has no value';
}

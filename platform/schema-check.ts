import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

export interface SchemaProblem {
  /** A JSON pointer. */
  readonly instancePath: string;
  readonly message: string;
}

/** Whether values match a schema. It is compiled for the first of them: every start would compile all schemas. */
export class SchemaCheck<S extends TSchema> {
  readonly #schema: S;
  #compiled: ReturnType<typeof Compile<S>> | undefined;

  constructor(schema: S) {
    this.#schema = schema;
  }

  accepts(value: unknown): value is Static<S> {
    return this.#validator().Check(value);
  }

  problems(value: unknown): readonly SchemaProblem[] {
    return this.#validator().Errors(value);
  }

  #validator(): ReturnType<typeof Compile<S>> {
    this.#compiled ??= Compile(this.#schema);
    return this.#compiled;
  }
}

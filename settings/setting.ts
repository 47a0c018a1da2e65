import type { Parsed } from '#platform/setting-values.ts';

/** One setting: its names, its default and how its text is read. */
export interface Setting<T> {
  /** Without dashes. */
  readonly flag?: string;
  readonly variable: string;
  /** What stands for the value in help. */
  readonly placeholder: string;
  readonly description: string;
  readonly defaultValue: T;
  /** How help shows the default; undefined: the value as it is. */
  readonly defaultLabel?: string;
  /** Not repeated in messages. */
  readonly secret?: boolean;
  /** Its flag stands for "on" and needs no value. */
  readonly switch?: boolean;
  parse(text: string): Parsed<T>;
}

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

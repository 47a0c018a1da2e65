/** Forms that several settings of the server have, or that only it has. */
import { matching, oneOf, wholeNumber } from '#platform/setting-values.ts';
import type { Parsed } from '#platform/setting-values.ts';
import type { Setting } from './setting.ts';
import type { Settings } from './setting-values.ts';

export const hourly = (who: string, defaultValue: number, variable: string): Setting<number> => ({
  variable,
  placeholder: 'N',
  description: `Requests per hour ${who}`,
  defaultValue,
  parse: wholeNumber(1, 1_000_000_000),
});

export function file(text: string): Parsed<string> {
  return matching(/^[^\0]+$/, 'a file')(text);
}

export function metricsReader(text: string): Parsed<Settings['metrics']> {
  if (text === 'off' || text === 'loopback') return { value: { kind: text } };
  // A mistyped word must not become the name of a file.
  if (!text.includes('/') || text.includes('\0')) {
    return { expected: 'off, loopback or the path of a file, with a slash' };
  }
  return { value: { kind: 'token', file: text } };
}

export function onOrOff(text: string): Parsed<boolean> {
  return /^(on|off)$/.test(text) ? { value: text === 'on' } : { expected: 'on or off' };
}

/** A setting that is on or off. */
export function switched(
  variable: string,
  description: string,
  defaultValue: boolean,
): Setting<boolean> {
  const defaultLabel = defaultValue ? 'on' : 'off';
  return {
    variable,
    placeholder: 'on|off',
    description,
    defaultValue,
    defaultLabel,
    parse: onOrOff,
  };
}

/** What the server may fetch from others on behalf of users. */
export function fetching(variable: string, description: string): Setting<'on' | 'off' | 'private'> {
  const parse = oneOf(['on', 'off', 'private']);
  return { variable, placeholder: 'on|off|private', description, defaultValue: 'on', parse };
}

export function secret(
  variable: string,
  placeholder: string,
  description: string,
): Setting<string | undefined> {
  return {
    variable,
    placeholder,
    description,
    defaultValue: undefined,
    defaultLabel: 'generated and printed once',
    secret: true,
    parse: (text) => ({ value: text }),
  };
}

export function portOrOff(text: string): Parsed<number | undefined> {
  if (text === 'off') return { value: undefined };
  const port = wholeNumber(0, 65_535)(text);
  return 'value' in port ? port : { expected: `${port.expected}, or off` };
}

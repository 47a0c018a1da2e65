import { refuse } from '../../errors/api-error.ts';
import { textVersion } from '#web/text-version.ts';
import type { ActContext } from './discussion-acts.ts';

/** Refuses a form for texts that were changed after it was shown; what a form without a version shows is not known. */
export function requireVersion(
  { form, session }: Pick<ActContext, 'form' | 'session'>,
  field: string,
  texts: readonly (string | null)[],
): void {
  const sent = form.get(field);
  if (sent === null || sent === textVersion(session.secret, texts)) return;
  // The form is shown again with the present version.
  form.delete(field);
  refuse({
    kind: 'conflict',
    message:
      'This was changed after you opened it, so nothing was saved. What you wrote is below: to save again replaces what is there now.',
  });
}

/** The names that a form showed, of which the user has chosen some, applied to those that are there now: what others changed meanwhile stays. */
export function namesAfter(
  present: readonly string[],
  shown: readonly string[],
  chosen: readonly string[],
): string[] {
  const [shownKeys, chosenKeys] = [keysOf(shown), keysOf(chosen)];
  const remaining = present.filter((name) => {
    const key = name.toLowerCase();
    return !shownKeys.has(key) || chosenKeys.has(key);
  });
  return [...remaining, ...chosen.filter((name) => !shownKeys.has(name.toLowerCase()))];
}

function keysOf(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map((name) => name.toLowerCase()));
}

/** Undefined for what is no list of texts: the form can be sent by anything. */
export function namesInJson(text: string | null): readonly string[] | undefined {
  try {
    const names: unknown = JSON.parse(text ?? '');
    if (!Array.isArray(names)) return undefined;
    return names.filter((name) => typeof name === 'string');
  } catch {
    return undefined;
  }
}

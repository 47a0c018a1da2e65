import { hidden } from '#web/form.ts';
import { html, type Html } from '#web/html.ts';
import type { RefusedForm } from '#web/page-form.ts';

import { FunctionsError } from '../../errors/functions-error.ts';
import { digestOf } from './variables.ts';

/** What a form was made from, and another user may change before it is sent. */
export interface LockedValue {
  /** Of its field, if the form has one. */
  readonly name: string;
  readonly label: string;
  readonly value: string;
  /** What a page says of a value that is not shown as it is. */
  readonly shown?: string;
}

/** The revision that a form was made for, and digests of what was so then. */
export function lockFields(revision: string, values: readonly LockedValue[]): Html {
  return html`${hidden('revision', revision)} ${baseField(values)}`;
}

function digests(values: readonly LockedValue[]): Readonly<Record<string, string>> {
  return Object.fromEntries(values.map(({ name, value }) => [name, digestOf(value)]));
}

/** The same for what has no revision: a form of it is refused by `requireUnchanged`. */
export function baseField(values: readonly LockedValue[]): Html {
  return hidden('base', JSON.stringify(digests(values)));
}

/**
 * Refuses a form of something without a revision that another user changed after the form was opened. The form says what it was made from;
 * one that does not can have been sent by anything, and replaces what there is.
 */
export function requireUnchanged(form: URLSearchParams, present: readonly LockedValue[]): void {
  const base = readBase(form.get('base'));
  if (!base || differences(base, present).length === 0) return;
  throw new FunctionsError(
    'PreconditionFailedException',
    'It was changed after this form was opened.',
  );
}

/** The names of what was changed, added or removed. */
function differences(
  base: ReadonlyMap<string, unknown>,
  present: readonly LockedValue[],
): readonly string[] {
  const now = new Map(present.map(({ name, value }) => [name, digestOf(value)]));
  return [...new Set([...base.keys(), ...now.keys()])].filter(
    (name) => base.get(name) !== now.get(name),
  );
}

export interface Meanwhile {
  /** Says what another user changed since the form was opened; empty if nothing. */
  readonly notice: Html;
  /** With the user's changes on top of the other's: what the user has not touched is as it is now. */
  readonly refused: RefusedForm | undefined;
}

/** Compares what a refused form was made from with what is so now. */
export function changedMeanwhile(
  refused: RefusedForm | undefined,
  present: readonly LockedValue[],
): Meanwhile {
  const base = refused && readBase(refused.fields.get('base'));
  if (!refused || !base) return { notice: html``, refused };
  const names = differences(base, present);
  if (names.length === 0) return { notice: html``, refused };
  const changed = present.filter(({ name }) => names.includes(name));
  const removed = names.filter((name) => !changed.some((each) => each.name === name));
  const fields = new URLSearchParams(refused.fields);
  for (const { name, value } of changed) {
    const given = fields.get(name);
    if (given !== null && base.get(name) === digestOf(given)) fields.set(name, value);
  }
  return {
    notice: html`<div class="notice">
      <p>Another user changed this after the form was opened. This is so now:</p>
      <ul>
        ${changed.map(
          ({ label, value, shown = value }) =>
            html`<li>${label}: ${shown === '' ? 'empty' : shown}</li>`,
        )}
        ${removed.map((name) => html`<li>${name}: removed</li>`)}
      </ul>
    </div>`,
    refused: { ...refused, fields },
  };
}

/** Undefined for what is none: the form can be sent by anything. */
function readBase(text: string | null): ReadonlyMap<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(text ?? '');
    return typeof parsed === 'object' && parsed !== null
      ? new Map(Object.entries(parsed))
      : undefined;
  } catch {
    return undefined;
  }
}

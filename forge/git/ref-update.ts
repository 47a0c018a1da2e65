import type { ObjectId, RefName } from './names.ts';

/** What git is asked to do with a ref, as a line of `git update-ref --stdin`. */
export interface RefUpdate {
  readonly ref: RefName;
  /** The value that it must have; `noObject`: it must not exist; undefined: any. */
  readonly old: ObjectId | undefined;
  /** `noObject` deletes it; the same as `old` only compares. */
  readonly new: ObjectId;
}

export type RefUpdateResult =
  | { readonly kind: 'updated' }
  /** This ref, and perhaps later ones, did not have its expected value. */
  | { readonly kind: 'moved'; readonly ref: RefName }
  /** `a` and `a/b` cannot both be refs. */
  | { readonly kind: 'name-conflict' };

/** An update from a known value: what a push asks for, an intent records and an event reports. */
export interface RefMove extends RefUpdate {
  readonly old: ObjectId;
}

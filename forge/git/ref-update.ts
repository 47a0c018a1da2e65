import type { ObjectId, RefName } from './names.ts';

export interface RefUpdate {
  readonly ref: RefName;
  readonly old: ObjectId | undefined;
  readonly new: ObjectId;
}

export interface RefMove {
  readonly ref: RefName;
  readonly old: ObjectId;
  readonly new: ObjectId;
}

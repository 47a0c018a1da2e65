import { ArchiveRefusal } from '../archives/archive-refusal.ts';

/** Why an image is not available; the code is one of the contract's reason codes. */
export interface ImageRefused {
  readonly kind: 'refused';
  readonly code: 'InvalidImage' | 'ImageDeleted' | 'ImageAccessDenied';
  /** Describes the problem to the function's owner. */
  readonly message: string;
}

/** Thrown inside this folder; `images.ts` converts it to an `ImageRefused`. */
export class ImageError extends Error {
  readonly code: ImageRefused['code'];

  constructor(code: ImageRefused['code'], message: string) {
    super(message);
    this.name = 'ImageError';
    this.code = code;
  }
}

export async function orRefused<T>(work: () => Promise<T>): Promise<T | ImageRefused> {
  try {
    return await work();
  } catch (error) {
    const refused = refusalOf(error);
    if (refused) return refused;
    throw error;
  }
}

function refusalOf(error: unknown): ImageRefused | undefined {
  if (error instanceof ImageError) {
    return { kind: 'refused', code: error.code, message: error.message };
  }
  if (error instanceof ArchiveRefusal) {
    return { kind: 'refused', code: 'InvalidImage', message: error.message };
  }
  return undefined;
}

import { ArchiveRefusal, shown } from '../archives/archive-refusal.ts';

/**
 * The path of an entry below the root that a layer is unpacked into. Other than in a deployment package, an image's names
 * may have a backslash or a leading slash.
 */
export function imagePath(name: string): string {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  const path = parts.join('/');
  if (parts.includes('..') || name.includes('\0') || Buffer.byteLength(path) > pathBytesMax) {
    throw new ArchiveRefusal('forbidden', `A layer contains the invalid path ${shown(name)}.`);
  }
  if (parts.some((part) => Buffer.byteLength(part) > nameBytesMax)) {
    throw new ArchiveRefusal(
      'forbidden',
      `A layer contains a name that is too long: ${shown(name)}.`,
    );
  }
  return path;
}

const pathBytesMax = 3072;
const nameBytesMax = 255;

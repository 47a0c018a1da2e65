import type { CodeFiles } from './code-files.ts';
import type { CodeStorageQuota } from './code-storage-quota.ts';
import type { Images } from './images/images.ts';
import type { ObjectStore } from './objects/object-store.ts';

export interface CodePorts {
  readonly code: CodeFiles;
  readonly codeStorage: CodeStorageQuota;
  readonly images: Images;
  /** Undefined where the operator has configured no object store. */
  readonly objects: ObjectStore | undefined;
}
